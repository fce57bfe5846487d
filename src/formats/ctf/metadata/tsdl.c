/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/metadata/tsdl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"

void *tsdl_add(table *t, size_t size)
{
    if (t->count == t->capacity) {
        void *grown = array_grow(t->items, size, &t->capacity, 16);
        if (grown == NULL)
            return NULL;
        t->items = grown;
    }
    return (char *)t->items + t->count++ * size;
}

/* ---- Findings ---- */

bool tsdl_fail(tsdl *p, ctf_code code, uint32_t place, const char *expected, const char *found, ...)
{
    char text[192];
    va_list args;
    va_start(args, found);
    vsnprintf(text, sizeof text, found, args);
    va_end(args);
    metadata_report(p->m, &ctf_codes[code], (ctf_place){place}, expected, "%s", text);
    return false;
}

bool tsdl_unexpected(tsdl *p, const char *expected)
{
    const token *t = tsdl_token(p);
    if (t->kind == TOKEN_END)
        return tsdl_fail(p, CTF101, t->offset, expected, "the end of the metadata");
    return tsdl_fail(p, CTF101, t->offset, expected, "%s%.*s%s", t->kind == TOKEN_TEXT ? "" : "'",
                     (int)(t->end - t->offset < 64 ? t->end - t->offset : 64),
                     p->m->text + t->offset, t->kind == TOKEN_TEXT ? "" : "'");
}

/* ---- Tokens ---- */

bool tsdl_take_mark(tsdl *p, char mark)
{
    const char quoted[] = {'\'', mark, '\'', 0};
    return tsdl_is_mark(p, mark) ? tsdl_next(p)
                                 : tsdl_unexpected(p, mark == MARK_ASSIGN ? "':='" : quoted);
}

bool tsdl_key_add(tsdl *p, ctf_text text)
{
    for (uint32_t i = 0; i < text.size; i++) {
        char *to = tsdl_add(&p->key, 1);
        if (to == NULL)
            return false;
        *to = text.bytes[i];
    }
    return true;
}

bool tsdl_take_path(tsdl *p, uint32_t *word)
{
    p->path.count = p->key.count = 0;
    for (;;) {
        path_step *step;
        if (tsdl_token(p)->kind != TOKEN_WORD)
            return tsdl_unexpected(p, "a word");
        step = tsdl_add(&p->path, sizeof *step);
        if (step == NULL)
            return false;
        *step = (path_step){tsdl_token(p)->word, tsdl_token(p)->offset};
        *word = step->word;
        if (!tsdl_next(p))
            return false;
        if (p->path.count > 1 || tsdl_is_mark(p, '.'))
            if ((p->path.count > 1 && !tsdl_key_add(p, (ctf_text){".", 1})) ||
                !tsdl_key_add(p, tsdl_text(p, *word)))
                return false;
        if (!tsdl_is_mark(p, '.'))
            break;
        if (!tsdl_next(p))
            return false;
    }
    if (p->path.count > 1)
        *word = lexer_word(&p->lex, p->key.items, p->key.count);
    return *word != UINT32_MAX;
}

/* ---- References ---- */

typedef struct scope_name {
    ctf_scope scope;
    uint32_t count;
    const char *words[3];
} scope_name;

static const scope_name scope_names[] = {
    {CTF_SCOPE_PACKET_HEADER, 3, {"trace", "packet", "header"}},
    {CTF_SCOPE_PACKET_CONTEXT, 3, {"stream", "packet", "context"}},
    {CTF_SCOPE_EVENT_HEADER, 3, {"stream", "event", "header"}},
    {CTF_SCOPE_COMMON_CONTEXT, 3, {"stream", "event", "context"}},
    {CTF_SCOPE_SPECIFIC_CONTEXT, 2, {"event", "context"}},
    {CTF_SCOPE_PAYLOAD, 2, {"event", "fields"}}};

/* Returns the scope that the path begins with, or NULL if it begins with a field. */
static const scope_name *path_scope(const tsdl *p)
{
    for (size_t i = 0; i < sizeof scope_names / sizeof *scope_names; i++) {
        const scope_name *s = &scope_names[i];
        uint32_t same = 0;
        while (same < s->count && same < p->path.count &&
               ctf_text_is(tsdl_text(p, TABLE_AT(p->path, path_step, same)->word), s->words[same]))
            same++;
        if (same == s->count)
            return s;
    }
    return NULL;
}

