/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_image.h"

#include <stdlib.h>

#include "core/array.h"

typedef struct number {
    uint64_t key;
    image_page *page;
} number;

stele_status image_init(image *m)
{
    *m = (image){.page_count = 0};
    return keyed_init(&m->numbers, sizeof(number)) ? STELE_OK : STELE_ERR_MEMORY;
}

void image_free(image *m)
{
    for (size_t i = 0; i < m->page_count; i++)
        free(m->pages[i]);
    free(m->pages);
    keyed_free(&m->numbers);
}

/* Makes a page without known bytes. Returns NULL if out of memory. */
static image_page *page_new(image *m, uint64_t key)
{
    image_page *page;
    if (m->page_count == m->page_capacity) {
        image_page **grown = array_grow_size(m->pages, sizeof *grown, &m->page_capacity, 64);
        if (grown == NULL)
            return NULL;
        m->pages = grown;
    }
    page = calloc(1, sizeof *page);
    if (page == NULL)
        return NULL;
    page->key = key;
    m->pages[m->page_count++] = page;
    return page;
}

static inline image_page *page_find(image *m, uint64_t address)
{
    number *found = keyed_find(&m->numbers, sizeof *found, address / IMAGE_PAGE_SIZE);
    if (found == NULL)
        return NULL;
    if (found->page == NULL)
        found->page = page_new(m, address / IMAGE_PAGE_SIZE);
    return found->page;
}

/* Removes the tag that the top byte can hold: bit 55 says to which half of the address space an
   address belongs. */
static uint64_t without_tag(uint64_t address)
{
    const uint64_t low = address & UINT64_MAX >> 8;
    return (low & UINT64_C(1) << 55) != 0 ? low | UINT64_C(0xff) << 56 : low;
}

static void byte_see(image *m, image_page *page, uint32_t at, uint8_t value)
{
    const uint64_t bit = UINT64_C(1) << at % 64;
    if ((page->taken[at / 64] & bit) == 0) {
        page->taken[at / 64] |= bit;
        page->known[at / 64] |= bit;
        page->bytes[at] = value;
    } else if (m->thread_count > 1 && (page->known[at / 64] & bit) != 0 &&
               page->bytes[at] != value) {
        m->conflict_count++;
    }
}

/* Notes what bytes of memory hold; if `bytes` is NULL, they were overwritten. Returns false if
   out of memory. */
static bool see(image *m, uint64_t address, const uint8_t *bytes, uint32_t size, bool is_executed)
{
    for (uint32_t i = 0; i < size;) {
        const uint64_t place = address + i;
        image_page *page = page_find(m, place);
        if (page == NULL)
            return false;
        page->is_executed |= is_executed;
        page->is_written |= bytes == NULL;
        do {
            const uint32_t at = (uint32_t)((address + i) % IMAGE_PAGE_SIZE);
            if (bytes != NULL)
                byte_see(m, page, at, bytes[i]);
            else
                page->taken[at / 64] |= UINT64_C(1) << at % 64;
            i++;
        } while (i < size && (address + i) % IMAGE_PAGE_SIZE != 0);
    }
    return true;
}

static bool see_opcode(image *m, const insn *at)
{
    const uint8_t bytes[4] = {(uint8_t)at->opcode, (uint8_t)(at->opcode >> 8),
                              (uint8_t)(at->opcode >> 16), (uint8_t)(at->opcode >> 24)};
    const uint64_t address = without_tag(at->pc);
    const image_page *page = page_find(m, address);
    const uint32_t first = (uint32_t)(address % IMAGE_PAGE_SIZE);
    if (page != NULL && page->is_executed && m->thread_count == 1 &&
        (page->taken[first / 64] >> first % 64 & 15) == 15)
        return true; /* the usual case: all four bytes are known already */
    return see(m, address, bytes, 4, true);
}

stele_status image_add(image *m, const insn_batch *batch)
{
    if (m->thread_count == 0 || m->track != batch->track) {
        m->track = batch->track;
        m->thread_count++;
    }
    for (uint32_t i = 0; i < batch->insn_count; i++) {
        const insn *at = &batch->insns[i];
        const insn_access *access = insn_accesses(batch, at);
        if ((at->flags & INSN_HIDDEN) != 0)
            continue;
        if ((at->flags & INSN_HAS_PC) != 0 && !see_opcode(m, at))
            return STELE_ERR_MEMORY;
        for (uint16_t a = 0; a < at->access_count; a++) {
            if (!see(m, without_tag(access[a].address),
                     access[a].is_store ? NULL : insn_access_bytes(batch, &access[a]),
                     UINT32_C(1) << access[a].size_log2, false))
                return STELE_ERR_MEMORY;
        }
    }
    return STELE_OK;
}

static int page_compare(const void *left, const void *right)
{
    const image_page *a = *(image_page *const *)left, *b = *(image_page *const *)right;
    return a->key < b->key ? -1 : a->key > b->key;
}

void image_finish(image *m)
{
    if (m->page_count != 0)
        qsort(m->pages, m->page_count, sizeof(image_page *), page_compare);
}

uint64_t image_page_known_count(const image_page *page)
{
    uint64_t count = 0;
    for (size_t i = 0; i < IMAGE_PAGE_SIZE / 64; i++)
        count += (uint64_t)__builtin_popcountll(page->known[i]);
    return count;
}
