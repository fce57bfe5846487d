/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory before a run of instructions, as far as they show it: what a byte holds when it is
 * read, or executed, before it is written.
 */
#ifndef ANALYSIS_INSN_INSN_IMAGE_H
#define ANALYSIS_INSN_INSN_IMAGE_H

#include "analysis/insn/keyed.h"
#include "model/insn.h"

#define IMAGE_PAGE_SIZE 4096u

typedef struct image_page {
    uint64_t key;                         /* address / IMAGE_PAGE_SIZE + 1 */
    uint64_t known[IMAGE_PAGE_SIZE / 64]; /* bytes of which it is known what they held, as bits */
    uint64_t taken[IMAGE_PAGE_SIZE / 64]; /* known, or written first */
    bool is_executed, is_written;
    uint8_t bytes[IMAGE_PAGE_SIZE]; /* 0 where it is not known */
} image_page;

typedef struct image {
    keyed numbers;      /* of pages */
    image_page **pages; /* owned, one by one: they are large */
    size_t page_count, page_capacity;
    uint64_t conflict_count; /* bytes that another thread saw otherwise: another one has written
                                them before, and the trace does not tell who was first */
    uint32_t track, thread_count;
} image;

stele_status image_init(image *m);
void image_free(image *m);
stele_status image_add(image *m, const insn_batch *batch);

/* Sorts the pages by address. Nothing may be added after that. */
void image_finish(image *m);

static inline uint64_t image_page_address(const image_page *page)
{
    return (page->key - 1) * IMAGE_PAGE_SIZE;
}

uint64_t image_page_known_count(const image_page *page);

#endif
