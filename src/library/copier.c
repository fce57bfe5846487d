/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of one or several traces that keep the bytes of the records: the copiers of
   <stele/writer.h>. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/opened_find.h"
#include "core/sized.h"
#include "formats/format.h"

struct stele_copier {
    stele_context *context;
    stele_trace **traces;
    copier **copiers; /* by trace */
    char **folders;   /* by trace; NULL: the output itself */
    bool *copied;     /* by trace: whether it is copied, and not left to the caller */
    char *version;    /* NULL: each trace's own */
    size_t count;
    loss_table losses; /* of all copiers, after they are finished */
};

static bool take_options(stele_copier_options *options, const stele_copier_options *given)
{
    return sized_take(options, sizeof *options, SIZED_FIRST(stele_copier_options, version), given);
}

bool stele_format_makes_folders(const char *name)
{
    const format *f = format_find(name);
    return f != NULL && f->target != FORMAT_TARGET_FILE;
}

bool stele_format_owns(const char *format_name, const char *name, const void *head, size_t size)
{
    const format *f = format_find(format_name);
    return f != NULL && f->owns != NULL && f->owns(NULL, name, head, size);
}

/* Whether a format can have such copies, whatever the traces are. */
static bool has_copies(const format *to, size_t count, const stele_copier_options *o)
{
    return to != NULL && to->copier != NULL && count != 0 &&
           (to->copies_as != NULL || (count == 1 && o->version == NULL && !o->is_shifted));
}

/* Whether two of the traces are parts of one. Next to each other they would be read as one trace.
 */
static bool has_parts(stele_trace *const *traces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (stele_trace_is_part(traces[i], traces[k]))
                return true;
    return false;
}

static bool is_of_format(const format *to, const stele_trace *trace)
{
    return strcmp(to->name, stele_trace_get_info(trace)->format) == 0;
}

static bool is_copied(const format *to, stele_trace *trace, const stele_copier_options *o)
{
    return is_of_format(to, trace) &&
           (to->copies_as == NULL || to->copies_as(trace, o->version, o->is_shifted));
}

bool stele_copier_is_possible(const char *name, stele_trace *const *traces, size_t count,
                              const stele_copier_options *given)
{
    const format *to = format_find(name);
    stele_copier_options o;
    if (!take_options(&o, given) || !has_copies(to, count, &o))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!is_copied(to, traces[i], &o))
            return false;
    return !has_parts(traces, count);
}

/* Finds the traces that can be copied. Returns how many they are. */
static size_t find_copied(stele_context *context, const format *to, stele_trace *const *traces,
                          size_t count, const stele_copier_options *o, bool *copied)
{
    const diag_sink told = context->diag;
    size_t copied_count = 0;
    if (!has_copies(to, count, o) || has_parts(traces, count))
        return 0;
    context->diag.fn = NULL; /* stele_copier_is_possible() has reported why */
    for (size_t i = 0; i < count; i++)
        copied_count += copied[i] = is_copied(to, traces[i], o);
    context->diag = told;
    /* A copy that is shifted counts from the common start, a trace written anew from 1970. */
    return o->is_shifted && copied_count != count ? 0 : copied_count;
}

/* ---- Folders of copies of several traces ---- */

#define FOLDER_SIZE_MAX 100

/* Makes a name for a trace from its path: "a" from "out/a/" and from "a.tar.gz". */
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

static bool is_taken(const stele_copier *c, size_t count, const char *folder)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(c->folders[i], folder) == 0)
            return true;
    return false;
}

/* Gives each trace a folder of its own; one trace alone goes to `within`, or to the output if that
   is NULL. Returns false if out of memory. */
