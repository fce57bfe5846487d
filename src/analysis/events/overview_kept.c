/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Findings of overviews in index files. What is found wrong while an overview is made is saved with
 * it, and reported again when the overview is loaded, so that a damaged trace never seems sound.
 */
#include "analysis/events/overview.h"

#include <stdlib.h>
#include <string.h>

#include "model/saved_index.h"

/* An overview with more findings is not kept: the trace is read anew each time. */
#define FINDINGS_MAX      1000u
#define FINDINGS_SIZE_MAX ((uint64_t)256 << 10)

/* Writes a text that may be NULL: its size plus 1, or 0, then the bytes. */
static void put_text(output *out, const char *text)
{
    saved_put_u64(out, text != NULL ? strlen(text) + 1 : 0);
    if (text != NULL)
        output_text(out, text);
}

static void take_finding(void *user, const stele_diag *diag)
{
    stele_overview *o = user;
    output *out = o->findings;
    if (o->diag_fn != NULL)
        o->diag_fn(o->diag_user, diag);
    o->finding_count++;
    if (o->finding_count > FINDINGS_MAX || output_offset(out) > FINDINGS_SIZE_MAX)
        return;
    put_text(out, diag->code->code);
    put_text(out, diag->source);
    put_text(out, diag->expected);
    put_text(out, diag->found);
    put_text(out, diag->excerpt);
    saved_put_u64(out, diag->offset);
    saved_put_u64(out, diag->bit);
    saved_put_u64(out, diag->size);
    saved_put_u64(out, diag->lost_count);
    saved_put_u64(out, diag->line);
    saved_put_u64(out, diag->column);
}

void overview_begin_findings(stele_overview *o)
{
    diag_sink *diag = &o->context->diag;
    if (o->findings == NULL)
        return;
    o->diag_fn = diag->fn;
    o->diag_user = diag->user;
    diag->fn = take_finding;
    diag->user = o;
}

void overview_end_findings(const stele_overview *o)
{
    diag_sink *diag = &o->context->diag;
    if (o->findings == NULL)
        return;
    diag->fn = o->diag_fn;
    diag->user = o->diag_user;
}

void overview_findings_put(const stele_overview *o, output *out)
{
    size_t size = 0;
    const uint8_t *bytes = o->findings != NULL ? output_memory(o->findings, &size) : NULL;
    saved_put_u64(out, o->findings != NULL ? o->finding_count : 0);
    saved_put_u64(out, size);
    if (bytes != NULL)
        output_write(out, bytes, size);
}

bool overview_findings_fit(const stele_overview *o)
{
    return o->finding_count <= FINDINGS_MAX &&
           (o->findings == NULL || output_offset(o->findings) <= FINDINGS_SIZE_MAX);
}

stele_status overview_findings_take(stele_overview *o, cursor *from)
{
    uint64_t count, size;
    const uint8_t *bytes;
    if (!saved_take_u64(from, &count) || !saved_take_u64(from, &size) || count > FINDINGS_MAX ||
        size > cursor_left(from))
        return STELE_ERR_FORMAT;
    bytes = cursor_take(from, (size_t)size);
    o->kept_findings = malloc((size_t)size + 1);
    if (o->kept_findings == NULL)
        return STELE_ERR_MEMORY;
    memcpy(o->kept_findings, bytes, (size_t)size);
    o->kept_size = (size_t)size;
    o->finding_count = (uint32_t)count;
    return STELE_OK;
}

/* Reads a text, which may be NULL. The copy has a zero byte at its end, which the file does not
   have. */
static bool take_text(cursor *from, char **text)
{
    uint64_t size;
    const uint8_t *bytes;
    *text = NULL;
    if (!saved_take_u64(from, &size) || size > (uint64_t)cursor_left(from) + 1)
        return false;
    if (size == 0)
        return true;
    bytes = cursor_take(from, (size_t)size - 1);
    *text = malloc((size_t)size);
    if (*text == NULL)
        return false;
    memcpy(*text, bytes, (size_t)size - 1);
    (*text)[size - 1] = '\0';
    return true;
}

static bool take_numbers(cursor *from, stele_diag *diag)
{
    uint64_t bit;
    if (!saved_take_u64(from, &diag->offset) || !saved_take_u64(from, &bit) || bit > 7 ||
        !saved_take_u64(from, &diag->size) || !saved_take_u64(from, &diag->lost_count) ||
        !saved_take_u32(from, &diag->line) || !saved_take_u32(from, &diag->column))
        return false;
    diag->bit = (uint8_t)bit;
    return true;
}

/* Reports the next finding. Returns false if the bytes are not a valid finding. */
static bool report_one(const stele_overview *o, cursor *from)
{
    char *texts[5] = {NULL};
    stele_diag diag = {.offset = 0};
    bool is_good = true;
    for (unsigned i = 0; i < 5 && is_good; i++)
        is_good = take_text(from, &texts[i]);
    is_good = is_good && take_numbers(from, &diag) && texts[0] != NULL && texts[3] != NULL;
    diag.code = is_good ? stele_code_find(texts[0]) : NULL;
    diag.source = texts[1];
    diag.expected = texts[2];
    diag.found = texts[3];
    diag.excerpt = texts[4];
    is_good = diag.code != NULL;
    if (is_good)
        diag_emit(&o->context->diag, &diag);
    for (unsigned i = 0; i < 5; i++)
        free(texts[i]);
    return is_good;
}

/* Reports the findings that were saved with the overview. */
void overview_report_findings(const stele_overview *o)
{
    cursor from = cursor_make(o->kept_findings, o->kept_size);
    while (cursor_left(&from) != 0 && report_one(o, &from))
        ;
}
