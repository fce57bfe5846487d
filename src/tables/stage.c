/* SPDX-License-Identifier: Apache-2.0 */
#include "tables/stage.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/array.h"

/* Keeps the rows that an analysis gives until they are asked for. */
#define STAGED_LEAST 2048u

struct stage {
    stage_engine engine;
    uint8_t **values; /* cells, by column */
    uint64_t **valid; /* validity bits, by column */
    size_t count, at, capacity;
    bool is_finished;
};

/* ---- Adding of rows ---- */

static bool stage_grow(stele_scan *s, size_t least)
{
    stage *t = s->stage;
    size_t capacity = t->capacity * 2 > least ? t->capacity * 2 : least;
    capacity = (capacity + 63) / 64 * 64;
    for (size_t i = 0; i < s->column_count; i++) {
        uint8_t *values = array_fit(t->values[i], stele_cell_size(s->columns[i].type), capacity);
        uint64_t *valid;
        if (values == NULL)
            return false;
        t->values[i] = values;
        valid = array_fit(t->valid[i], sizeof *valid, capacity / 64);
        if (valid == NULL)
            return false;
        t->valid[i] = valid;
    }
    t->capacity = capacity;
    return true;
}

/* Sets the bits of new rows; filling clears those of nulls. */
static void set_valid(uint64_t *valid, size_t from, size_t count)
{
    const size_t end = from + count;
    for (size_t i = from; i < end; i = (i / 64 + 1) * 64) {
        const uint64_t after = end - i / 64 * 64 < 64 ? UINT64_MAX << (end % 64) : 0;
        valid[i / 64] |= UINT64_MAX << (i % 64) & ~after;
    }
}

stele_status stage_put(stele_scan *s, const rows *r)
{
    stage *t = s->stage;
    if (t->count + r->count > t->capacity && !stage_grow(s, t->count + r->count))
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < s->column_count; i++) {
        const scan_column *item = &s->columns[i];
        const cell_place to = {t->values[i] + t->count * stele_cell_size(item->type), t->valid[i],
                               t->count};
        set_valid(t->valid[i], t->count, r->count);
        item->fill(s, item, r, &to);
    }
    t->count += r->count;
    return s->is_out_of_memory ? STELE_ERR_MEMORY : STELE_OK;
}

/* Reports calls and operations that were not followed because of a limit. */
static void report_left_out(const stele_scan *s)
{
    const stage_engine *engine = &s->stage->engine;
    const uint64_t count = (engine->left_out != NULL ? engine->left_out(engine->user) : 0) +
                           (s->insn_calls != NULL ? insn_calls_left_out(s->insn_calls) : 0);
    if (count != 0)
        diag_report(&s->context->diag, &core_codes[STE006], NULL, STELE_NO_OFFSET, 0,
                    "calls and operations within the limits of open ones",
                    "%" PRIu64 " beyond, not followed", count);
}

static stele_status stage_more(stele_scan *s)
{
    stage *t = s->stage;
    stele_status status = STELE_OK;
    t->count = t->at = 0;
    s->has_fleeting_names = false;
    arena_free(&s->fleeting);
    while (t->count < STAGED_LEAST && status == STELE_OK) {
        status = t->is_finished ? STELE_END : scan_pull(s);
        for (size_t i = 0; status == STELE_OK && i < s->segment_count; i++)
            status = t->engine.add(t->engine.user, &s->segments[i]);
        s->segment_at = s->segment_count;
        if (status == STELE_END && !t->is_finished && s->insn_calls != NULL)
            status = insn_calls_more(s->insn_calls, &t->engine);
        if (status == STELE_END && !t->is_finished) {
            t->is_finished = true;
            status = t->engine.finish(t->engine.user);
            report_left_out(s);
        }
    }
    return t->count != 0 && status == STELE_END ? STELE_OK : status;
}

/* ---- Giving of rows ---- */

static void copy_valid(const uint64_t *from, size_t at, size_t count, uint64_t *to)
{
    for (size_t i = 0; i < count; i++) {
        if ((from[(at + i) / 64] >> ((at + i) % 64) & 1) == 0)
            to[i / 64] &= ~(UINT64_C(1) << (i % 64));
    }
}

/* Copies the validity bits of a chunk, word by word if it begins at a word, as most do. */
static void give_valid(const uint64_t *from, size_t at, size_t count, uint64_t *to)
{
    if (to == NULL)
        return;
    if (at % 64 == 0)
        memcpy(to, from + at / 64, stele_valid_words(count) * sizeof *to);
    else
        copy_valid(from, at, count, to);
}

stele_status stage_next(stele_scan *s, const stele_cells *cells, size_t capacity, size_t *count)
{
    stage *t = s->stage;
    if (t->at == t->count) {
        const stele_status status = stage_more(s);
        if (status != STELE_OK)
            return status;
    }
    *count = t->count - t->at < capacity ? t->count - t->at : capacity;
    for (size_t i = 0; i < s->column_count; i++) {
        const size_t size = stele_cell_size(s->columns[i].type);
        memcpy(cells[i].values, t->values[i] + t->at * size, *count * size);
        give_valid(t->valid[i], t->at, *count, cells[i].valid);
    }
    t->at += *count;
    return STELE_OK;
}

/* ---- Making and freeing ---- */

stele_status stage_open(stele_scan *s, uint32_t needs, bool is_bounded,
                        stage_engine_fn *open_engine)
{
    stage *t = s->stage = calloc(1, sizeof *t);
    if (t == NULL)
        return STELE_ERR_MEMORY;
    t->values = calloc(s->column_count + 1, sizeof *t->values);
    t->valid = calloc(s->column_count + 1, sizeof *t->valid);
    if (t->values == NULL || t->valid == NULL)
        return STELE_ERR_MEMORY;
    return open_engine(s, needs, is_bounded, &t->engine);
}

uint32_t stage_columns(const stele_scan *s)
{
    return s->stage->engine.columns;
}

/* Limits the analysis to the time range of the request; spans that began before it are cut. */
stele_status stage_bound(stele_scan *s)
{
    const stage_engine *engine = &s->stage->engine;
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    stele_reader_get_stats(s->reader, &stats);
    return engine->bound(engine->user, stats.range_begin_ns, stats.range_end_ns);
}

void stage_close(stele_scan *s)
{
    stage *t = s->stage;
    if (t == NULL)
        return;
    if (t->engine.close != NULL)
        t->engine.close(t->engine.user);
    insn_calls_close(s->insn_calls);
    for (size_t i = 0; i < s->column_count; i++) {
        if (t->values != NULL)
            free(t->values[i]);
        if (t->valid != NULL)
            free(t->valid[i]);
    }
    free(t->values);
    free(t->valid);
    free(t);
    s->stage = NULL;
}
