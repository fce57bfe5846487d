/* SPDX-License-Identifier: Apache-2.0 */
/* Memory rebuilt from loads, and basic-block vectors: cases small enough to be followed by hand. */
#include "insn_made.h"
#include "test.h"

#include "analysis/insn/insn_bbv.h"
#include "analysis/insn/insn_image.h"

/* ---- Memory images ---- */

static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};

/* Returns the first page from an address on. */
static const image_page *page_at(const image *m, uint64_t address)
{
    for (size_t i = 0; i < m->page_count; i++) {
        if (image_page_address(m->pages[i]) == address)
            return m->pages[i];
    }
    REQUIRE(false);
    return NULL;
}

TEST(the_first_look_tells_what_was_there)
{
    insn_batch *batch = made_batch(1);
    const image_page *page;
    image m;
    REQUIRE(image_init(&m) == STELE_OK);
    batch->bytes = bytes;
    made_insn(batch, 0x1000, NOP);
    made_access(batch, true, 0x8002, 0);  /* the value before the store is never seen */
    made_access(batch, false, 0x8000, 3); /* 1 2 (3) 4 5 6 7 8, of which 3 was stored */
    made_access(batch, true, 0x8000, 3);
    made_insn(batch, 0x1004, NOP);
    made_access(batch, false, 0x8000, 3); /* reads what the program itself stored */
    made_access(batch, false, 0x8ffc, 3); /* spans two pages */
    made_access(batch, false, UINT64_C(0x7fff0000000a0000), 0);
    CHECK_EQ_U64(image_add(&m, batch), STELE_OK);
    image_finish(&m);
    CHECK_EQ_U64(m.page_count, 4);
    CHECK_EQ_U64(image_page_address(m.pages[0]), 0x1000);
    CHECK(m.pages[0]->is_executed && !m.pages[1]->is_executed);
    CHECK_EQ_MEM(m.pages[0]->bytes, "\x1f\x20\x03\xd5\x1f\x20\x03\xd5", 8);
    page = page_at(&m, 0x8000);
    CHECK_EQ_MEM(page->bytes, "\1\2\0\4\5\6\7\10", 8);
    CHECK_EQ_U64(image_page_known_count(page), 7 + 4);
    CHECK_EQ_MEM(page_at(&m, 0x9000)->bytes, "\5\6\7\10\0", 5);
    CHECK_EQ_U64(image_page_address(m.pages[3]), UINT64_C(0xff0000000a0000) | (uint64_t)0xff << 56);
    CHECK_EQ_U64(m.conflict_count, 0);
    image_free(&m);
    insn_batch_free(batch);
}

TEST(threads_that_disagree_are_told)
{
    insn_batch *batch = made_batch(1);
    image m;
    REQUIRE(image_init(&m) == STELE_OK);
    batch->bytes = bytes;
    made_insn(batch, 0x1000, NOP);
    made_access(batch, false, 0x8000, 1);
    CHECK_EQ_U64(image_add(&m, batch), STELE_OK);
    batch->track = 2;
    batch->bytes = (const uint8_t *)"\1\7";
    CHECK_EQ_U64(image_add(&m, batch), STELE_OK);
    CHECK_EQ_U64(m.conflict_count, 1);
    image_free(&m);
    insn_batch_free(batch);
}

/* ---- Basic-block vectors ---- */

typedef struct seen {
    size_t intervals, touched[8];
    uint64_t counts[8][4];
} seen;

static stele_status see_interval(void *user, const bbv *vectors, const uint32_t *touched,
                                 size_t count)
{
    seen *s = user;
    REQUIRE(s->intervals < 8);
    for (size_t i = 0; i < count; i++) {
        REQUIRE(touched[i] < 4);
        s->counts[s->intervals][touched[i]] = vectors->blocks[touched[i]].count;
    }
    s->touched[s->intervals++] = count;
    return STELE_OK;
}

#define BRANCH UINT32_C(0x54ffffc0) /* b.eq */

TEST(blocks_begin_after_jumps)
{
    insn_batch *batch = made_batch(1);
    static bbv v;
    seen s = {.intervals = 0};
    REQUIRE(bbv_init(&v, 5, see_interval, &s) == STELE_OK);
    made_insn(batch, 0x1000, NOP);
    made_insn(batch, 0x1004, NOP);
    made_insn(batch, 0x1008, BRANCH);
    made_insn(batch, 0x1000, NOP)->flags |= INSN_DISCONTINUOUS;
    made_insn(batch, 0x1004, NOP);
    made_insn(batch, 0x1008, BRANCH); /* begins the second interval */
    made_insn(batch, 0x100c, NOP);
    made_insn(batch, 0x2000, NOP)->flags |= INSN_DISCONTINUOUS; /* begins after an exception */
    CHECK_EQ_U64(bbv_add(&v, batch), STELE_OK);
    CHECK_EQ_U64(bbv_finish(&v), STELE_OK);
    CHECK_EQ_U64(s.intervals, 2);
    CHECK_EQ_U64(s.touched[0], 1);
    CHECK_EQ_U64(s.counts[0][0], 5);
    CHECK_EQ_U64(s.touched[1], 3);
    CHECK_EQ_U64(s.counts[1][0], 1);
    CHECK_EQ_U64(s.counts[1][1], 1);
    CHECK_EQ_U64(s.counts[1][2], 1);
    CHECK_EQ_U64(v.blocks[1].pc, 0x100c);
    CHECK_EQ_U64(v.blocks[2].pc, 0x2000);
    batch->track = 2; /* another thread begins an interval and a block */
    CHECK_EQ_U64(bbv_add(&v, batch), STELE_OK);
    CHECK_EQ_U64(bbv_finish(&v), STELE_OK);
    CHECK_EQ_U64(s.intervals, 4);
    CHECK_EQ_U64(s.counts[2][0], 5);
    bbv_free(&v);
    insn_batch_free(batch);
}
