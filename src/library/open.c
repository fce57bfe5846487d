/* SPDX-License-Identifier: Apache-2.0 */
/* Opens writers and outputs by the name of a format or a sink. */
#include <string.h>

#include "core/sized.h"
#include "formats/format.h"
#include "sinks/sink.h"

/* What a name was found to be: a format or a sink; the other is NULL. */
typedef struct target {
    const format *format;
    const sink_entry *sink;
} target;

static stele_status target_find(diag_sink *diag, const char *path, const char *name, target *to)
{
    const format *found = format_find(name);
    const bool is_writable = found != NULL && found->writer != NULL;
    *to = (target){.format = is_writable ? found : NULL,
                   .sink = found == NULL ? sink_find(name) : NULL};
    if (is_writable || to->sink != NULL)
        return STELE_OK;
    diag_report(diag, &core_codes[STE009], path, STELE_NO_OFFSET, 0, "a format that can be written",
                "'%s'%s", name, found == NULL ? ", which is none" : ", which can only be read");
    return STELE_ERR_FORMAT;
}

static stele_status target_output(const target *to, diag_sink *diag, const char *path,
                                  const stele_output_options *options, output **out)
{
    return to->format != NULL ? format_output_open(to->format, diag, path, options, out)
                              : output_open(diag, path, options->replace, out);
}

/* Gives the events that the program makes a stream with the clock of the options. */
static stele_status add_clock(stele_context *context, const stele_writer_options *options)
{
    if (options->clock == NULL)
        return STELE_OK;
    if (stele_stream_count(context) != 0) {
        diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                    "a clock for a context without streams", "one whose streams have their own");
        return STELE_ERR_ARGUMENT;
    }
    return context_add_stream(context, &(stele_stream){.clock = *options->clock}) != UINT32_MAX
               ? STELE_OK
               : STELE_ERR_MEMORY;
}

static stele_status target_writer(const target *to, stele_context *context, output *out,
                                  const stele_writer_options *options, stele_writer **writer)
{
    const stele_status status = add_clock(context, options);
    if (status != STELE_OK)
        return status;
    return to->format != NULL ? format_writer_open(to->format, context, out, options, writer)
                              : sink_writer_open(to->sink, context, out, options, writer);
}

/* Whether the output is of the kind that the target writes to. Formats that make either files or
   folders find out themselves whether they can add files. */
static bool target_fits(const target *to, diag_sink *diag, const output *out)
{
    const bool needs_folder = to->format != NULL && to->format->target == FORMAT_TARGET_FOLDER;
    const bool is_either = to->format != NULL && to->format->target == FORMAT_TARGET_EITHER;
    if (is_either || out->is_folder == needs_folder)
        return true;
    diag_report(diag, &core_codes[STE009], out->path, STELE_NO_OFFSET, 0,
                needs_folder ? "an output that is a folder" : "an output that is a file", "%s",
                out->is_folder ? "a folder" : "a file, or bytes in memory");
    return false;
}

static bool take_options(stele_writer_options *options, const stele_writer_options *given)
{
    return sized_take(options, sizeof *options, SIZED_FIRST(stele_writer_options, setting_count),
                      given);
}

stele_status stele_writer_open(stele_context *context, const char *path, const char *name,
                               const stele_writer_options *given, stele_writer **writer)
{
    stele_writer_options options;
    target to;
    output *out;
    stele_status status = target_find(&context->diag, path, name, &to);
    *writer = NULL;
    if (status != STELE_OK)
        return status;
    if (!take_options(&options, given))
        return STELE_ERR_ARGUMENT;
    status = target_output(&to, &context->diag, path,
                           &(stele_output_options){.replace = options.replace}, &out);
    if (status != STELE_OK)
        return status;
    status = target_writer(&to, context, out, &options, writer);
    if (status != STELE_OK) {
        output_close(out);
        return status;
    }
    (*writer)->owns_output = true;
    return STELE_OK;
}

stele_status stele_writer_open_output(stele_context *context, output *out, const char *name,
                                      const stele_writer_options *given, stele_writer **writer)
{
    stele_writer_options options;
    target to;
    stele_status status = target_find(&context->diag, NULL, name, &to);
    *writer = NULL;
    if (status != STELE_OK)
        return status;
    if (!take_options(&options, given))
        return STELE_ERR_ARGUMENT;
    if (!target_fits(&to, &context->diag, out))
        return STELE_ERR_UNSUPPORTED;
    status = target_writer(&to, context, out, &options, writer);
    if (status == STELE_OK)
        (*writer)->owns_output = false;
    return status;
}

stele_status stele_output_open_for(const char *path, const char *name,
                                   const stele_output_options *given, output **out)
{
    stele_output_options options;
    diag_sink *diag;
    stele_status status = output_take_options(given, &options, &diag);
    const format *f = format_find(name);
    const target to = {.format = f, .sink = f == NULL ? sink_find(name) : NULL};
    if (status == STELE_OK)
        status = f != NULL || to.sink != NULL
                     ? target_output(&to, diag, path, &options, out)
                     : target_find(diag, path, name, &(target){NULL, NULL});
    return output_keep_diag(status, diag, out);
}

void stele_writer_add_trace_losses(stele_writer *writer, const stele_trace *trace)
{
    const format *from = trace->format;
    if (from->lose_trace != NULL)
        from->lose_trace(writer, trace);
}
