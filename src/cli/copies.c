/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/copies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/path.h"

bool copies_are_possible(const format *to, stele_trace *const *traces, size_t count,
                         const char *version, bool is_shifted)
{
    if (to->copier == NULL ||
        (to->copies_as == NULL && (count != 1 || version != NULL || is_shifted)))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(to->name, stele_trace_get_info(traces[i])->format) != 0 ||
            (to->copies_as != NULL && !to->copies_as(traces[i], version, is_shifted)))
            return false;
        for (size_t k = 0; k < i; k++) /* side by side they would be read as one */
            if (stele_trace_is_part(traces[i], traces[k]))
                return false;
    }
    return count != 0;
}

/* ---- Folders ---- */

#define FOLDER_SIZE_MAX 100

/* What a trace is called: "out/a/" and "a.tar.gz" are "a". */
static void folder_word(const char *path, char *word)
{
    size_t size = strcspn(path, " "), first, length;
    while (size > 1 && path[size - 1] == '/')
        size--;
    first = size;
    while (first > 0 && path[first - 1] != '/')
        first--;
    length = strcspn(path + first, ".");
    if (length > size - first)
        length = size - first;
    if (length == 0 || length > FOLDER_SIZE_MAX || path[first] == '-')
        snprintf(word, FOLDER_SIZE_MAX + 1, "trace");
    else
        snprintf(word, FOLDER_SIZE_MAX + 1, "%.*s", (int)length, path + first);
}

static bool is_taken(const copies *c, size_t count, const char *folder)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(c->folders[i], folder) == 0)
            return true;
    return false;
}

/* A name of its own for each trace. False: out of memory. */
static bool name_folders(copies *c)
{
    char word[FOLDER_SIZE_MAX + 1], folder[FOLDER_SIZE_MAX + 24];
    for (size_t i = 0; c->count > 1 && i < c->count; i++) {
        folder_word(stele_trace_get_info(c->traces[i])->path, word);
        snprintf(folder, sizeof folder, "%s", word);
        for (unsigned number = 2; is_taken(c, i, folder); number++)
            snprintf(folder, sizeof folder, "%s-%u", word, number);
        c->folders[i] = strdup(folder);
        if (c->folders[i] == NULL)
            return false;
    }
    return true;
}

/* ---- Copies ---- */

stele_status copies_open(copies *c, stele_context *context, const format *to,
                         stele_trace *const *traces, size_t count, output *out, const char *version,
                         bool keeps_all)
{
    stele_status status = STELE_OK;
    *c = (copies){.context = context, .traces = traces, .count = count};
    c->copiers = calloc(count, sizeof *c->copiers);
    c->folders = calloc(count, sizeof *c->folders);
    if (c->copiers == NULL || c->folders == NULL || !name_folders(c))
        return STELE_ERR_MEMORY;
    for (size_t i = 0; status == STELE_OK && i < count; i++) {
        status = to->copier(traces[i], out, &c->copiers[i]);
        if (status != STELE_OK)
            break;
        c->copiers[i]->keeps_all = keeps_all;
        c->copiers[i]->version = version;
        c->copiers[i]->folder = c->folders[i];
    }
    if (status == STELE_ERR_UNSUPPORTED)
        copies_close(c);
    return status;
}

/* Of the trace that a stream is of. */
static copier *copier_of(const copies *c, uint32_t stream)
{
    const stele_stream *of = stele_stream_get(c->context, stream);
    for (size_t i = 0; c->count > 1 && of != NULL && i < c->count; i++)
        if (stele_trace_get_info(c->traces[i])->number == of->trace)
            return c->copiers[i];
    return c->copiers[0];
}

stele_status copies_keep(copies *c, const stele_segment *segment)
{
    copier *to = copier_of(c, segment->batch->stream);
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++)
        status = to->ops->keep(to, segment->batch, &segment->batch->events[segment->first + i]);
    return status;
}

stele_status copies_finish(copies *c)
{
    stele_status status = STELE_OK;
    stele_loss loss = STELE_INIT(stele_loss);
    for (size_t i = 0; status == STELE_OK && i < c->count; i++) {
        status = c->copiers[i]->ops->finish(c->copiers[i]);
        for (size_t k = 0; losses_get(&c->copiers[i]->losses, k, &loss); k++)
            losses_add(&c->losses, loss.kind, loss.what,
                       loss.is_form      ? LOSS_FORM
                       : loss.is_dropped ? LOSS_DROPPED
                                         : LOSS_CHANGED,
                       loss.count);
    }
    return status;
}

void copies_close(copies *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->copiers != NULL && c->copiers[i] != NULL)
            c->copiers[i]->ops->close(c->copiers[i]);
        if (c->folders != NULL)
            free(c->folders[i]);
    }
    free(c->copiers);
    free(c->folders);
    *c = (copies){.count = 0};
}
