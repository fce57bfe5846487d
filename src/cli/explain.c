/* SPDX-License-Identifier: Apache-2.0 */
/* stele explain: prints what the code of a finding means. */
#include <ctype.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define WIDTH 80

static const char *code_word(const void *user, size_t index)
{
    const stele_code *code = stele_code_get(index);
    (void)user;
    return code != NULL ? code->code : NULL;
}

static void list_codes(cli *c)
{
    const stele_code *code;
    for (size_t i = 0; (code = stele_code_get(i)) != NULL; i++) {
        print_color(c->out, c->has_color, COLOR_BOLD);
        print_padded(c->out, code->code, 8);
        print_color(c->out, c->has_color, COLOR_NONE);
        print_padded(c->out, stele_severity_text(code->severity), 9);
        stele_output_printf(c->out, "%s\n", code->title);
    }
}

static void write_part(cli *c, const char *title, const char *text)
{
    print_color(c->out, c->has_color, COLOR_DIM);
    print_padded(c->out, title, 16);
    print_color(c->out, c->has_color, COLOR_NONE);
    print_wrapped(c->out, text, 16, 16, WIDTH);
}

static void explain(cli *c, const stele_code *code)
{
    print_color(c->out, c->has_color, COLOR_BOLD);
    stele_output_printf(c->out, "%s: %s", code->code, code->title);
    print_color(c->out, c->has_color, COLOR_NONE);
    stele_output_printf(c->out, " (%s)\n\n", stele_severity_text(code->severity));
    write_part(c, "Why it matters", code->why);
    write_part(c, "How to mend it", code->mend);
}

/* Explains a code, which may be in lower case, such as "fxt012". */
static void explain_text(cli *c, const char *text)
{
    char wanted[16];
    size_t size = 0;
    const stele_code *code;
    const char *nearest;
    for (; text[size] != 0 && size < sizeof wanted - 1; size++)
        wanted[size] = (char)toupper((unsigned char)text[size]);
    wanted[size] = 0;
    for (size_t i = 0; (code = stele_code_get(i)) != NULL; i++) {
        if (strcmp(code->code, wanted) == 0) {
            explain(c, code);
            return;
        }
    }
    nearest = word_nearest(wanted, code_word, NULL);
    if (nearest != NULL)
        cli_usage(c, "no code '%s'; did you mean '%s'? 'stele explain --list' lists all", text,
                  nearest);
    else
        cli_usage(c, "no code '%s'; 'stele explain --list' lists all", text);
}

void command_EXPLAIN(cli *c)
{
    const options *o = &c->options;
    if (option_given(o, OPTION_LIST))
        list_codes(c);
    else if (o->argument_count == 0)
        cli_usage(c, "no CODE given; 'stele explain --list' lists all");
    for (size_t i = 0; i < o->argument_count; i++) {
        if (i > 0)
            stele_output_byte(c->out, '\n');
        explain_text(c, o->arguments[i]);
    }
}
