/* SPDX-License-Identifier: Apache-2.0 */
/* stele ctf metadata: prints the metadata of a CTF trace, in the language of any generation. */
#include <stele/ctf.h>
#include <stele/text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/help.h"
#include "cli/show/print.h"
#include "view/list.h"

void command_CTF(cli *c)
{
    help_command(c->out, COMMAND_CTF, c->has_color);
}

/* Something that the generation cannot express, where it is first, and how often. */
typedef struct untold {
    const char *what;
    char where[64];
    uint64_t count;
} untold;

typedef struct telling {
    cli *c;
    untold *untold;
    size_t count, capacity;
    size_t text_count;
} telling;

static void keep_untold(void *user, const char *where, const char *what)
{
    telling *t = user;
    size_t i = 0;
    while (i < t->count && strcmp(t->untold[i].what, what) != 0)
        i++;
    if (i == t->capacity) {
        untold *grown = list_grow(t->untold, sizeof *grown, &t->capacity);
        if (grown == NULL) {
            cli_check(t->c, STELE_ERR_MEMORY, "metadata");
            return;
        }
        t->untold = grown;
    }
    if (i == t->count) {
        t->untold[t->count++] = (untold){.what = what};
        snprintf(t->untold[i].where, sizeof t->untold[i].where, "%s", where);
    }
    t->untold[i].count++;
}

static void write_text(void *user, const char *name, const char *text, size_t size)
{
    telling *t = user;
    if (t->text_count++ > 0)
        stele_output_byte(t->c->out, '\n');
    (void)name;
    stele_output_write(t->c->out, text, size);
}

static void add_untold(stele_output *out, const untold *u)
{
    char count[PRINT_SIZE];
    stele_output_printf(out, "not said: %s: %s", u->what, print_count(count, u->count));
    if (u->where[0] != 0) {
        stele_output_text(out, u->count > 1 ? " (first of '" : " (of '");
        stele_output_visible(out, u->where, strlen(u->where));
        stele_output_text(out, "')");
    }
    stele_output_byte(out, '\n');
}

/*
 * Prints what could not be expressed to standard error, so that the metadata itself is not changed.
 */
static void write_untold(telling *t)
{
    stele_output *text;
    const uint8_t *bytes;
    size_t size;
    if (t->count == 0 || !cli_check(t->c, stele_output_open_memory(NULL, &text), "metadata"))
        return;
    for (size_t i = 0; i < t->count; i++)
        add_untold(text, &t->untold[i]);
    bytes = stele_output_memory(text, &size);
    fwrite(bytes, 1, size, stderr);
    stele_output_close(text);
    cli_exit(t->c, EXIT_FINDINGS);
}

static stele_ctf_generation chosen(const cli *c)
{
    const char *to = option_value(&c->options, OPTION_CTF_TO);
    if (to == NULL)
        return STELE_CTF_GENERATION_SAME;
    return strcmp(to, "rfc") == 0 ? STELE_CTF_GENERATION_RFC
           : strcmp(to, "2") == 0 ? STELE_CTF_GENERATION_2
                                  : STELE_CTF_GENERATION_1;
}

static stele_ctf_alignment alignment(const cli *c)
{
    const char *how = option_value(&c->options, OPTION_RFC_ALIGNMENT);
    return how == NULL                     ? STELE_CTF_NATURAL_64
           : strcmp(how, "natural32") == 0 ? STELE_CTF_NATURAL_32
           : strcmp(how, "packed") == 0    ? STELE_CTF_PACKED
                                           : STELE_CTF_NATURAL_64;
}

#define KEY_MAX 32

/* Reads the key of --key-file, which is the whole file. If it cannot be a key, reports it and
   returns false. */
static bool read_key(cli *c, uint8_t key[KEY_MAX + 1], size_t *size)
{
    const char *path = option_value(&c->options, OPTION_KEY_FILE);
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    *size = 0;
    if (path == NULL)
        return true;
    if (file != NULL) {
        *size = fread(key, 1, KEY_MAX + 1, file);
        fclose(file);
    }
    return *size == 16 || *size == 24 || *size == 32 ||
           cli_usage(c, "--key-file takes a file of 16, 24 or 32 bytes, not '%s'", path);
}

void command_CTF_METADATA(cli *c)
{
    const char *path = c->options.arguments[0];
    telling t = {.c = c};
    uint8_t key[KEY_MAX + 1];
    stele_ctf_translation translation = {.to = chosen(c),
                                         .text = write_text,
                                         .lose = keep_untold,
                                         .user = &t,
                                         .alignment = alignment(c),
                                         .key = key};
    if (!read_key(c, key, &translation.key_size))
        return;
    cli_check(c, stele_ctf_translate(c->context, path, &translation), path);
    cli_conclude(c, path, NULL);
    write_untold(&t);
    free(t.untold);
}
