/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/spool.h"
#include "cli/temp.h"
#include "view/list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_SIZE 4096u
/* bytes of text in a chunk, before the number of the next chunk */
#define TEXT_SIZE (CHUNK_SIZE - (uint32_t)sizeof(uint64_t))

/* Makes a temporary file without a name, which disappears when it is closed. Returns NULL if
   that fails. */
static FILE *file_make(void)
{
    char path[4096];
    FILE *file;
    int fd;
    if ((size_t)snprintf(path, sizeof path, "%s/stele-XXXXXX", temp_dir()) >= sizeof path)
        return NULL;
    fd = mkstemp(path);
    if (fd < 0)
        return NULL;
    unlink(path);
    file = fdopen(fd, "w+b");
    if (file == NULL)
        close(fd);
    return file;
}

static stele_status text_make(spool *s, uint32_t text)
{
    if (text >= s->text_count) {
        spooled *texts = list_reach(s->texts, sizeof *texts, &s->text_count, text);
        if (texts == NULL)
            return STELE_ERR_MEMORY;
        s->texts = texts;
    }
    if (s->texts[text].chunk != NULL)
        return STELE_OK;
    s->texts[text].chunk = malloc(CHUNK_SIZE);
    s->texts[text].first = s->texts[text].number = s->chunk_count++;
    return s->texts[text].chunk != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

/* Writes a full chunk to the file, with the number of the next one. */
static stele_status chunk_write(spool *s, spooled *t)
{
    const uint64_t next = s->chunk_count++;
    if (s->file == NULL)
        s->file = file_make();
    if (s->file == NULL)
        return STELE_ERR_WRITE;
    memcpy(t->chunk + TEXT_SIZE, &next, sizeof next);
    if (fseeko(s->file, (off_t)(t->number * CHUNK_SIZE), SEEK_SET) != 0 ||
        fwrite(t->chunk, CHUNK_SIZE, 1, s->file) != 1)
        return STELE_ERR_WRITE;
    t->number = next;
    t->used = 0;
    return STELE_OK;
}

stele_status spool_add(spool *s, uint32_t text, const void *bytes, size_t size)
{
    const char *at = bytes;
    stele_status status = text_make(s, text);
    while (status == STELE_OK && size != 0) {
        spooled *t = &s->texts[text];
        const size_t room = TEXT_SIZE - t->used, part = size < room ? size : room;
        memcpy(t->chunk + t->used, at, part);
        t->used += (uint32_t)part;
        at += part;
        size -= part;
        if (t->used == TEXT_SIZE)
            status = chunk_write(s, t);
    }
    return status;
}

stele_status spool_write(spool *s, stele_output *out)
{
    char chunk[CHUNK_SIZE];
    for (uint32_t i = 0; i < s->text_count; i++) {
        const spooled *t = &s->texts[i];
        if (t->chunk == NULL)
            continue;
        for (uint64_t number = t->first; number != t->number;) {
            if (fseeko(s->file, (off_t)(number * CHUNK_SIZE), SEEK_SET) != 0 ||
                fread(chunk, CHUNK_SIZE, 1, s->file) != 1)
                return STELE_ERR_READ;
            stele_output_write(out, chunk, TEXT_SIZE);
            memcpy(&number, chunk + TEXT_SIZE, sizeof number);
        }
        stele_output_write(out, t->chunk, t->used);
    }
    return stele_output_status(out);
}

void spool_free(spool *s)
{
    for (uint32_t i = 0; i < s->text_count; i++)
        free(s->texts[i].chunk);
    free(s->texts);
    if (s->file != NULL)
        fclose(s->file);
}
