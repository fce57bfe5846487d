/* SPDX-License-Identifier: Apache-2.0 */
/* stele report: writes the most important facts about a trace, or about two, as one page that
   can be mailed. */
#include <stdlib.h>
#include <string.h>

#include "cli/calling.h"
#include "cli/page/page.h"

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static bool path_fits(cli *c, const char *path)
{
    static const char *const ends[] = {".html", ".htm", ".html.gz", ".html.zst"};
    if (path == NULL && c->is_screen)
        return cli_usage(c, "name the page with -o FILE.html");
    if (path == NULL || strcmp(path, "-") == 0)
        return true;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        if (ends_with(path, ends[i]))
            return true;
    }
    return cli_usage(c, "'%s': a report is written as .html", path);
}

/* Compares the names of both traces, if there are two. */
static bool compare(page *p)
{
    bool is_fine;
    if (p->side_count != 2)
        return true;
    is_fine = cli_check(p->c,
                        stele_profile_compare_runs(p->c->context, &p->sides[0].d.profile, 1,
                                                   &p->sides[1].d.profile, 1, NULL, &p->changes,
                                                   &p->change_count, &p->whole),
                        "report");
    /* Comparing sorts the rows of both profiles by name. */
    for (unsigned i = 0; is_fine && i < p->side_count; i++) {
        digest *d = &p->sides[i].d;
        is_fine = cli_check(
            p->c, stele_profile_rows(d->profile, STELE_PROFILE_BY_SELF, &d->rows, &d->row_count),
            "report");
    }
    return is_fine;
}

static void show(page *p, const char *path)
{
    cli *c = p->c;
    if (!compare(p) || !calling_output(c, path, &p->out))
        return;
    page_write(p);
    calling_output_end(c, path, p->out);
    if (path != NULL && strcmp(path, "-") != 0 && c->worst != EXIT_UNWRITABLE)
        stele_output_printf(c->out, "%s\n", path);
}

void command_REPORT(cli *c)
{
    const char *path = option_value(&c->options, OPTION_OUTPUT);
    page *p;
    bool is_fine;
    if (!path_fits(c, path) || !joined_make(c))
        return;
    p = calloc(1, sizeof *p);
    if (!cli_check(c, p != NULL ? STELE_OK : STELE_ERR_MEMORY, "report"))
        return;
    p->c = c;
    p->side_count = (unsigned)c->options.argument_count;
    is_fine = page_gather(p, 0) && (p->side_count == 1 || page_gather(p, 1));
    if (is_fine)
        show(p, path);
    free(p->changes);
    for (unsigned i = p->side_count; i-- > 0;)
        page_side_free(&p->sides[i]);
    free(p);
}
