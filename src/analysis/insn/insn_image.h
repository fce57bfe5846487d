/* SPDX-License-Identifier: Apache-2.0 */
/* The memory before some instructions were executed, as far as they show it: the value of each
   byte that is read or executed before it is written. */
#ifndef ANALYSIS_INSN_INSN_IMAGE_H
#define ANALYSIS_INSN_INSN_IMAGE_H

#include "core/keyed.h"
#include "model/insn.h"

#define IMAGE_PAGE_SIZE 4096u

typedef struct image_page {
    uint64_t key;                         /* address / IMAGE_PAGE_SIZE */
    uint64_t known[IMAGE_PAGE_SIZE / 64]; /* a bit for each byte: its value is known */
    /* a bit for each byte: its value is known, or it was written first */
    uint64_t taken[IMAGE_PAGE_SIZE / 64];
    bool is_executed, is_written;
    uint8_t bytes[IMAGE_PAGE_SIZE]; /* 0 where the value is not known */
} image_page;

typedef struct image {
    keyed numbers;      /* numbers of pages, by their keys */
    image_page **pages; /* owned; allocated one by one because they are large */
    size_t page_count, page_capacity;
    /* bytes for which threads saw different values: one of them was written before, but the
       trace does not say in which order threads ran */
    uint64_t conflict_count;
    uint32_t track, thread_count;
} image;

stele_status image_init(image *m);
void image_free(image *m);
stele_status image_add(image *m, const insn_batch *batch);

/* Sorts the pages by address. Nothing may be added after that. */
void image_finish(image *m);

static inline uint64_t image_page_address(const image_page *page)
{
    return page->key * IMAGE_PAGE_SIZE;
}

uint64_t image_page_known_count(const image_page *page);

#endif
