/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modules of the page as one script. Browsers load no modules from files, so a page that is
 * opened without a server has this script instead. Each module becomes a function:
 *
 *     const module_axis = (() => { const {fit} = module_draw; ... return {Axis}; })();
 *
 * The modules have to be written as those of the page are: each import is one line, from
 * './NAME.js', and an export is declared where it is exported.
 */
#include <string.h>

#include "view/view.h"

#define MODULES_MAX 64u
#define DEPTH_MAX   32u

typedef struct bundle {
    stele_output *out;
    const view_file *written[MODULES_MAX];
    size_t count;
} bundle;

/* A line of a module, without the line feed at its end. */
typedef struct line {
    const char *text;
    size_t size;
} line;

static bool next_line(const view_file *file, size_t *at, line *l)
{
    const char *text = (const char *)file->bytes + *at;
    const char *end = *at < file->size ? memchr(text, '\n', file->size - *at) : NULL;
    if (*at >= file->size)
        return false;
    *l = (line){text, end != NULL ? (size_t)(end - text) : file->size - *at};
    *at += l->size + 1;
    return true;
}

static bool begins(const line *l, const char *word)
{
    const size_t size = strlen(word);
    return l->size >= size && memcmp(l->text, word, size) == 0;
}

/* Takes an import apart, as "import {A, B} from './x.js';": sets `names` to the names in the
   braces and returns the module. */
static const view_file *find_import(const line *l, line *names)
{
    const char *open, *close, *from, *end;
    char name[64];
    if (!begins(l, "import {"))
        return NULL;
    open = l->text + strlen("import {");
    close = memchr(open, '}', (size_t)(l->text + l->size - open));
    from = close != NULL ? memchr(close, '/', (size_t)(l->text + l->size - close)) : NULL;
    end = from != NULL ? memchr(from, '\'', (size_t)(l->text + l->size - from)) : NULL;
    if (end == NULL || (size_t)(end - from) > sizeof name)
        return NULL;
    memcpy(name, from + 1, (size_t)(end - from - 1));
    name[end - from - 1] = 0;
    *names = (line){open, (size_t)(close - open)};
    return view_file_find(name);
}

/* Writes the name of the variable that holds a module: "axis.js" is "module_axis". */
static void put_module_name(stele_output *out, const view_file *file)
{
    stele_output_text(out, "module_");
    stele_output_write(out, file->name, strcspn(file->name, "."));
}

/* Writes the statement that returns the names which other modules import from this one. */
static void put_exports(stele_output *out, const view_file *file)
{
    stele_output_text(out, "return {");
    for (size_t i = 0; i < view_file_count; i++) {
        line l, names;
        size_t at = 0;
        while (next_line(&view_files[i], &at, &l)) {
            if (find_import(&l, &names) != file)
                continue;
            stele_output_write(out, names.text, names.size);
            stele_output_text(out, ", ");
        }
    }
    stele_output_text(out, "};\n");
}

static bool is_written(const bundle *b, const view_file *file)
{
    for (size_t i = 0; i < b->count; i++) {
        if (b->written[i] == file)
            return true;
    }
    return false;
}

/* Writes a module after the modules that it imports. */
static void put_module(bundle *b, const view_file *file, unsigned depth)
{
    line l, names;
    size_t at = 0;
    if (file == NULL || depth == DEPTH_MAX || b->count == MODULES_MAX || is_written(b, file))
        return;
    while (next_line(file, &at, &l))
        put_module(b, find_import(&l, &names), depth + 1);
    b->written[b->count++] = file;
    stele_output_text(b->out, "const ");
    put_module_name(b->out, file);
    stele_output_text(b->out, " = (() => {\n");
    for (at = 0; next_line(file, &at, &l);) {
        const view_file *from = find_import(&l, &names);
        const size_t skipped = begins(&l, "export ") ? strlen("export ") : 0;
        if (from != NULL) {
            stele_output_text(b->out, "const {");
            stele_output_write(b->out, names.text, names.size);
            stele_output_text(b->out, "} = ");
            put_module_name(b->out, from);
            stele_output_text(b->out, ";\n");
            continue;
        }
        stele_output_write(b->out, l.text + skipped, l.size - skipped);
        stele_output_byte(b->out, '\n');
    }
    put_exports(b->out, file);
    stele_output_text(b->out, "})();\n");
}

void view_put_script(stele_output *out, const char *name)
{
    bundle b = {.out = out};
    stele_output_text(out, "'use strict';\n");
    put_module(&b, view_file_find(name), 0);
}
