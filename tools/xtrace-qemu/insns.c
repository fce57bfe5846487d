/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "insns.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "opcode.h"

#define BUCKET_COUNT 65536u

typedef struct node {
    insn insn;
    struct node *next;
} node;

static node *buckets[BUCKET_COUNT];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

const insn *insns_add(uint64_t pc, uint32_t opcode)
{
    node **bucket = &buckets[((pc >> 2) ^ opcode * 2654435761u) % BUCKET_COUNT];
    pthread_mutex_lock(&mutex);
    node *n = *bucket;
    while (n != NULL && (n->insn.pc != pc || n->insn.opcode != opcode))
        n = n->next;
    if (n == NULL && (n = malloc(sizeof *n)) != NULL) {
        *n = (node){.insn = {pc, opcode, opcode_traits(opcode)}, .next = *bucket};
        *bucket = n;
    }
    pthread_mutex_unlock(&mutex);
    return n == NULL ? NULL : &n->insn;
}
