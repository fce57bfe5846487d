/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/schema/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/pages.h"
#include "formats/ctf/codes.h"

bool metadata_add_piece(metadata *m, size_t text_offset, uint64_t offset)
{
    if (m->piece_count == m->piece_capacity) {
        metadata_piece *grown = array_grow_size(m->pieces, sizeof *grown, &m->piece_capacity, 16);
        if (grown == NULL)
            return false;
        m->pieces = grown;
    }
    m->pieces[m->piece_count++] = (metadata_piece){text_offset, offset};
    return true;
}

void metadata_forget_text(metadata *m)
{
    free(m->text);
    free(m->pieces);
    m->text = NULL;
    m->pieces = NULL;
    m->in = NULL;
    m->piece_count = m->piece_capacity = 0;
}

void metadata_free(metadata *m)
{
    free(m->text);
    free(m->pieces);
    free(m->told);
    free(m->roots);
    *m = (metadata){0};
}

/* ---- Text that was read, and may be freed ---- */

#define PASS_STEP ((size_t)1 << 20)

static bool keep_root(metadata *m, size_t offset)
{
    if (m->root_count == m->root_capacity) {
        uint32_t *grown = array_grow_size(m->roots, sizeof *grown, &m->root_capacity, 64);
        if (grown == NULL)
            return false;
        m->roots = grown;
    }
    m->roots[m->root_count++] = (uint32_t)offset;
    return true;
}

void metadata_pass(metadata *m, size_t offset)
{
    if (m->salvages && !m->is_trial)
        (void)keep_root(m, offset); /* if that fails, less can be salvaged */
    if (m->in == NULL || offset - m->gone < PASS_STEP)
        return;
    pages_give_back(m->text + m->gone, offset - m->gone);
    m->gone = offset;
}

/* Reads freed text again because a finding may have to show it, and keeps it from then on. Returns
   false if that fails. */
static bool text_is_there(metadata *m)
{
    const bool is_there = m->gone == 0 || m->recall(m);
    if (m->gone != 0)
        m->in = NULL;
    m->gone = 0;
    return is_there;
}

static uint64_t file_offset(const metadata *m, size_t text_offset)
{
    /* Finds the last piece that begins at or before the offset. */
    size_t low = 0, high = m->piece_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (m->pieces[middle].text_offset <= text_offset)
            low = middle;
        else
            high = middle;
    }
    if (m->piece_count == 0)
        return text_offset;
    return m->pieces[low].file_offset + (text_offset - m->pieces[low].text_offset);
}

/* ---- Changes of the text ---- */

bool metadata_hold(metadata *m)
{
    const bool is_there = text_is_there(m);
    m->in = NULL;
    return is_there;
}

/* Moves the pieces and findings after a change with their text. */
static void move_places(metadata *m, size_t at, size_t after, size_t new_after)
{
    for (size_t i = 0; i < m->piece_count; i++)
        if (m->pieces[i].text_offset >= after)
            m->pieces[i].text_offset += new_after - after;
    for (size_t i = 0; i < m->told_count; i++)
        if ((uint32_t)m->told[i] != UINT32_MAX && (uint32_t)m->told[i] > at)
            m->told[i] += new_after - after;
}

/* Splits the piece that contains the offset `after` into two, so that the text after a change keeps
   its file offset. Returns false if out of memory. */
static bool split_piece(metadata *m, size_t after, uint64_t offset)
{
    size_t at;
    if (m->piece_count == 0 && !metadata_add_piece(m, 0, 0))
        return false;
    if (!metadata_add_piece(m, after, offset))
        return false;
    for (at = m->piece_count - 1; at > 0 && m->pieces[at - 1].text_offset > after; at--)
        m->pieces[at] = m->pieces[at - 1];
    m->pieces[at] = (metadata_piece){after, offset};
    return true;
}

bool metadata_replace(metadata *m, size_t at, size_t size, const char *bytes, size_t new_size)
{
    const size_t after = at + size, rest = m->size - after;
    const uint64_t offset = file_offset(m, after);
    if (new_size > size) {
        char *grown = array_fit(m->text, 1, m->size - size + new_size + 1);
        if (grown == NULL)
            return false;
        m->text = grown;
    }
    if (new_size != size && !split_piece(m, after, offset))
        return false;
    memmove(m->text + at + new_size, m->text + after, rest + 1);
    memcpy(m->text + at, bytes, new_size);
    m->size += new_size - size;
    move_places(m, at, after, at + new_size);
    m->seen_to = m->line_start = m->line = 0;
    return true;
}

/* ---- Findings at places of the text ---- */

#define EXCERPT_BEFORE 60 /* bytes of the line that are shown before the place */
#define EXCERPT_AFTER  40 /* bytes of the line that are shown from the place on */

typedef struct excerpt {
    uint32_t line, column;
    char text[2 * (EXCERPT_BEFORE + EXCERPT_AFTER) + 8];
} excerpt;

static bool continues_character(char byte)
{
    return ((uint8_t)byte & 0xc0) == 0x80;
}