const ctf_location *tsdl_location(tsdl *p, bool is_reusable, const ctf_class **tag)
{
    const path_step *path = p->path.items;
    const scope_name *from = path_scope(p);
    const uint32_t skipped = from != NULL ? from->count : 0, count = p->path.count - skipped;
    const symbol *s = from == NULL ? scope_find(p, SYMBOL_FIELD, path[0].word) : NULL;
    ctf_location *made = schema_take(p->schema, 1, sizeof *made);
    ctf_text *steps = schema_take(p->schema, count, sizeof *steps);
    *tag = s != NULL && count == 1 ? s->type : NULL;
    if (made == NULL || steps == NULL)
        return NULL;
    if (count == 0 || (from == NULL && path[0].word < WORD_KEYWORD_COUNT)) {
        tsdl_fail(p, CTF105, path[0].place, "a field", "'%.64s'", tsdl_text(p, path[0].word).bytes);
        return NULL;
    }
    if (from == NULL && s == NULL && p->bodies.count == 0) {
        tsdl_fail(p, CTF104, path[0].place, "a field that comes before it", "'%.64s'",
                  tsdl_text(p, path[0].word).bytes);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++)
        steps[i] = tsdl_text(p, path[skipped + i].word);
    *made = (ctf_location){.scope = from != NULL ? from->scope : CTF_SCOPE_LEXICAL,
                           .steps = steps,
                           .step_count = count,
                           .place = {path[0].place}};
    /* A type that may be used elsewhere means the field before its own declaration, not before its
       use. */
    if (s != NULL && p->assigned_scope != 0 && s->scope == p->assigned_scope &&
        (is_reusable || p->reusable_count > 0))
        made->scope = p->assigned;
    return made;
}

/* ---- Parsing of the whole text ---- */

/* Finds the value of byte_order in the trace block, which integers before that block need, too. */
static void find_byte_order(tsdl *p)
{
    uint32_t depth = 0, before = WORD_COUNT;
    bool in_trace = false;
    lexer_rewind(&p->lex, true);
    while (tsdl_next(p) && tsdl_token(p)->kind != TOKEN_END) {
        if (tsdl_is_mark(p, '{')) {
            if (depth++ == 0)
                in_trace = before == WORD_TRACE;
        } else if (tsdl_is_mark(p, '}')) {
            depth -= depth > 0;
        } else if (in_trace && depth == 1 && tsdl_is_word(p, WORD_BYTE_ORDER)) {
            if (tsdl_next(p) && tsdl_is_mark(p, '=') && tsdl_next(p) &&
                tsdl_token(p)->kind == TOKEN_WORD &&
                tsdl_byte_order(p, tsdl_text(p, tsdl_token(p)->word), false,
                                &p->schema->is_big_endian))
                p->schema->is_big_endian ^= p->m->is_order_other;
            break;
        }
        before = tsdl_token(p)->kind == TOKEN_WORD ? tsdl_token(p)->word : WORD_COUNT;
    }
    lexer_rewind(&p->lex, false);
}

static bool parse_all(tsdl *p)
{
    if (!tsdl_next(p))
        return false;
    while (tsdl_token(p)->kind != TOKEN_END) {
        metadata_pass(p->m, tsdl_token(p)->offset);
        if (!tsdl_root(p))
            return false;
    }
    return tsdl_finish(p);
}

bool tsdl_parse(metadata *m, ctf_schema *schema)
{
    tsdl p = {.m = m, .schema = schema, .assigned = CTF_SCOPE_COUNT, .homeless_place = UINT32_MAX};
    bool done;
    schema->generation = CTF_1;
    schema->length_unit = 1;
    done = lexer_init(&p.lex, m, schema);
    if (done) {
        find_byte_order(&p);
        done = parse_all(&p);
    }
    lexer_free(&p.lex);
    free(p.symbols.items);
    free(p.bodies.items);
    free(p.members.items);
    free(p.mappings.items);
    free(p.ranges.items);
    free(p.dimensions.items);
    free(p.clocks.items);
    free(p.path.items);
    free(p.env_lengths.items);
    free(p.timestamps.items);
    free(p.late_events.items);
    free(p.key.items);
    class_pool_free(&p.classes);
    return done;
}
