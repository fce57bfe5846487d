/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the names that are declared in TSDL, scope by scope. */
#include "formats/ctf/metadata/tsdl.h"

void scope_push(tsdl *p)
{
    p->scope++;
}

void scope_pop(tsdl *p)
{
    for (; p->symbols.count > 0; p->symbols.count--) {
        const symbol *s = TABLE_LAST(p->symbols, symbol);
        if (s->scope < p->scope)
            break;
        p->lex.words[s->word].symbols[s->kind] = s->shadowed;
    }
    p->scope--;
}

const symbol *scope_find(const tsdl *p, symbol_kind kind, uint32_t word)
{
    const uint32_t number = p->lex.words[word].symbols[kind];
    return number != 0 ? TABLE_AT(p->symbols, const symbol, number - 1) : NULL;
}

bool scope_define(tsdl *p, symbol_kind kind, uint32_t word, const ctf_class *type, uint32_t place)
{
    static const char *const kinds[SYMBOL_KIND_COUNT] = {
        [SYMBOL_ALIAS] = "type",       [SYMBOL_STRUCT] = "structure", [SYMBOL_VARIANT] = "variant",
        [SYMBOL_ENUM] = "enumeration", [SYMBOL_FIELD] = "field",      [SYMBOL_OPTION] = "option"};
    const symbol *old = scope_find(p, kind, word);
    symbol *added;
    if (old != NULL && old->scope == p->scope)
        return tsdl_fail(p, CTF103, place, NULL, "another %s of the name '%.64s'", kinds[kind],
                         tsdl_text(p, word).bytes);
    added = tsdl_add(&p->symbols, sizeof *added);
    if (added == NULL)
        return false;
    *added = (symbol){.type = type,
                      .word = word,
                      .shadowed = p->lex.words[word].symbols[kind],
                      .scope = p->scope,
                      .kind = kind};
    p->lex.words[word].symbols[kind] = p->symbols.count;
    return true;
}

ctf_clock *tsdl_clock(tsdl *p, uint32_t word, uint32_t place)
{
    const uint32_t number = p->lex.words[word].clock;
    clock_state *state;
    ctf_clock *clock;
    if (number != 0)
        return p->schema->clocks[number - 1];
    clock = schema_add_clock(p->schema);
    state = clock != NULL ? tsdl_add(&p->clocks, sizeof *state) : NULL;
    if (state == NULL)
        return NULL;
    *state = (clock_state){.place = place};
    clock->id = clock->identity.name = tsdl_text(p, word);
    clock->place.offset = place;
    p->lex.words[word].clock = p->schema->clock_count;
    return clock;
}
