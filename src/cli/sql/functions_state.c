/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sql/functions_state.h"

void functions_close_traces(scanned *s)
{
    for (size_t i = s->count; i-- > 0;)
        stele_trace_close(s->traces[i]);
    free(s->traces);
    stele_context_free(s->context);
}

const duckdb *functions_duckdb(duck_info info, const duckdb *set)
{
    static const duckdb *known;
    (void)info;
    if (set != NULL)
        known = set;
    return known;
}
