/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/placing.h"

#include <stdlib.h>
#include <string.h>

#include "core/load.h"

#define PAGE_SIZE  4096u /* load addresses are multiples of this */
#define PAGE_WORDS (PAGE_SIZE / 4)
#define SLOT_COUNT 256u /* a power of two */

/* How many instructions of a page must equal those of the file. The page is searched for when so
   many are known, and again when there are more: the first ones may fit several pages, or belong to
   sections next to the code. */
#define FITTING_LEAST 24u

/* The known words of one page of the program. */
typedef struct slot {
    uint64_t page; /* number of the page plus 1; 0: the slot is free */
    uint32_t count;
    uint64_t known[PAGE_WORDS / 64]; /* a bit for each word */
    uint32_t words[PAGE_WORDS];
} slot;

struct placing {
    const uint8_t *bytes;
    size_t size;
    uint64_t address;
    /* By the number of the page; a new page replaces another with the same slot. */
    slot slots[SLOT_COUNT];
};

placing *placing_new(const uint8_t *bytes, size_t size, uint64_t address)
{
    placing *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->bytes = bytes;
    p->size = size;
    p->address = address;
    return p;
}

void placing_free(placing *p)
{
    free(p);
}

static bool is_known(const slot *s, size_t word)
{
    return (s->known[word / 64] >> word % 64 & 1) != 0;
}

/* Whether the page of the file at `page` has all known words, and enough of them are in the
   code. */
static bool page_fits(const placing *p, const slot *s, uint64_t page)
{
    uint32_t count = 0;
    for (size_t i = 0; i < PAGE_WORDS; i++) {
        const uint64_t at = page + 4 * i - p->address; /* wraps to a huge number before the code */
        if (!is_known(s, i) || at >= p->size || p->size - at < 4)
            continue;
        if (load_le32(p->bytes + at) != s->words[i])
            return false;
        count++;
    }
    return count >= FITTING_LEAST;
}

static bool is_time_to_look(uint32_t count)
{
    return count == FITTING_LEAST || count == 32 || count == 48 || count == 64 || count == 128;
}

/* Finds the page of the file that fits. Returns false unless there is exactly one. */
static bool page_find(const placing *p, const slot *s, uint64_t *found)
{
    const uint64_t first = p->address / PAGE_SIZE * PAGE_SIZE;
    size_t count = 0;
    for (uint64_t page = first; page - first < p->size + PAGE_SIZE && count < 2;
         page += PAGE_SIZE) {
        if (page_fits(p, s, page)) {
            *found = page;
            count++;
        }
    }
    return count == 1;
}

bool placing_see(placing *p, uint64_t pc, uint32_t opcode, uint64_t *shift)
{
    const uint64_t number = pc / PAGE_SIZE + 1;
    const size_t word = pc % PAGE_SIZE / 4;
    slot *s = &p->slots[number % SLOT_COUNT];
    uint64_t page;
    if (s->page != number) {
        s->page = number;
        s->count = 0;
        memset(s->known, 0, sizeof s->known);
    }
    if (is_known(s, word))
        return false;
    s->known[word / 64] |= UINT64_C(1) << word % 64;
    s->words[word] = opcode;
    s->count++;
    if (!is_time_to_look(s->count) || !page_find(p, s, &page))
        return false;
    *shift = pc / PAGE_SIZE * PAGE_SIZE - page;
    return true;
}
