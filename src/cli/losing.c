/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/losing.h"

#include <stdio.h>

#include "cli/show/print.h"

bool losses_are_some(loss_fn *next, const void *from)
{
    stele_loss loss = STELE_INIT(stele_loss);
    for (size_t i = 0; next(from, i, &loss); i++)
        if (!loss.is_form)
            return true;
    return false;
}

void losses_show(cli *c, const char *target, loss_fn *next, const void *from)
{
    const bool are_some = losses_are_some(next, from);
    stele_loss loss = STELE_INIT(stele_loss);
    char text[PRINT_SIZE];
    if (!next(from, 0, &loss))
        return;
    if (are_some)
        cli_exit(c, EXIT_FINDINGS);
    progress_clear(&c->progress);
    fprintf(stderr, "What %s %s:\n%12s  %-12s  %s\n", target,
            are_some ? "cannot carry" : "has in another form", "count", "kind", "what");
    for (size_t i = 0; next(from, i, &loss); i++)
        fprintf(stderr, "%12s  %-12s  %s: %s\n", print_count(text, loss.count),
                loss.kind != STELE_KIND_NONE ? stele_kind_text(loss.kind) : "any",
                loss.is_dropped ? "dropped"
                : loss.is_form  ? "form"
                                : "changed",
                loss.what);
}
