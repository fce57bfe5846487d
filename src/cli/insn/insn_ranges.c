/* SPDX-License-Identifier: Apache-2.0 */
/* Selects program counters by ranges, and by the addresses of functions. */
#include <fnmatch.h>
#include <stdlib.h>

#include "cli/insn/insn.h"
#include "view/list.h"

bool insns_add_range(cli *c, insns *s, uint64_t first, uint64_t last)
{
    if (s->range_count == s->range_capacity) {
        stele_insn_range *grown = list_grow(s->ranges, sizeof *grown, &s->range_capacity);
        if (grown == NULL)
            return cli_check(c, STELE_ERR_MEMORY, "options");
        s->ranges = grown;
    }
    s->ranges[s->range_count++] = (stele_insn_range){first, last};
    return true;
}

/* Selects the addresses of all functions whose names match a pattern. */
static bool take_symbol(cli *c, insns *s, const char *glob)
{
    stele_symbol_place place = STELE_INIT(stele_symbol_place);
    bool is_found = false;
    for (size_t i = 0; stele_symbols_place_at(s->code, i, &place); i++) {
        if (fnmatch(glob, place.name, 0) != 0)
            continue;
        is_found = true;
        if (!insns_add_range(c, s, place.address,
                             place.address + (place.size != 0 ? place.size - 1 : 0)))
            return false;
    }
    s->has_symbols = true;
    return is_found || cli_usage(c, "no function '%s' in any --binary", glob);
}

bool insns_take_symbols(cli *c, insns *s)
{
    const options *o = &c->options;
    s->range_count = s->given_count;
    for (size_t i = 0; i < o->use_count; i++) {
        if (o->uses[i].id == OPTION_SYMBOL && !take_symbol(c, s, o->uses[i].value))
            return false;
    }
    return true;
}