/* Moves to the line that contains the offset. Findings mostly come in ascending or descending
   order, so only the text between two of them is searched for line ends. */
static void line_find(metadata *m, size_t offset)
{
    const char *text = m->text, *at;
    if (offset < m->line_start) {
        for (; m->line_start > offset; m->line_start--)
            m->line -= text[m->line_start - 1] == '\n';
        while (m->line_start > 0 && text[m->line_start - 1] != '\n')
            m->line_start--;
    } else if (offset > m->seen_to) {
        for (size_t from = m->seen_to; (at = memchr(text + from, '\n', offset - from)) != NULL;
             from = m->line_start) {
            m->line_start = (size_t)(at - text) + 1;
            m->line++;
        }
    }
    m->seen_to = offset;
}

/* Makes the text of the line around `offset` with a caret below it. Tabs become single spaces, so
   that the caret is below its character. */
static void excerpt_make(excerpt *e, metadata *m, size_t offset)
{
    size_t start, end = offset, at;
    char *to = e->text;
    line_find(m, offset);
    start = m->line_start;
    e->column = (uint32_t)(offset - start + 1);
    e->line = m->line + 1;
    while (end < m->size && m->text[end] != '\n' && m->text[end] != '\r' &&
           end - offset < EXCERPT_AFTER)
        end++;
    if (offset - start > EXCERPT_BEFORE)
        start = offset - EXCERPT_BEFORE;
    while (start < offset && continues_character(m->text[start]))
        start++;
    while (end < m->size && end > offset && continues_character(m->text[end]))
        end--;
    for (at = start; at < end; at++)
        *to++ = (uint8_t)m->text[at] < 0x20 ? ' ' : m->text[at];
    *to++ = '\n';
    for (at = start; at < offset; at++)
        if (!continues_character(m->text[at]))
            *to++ = ' ';
    memcpy(to, "^", 2);
}

bool metadata_damage(metadata *m, uint64_t offset, const char *expected, const char *found, ...)
{
    char text[128];
    va_list args;
    va_start(args, found);
    vsnprintf(text, sizeof text, found, args);
    va_end(args);
    m->error_count++;
    m->skipped_size = offset < m->size ? m->size - (size_t)offset : 0;
    diag_report(m->diag, &ctf_codes[CTF003], m->name, offset, m->skipped_size, expected, "%s",
                text);
    return false;
}

#define TOLD_MAX 4096u

/* Whether the same finding was reported for this text before; otherwise notes it. */
static bool was_told(metadata *m, const stele_code *code, ctf_place place)
{
    const uint64_t key = (uint64_t)(code - ctf_codes) << 32 | place.offset;
    for (size_t i = 0; i < m->told_count; i++)
        if (m->told[i] == key)
            return true;
    if (m->told_count == m->told_capacity) {
        uint64_t *grown = m->told_count < TOLD_MAX
                              ? array_grow_size(m->told, sizeof *grown, &m->told_capacity, 16)
                              : NULL;
        if (grown == NULL)
            return false;
        m->told = grown;
    }
    m->told[m->told_count++] = key;
    return false;
}

/* Returns the bytes of the stream between two places of the text, including packet headers between
   them. */
static uint64_t range_size(const metadata *m, size_t from, size_t to)
{
    return to > from ? file_offset(m, to - 1) + 1 - file_offset(m, from) : 0;
}

static void report_text(metadata *m, const stele_code *code, size_t from, size_t to,
                        const char *expected, const char *text)
{
    excerpt e = {.line = 0};
    const bool has_place = from <= m->size && text_is_there(m);
    if (code->severity == STELE_ERROR || (m->is_trial && code == &ctf_codes[CTF107])) {
        m->error_count++;
        m->error_place = has_place ? from : SIZE_MAX;
        m->error_code = (uint32_t)(code - ctf_codes);
    }
    if (m->is_trial)
        return;
    if (was_told(m, code, (ctf_place){(uint32_t)from}) && m->salvages)
        return;
    if (has_place)
        excerpt_make(&e, m, from);
    diag_emit(m->diag, &(stele_diag){.code = code,
                                     .source = m->name,
                                     .offset = has_place ? file_offset(m, from) : STELE_NO_OFFSET,
                                     .size = has_place ? range_size(m, from, to) : 0,
                                     .expected = expected,
                                     .found = text,
                                     .line = e.line,
                                     .column = e.column,
                                     .excerpt = has_place ? e.text : NULL});
}

void metadata_report(metadata *m, const stele_code *code, ctf_place place, const char *expected,
                     const char *found, ...)
{
    char text[256];
    va_list args;
    va_start(args, found);
    vsnprintf(text, sizeof text, found, args);
    va_end(args);
    report_text(m, code, place.offset, 0, expected, text);
}

void metadata_report_skipped(metadata *m, const stele_code *code, size_t from, size_t to,
                             const char *found, ...)
{
    char text[256];
    va_list args;
    va_start(args, found);
    vsnprintf(text, sizeof text, found, args);
    va_end(args);
    report_text(m, code, from, to, NULL, text);
    m->skipped_size += (size_t)range_size(m, from, to);
}