static bool name_folders(stele_copier *c, const char *within)
{
    char word[FOLDER_SIZE_MAX + 1], folder[FOLDER_SIZE_MAX + 24];
    if (c->count == 1 && within != NULL)
        return (c->folders[0] = strdup(within)) != NULL;
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

/* ---- Copying ---- */

static stele_status open_copiers(stele_copier *c, const format *to, output *out,
                                 const stele_copier_options *options)
{
    stele_status status = STELE_OK;
    for (size_t i = 0; status == STELE_OK && i < c->count; i++) {
        if (!c->copied[i])
            continue;
        status = to->copier(c->traces[i], out, &c->copiers[i]);
        if (status != STELE_OK)
            break;
        c->copiers[i]->keeps_all = options->keeps_all;
        c->copiers[i]->renumbers = options->renumbers && !options->keeps_all;
        c->copiers[i]->version = c->version;
        c->copiers[i]->folder = c->folders[i];
    }
    return status;
}

static stele_copier *copier_make(stele_context *context, stele_trace *const *traces, size_t count,
                                 const char *version)
{
    stele_copier *c = calloc(1, sizeof *c);
    if (c == NULL)
        return NULL;
    c->context = context;
    c->count = count;
    c->traces = calloc(count, sizeof *c->traces);
    c->copiers = calloc(count, sizeof *c->copiers);
    c->folders = calloc(count, sizeof *c->folders);
    c->copied = calloc(count, sizeof *c->copied);
    c->version = version != NULL ? strdup(version) : NULL;
    if (c->traces == NULL || c->copiers == NULL || c->folders == NULL || c->copied == NULL ||
        (version != NULL && c->version == NULL)) {
        stele_copier_close(c);
        return NULL;
    }
    memcpy(c->traces, traces, count * sizeof *c->traces);
    return c;
}

/* The copier of the trace that a stream belongs to. */
static copier *copier_of(const stele_copier *c, uint32_t stream)
{
    const stele_stream *of = stele_stream_get(c->context, stream);
    for (size_t i = 0; c->count > 1 && of != NULL && i < c->count; i++)
        if (stele_trace_get_info(c->traces[i])->number == of->trace)
            return c->copiers[i];
    return c->copiers[0];
}

/* Has a copier write a record that begins what is open when the copy begins, or counts that it
   cannot. */
static stele_status begin_opened(void *user, const stele_batch *batch, const stele_event *event,
                                 uint64_t before_ns)
{
    const stele_copier *c = user;
    copier *to = copier_of(c, batch->stream);
    if (to == NULL)
        return STELE_OK;
    if (to->ops->open != NULL)
        return to->ops->open(to, batch, event, before_ns);
    losses_add(&to->losses, (stele_kind)event->kind, COPIER_NOT_BEGUN, LOSS_FORM, 1);
    return STELE_OK;
}

/* ---- Opening ---- */

/* Has a copier write the end of a span that is open when the copy ends, or counts that it cannot
   do so. */
static stele_status end_opened(void *user, const stele_batch *batch, const stele_event *event,
                               uint64_t before_ns)
{
    const stele_copier *c = user;
    copier *to = copier_of(c, batch->stream);
    (void)before_ns;
    if (to == NULL || event->kind != STELE_KIND_BEGIN)
        return STELE_OK;
    if (to->ops->end != NULL)
        return to->ops->end(to, batch, event);
    losses_add(&to->losses, STELE_KIND_END, COPIER_NOT_ENDED, LOSS_FORM, 1);
    return STELE_OK;
}

stele_status stele_copier_open(stele_context *context, output *out, const char *name,
                               stele_trace *const *traces, size_t count,
                               const stele_copier_options *given, stele_copier **result)
{
    stele_copier_options options;
    stele_copier *c;
    size_t copied_count;
    stele_status status;
    *result = NULL;
    if (!take_options(&options, given))
        return STELE_ERR_ARGUMENT;
    if (!options.leaves_others && !stele_copier_is_possible(name, traces, count, &options))
        return STELE_ERR_UNSUPPORTED;
    c = count != 0 ? copier_make(context, traces, count, options.version) : NULL;
    if (c == NULL)
        return count != 0 ? STELE_ERR_MEMORY : STELE_ERR_UNSUPPORTED;
    copied_count = find_copied(context, format_find(name), traces, count, &options, c->copied);
    status = copied_count == 0                 ? STELE_ERR_UNSUPPORTED
             : name_folders(c, options.folder) ? open_copiers(c, format_find(name), out, &options)
                                               : STELE_ERR_MEMORY;
    if (status == STELE_OK && options.cut != NULL && options.cut->begin.kind != STELE_BOUND_NONE)
        status = opened_find(context, traces, count, options.cut, true, begin_opened, c);
    if (status == STELE_OK && options.cut != NULL && options.cut->end.kind != STELE_BOUND_NONE)
        status = opened_find_at_end(context, traces, count, options.cut, end_opened, c);
    if (status != STELE_OK) {
        stele_copier_close(c);
        return status;
    }
    *result = c;
    return STELE_OK;
}

const char *stele_copier_left(const stele_copier *c, size_t trace)
{
    return trace < c->count && !c->copied[trace] ? c->folders[trace] : NULL;
}

stele_status stele_copier_keep(stele_copier *c, const stele_segment *segment)
{
    copier *to = copier_of(c, segment->batch->stream);
    stele_status status = STELE_OK;
    for (uint32_t i = 0; to != NULL && status == STELE_OK && i < segment->count; i++)
        status = to->ops->keep(to, segment->batch, &segment->batch->events[segment->first + i]);
    return status;
}

stele_status stele_copier_finish(stele_copier *c)
{
    stele_status status = STELE_OK;
    stele_loss loss = STELE_INIT(stele_loss);
    for (size_t i = 0; status == STELE_OK && i < c->count; i++) {
        if (!c->copied[i])
            continue;
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

bool stele_copier_get_loss(const stele_copier *c, size_t index, stele_loss *loss)
{
    return losses_get(&c->losses, index, loss);
}

void stele_copier_close(stele_copier *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->count; i++) {
        if (c->copiers != NULL && c->copiers[i] != NULL)
            c->copiers[i]->ops->close(c->copiers[i]);
        if (c->folders != NULL)
            free(c->folders[i]);
    }
    free(c->traces);
    free(c->copiers);
    free(c->folders);
    free(c->copied);
    free(c->version);
    free(c);
}
