/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of <stele/output.h> and <stele/text.h>. */
#include <stele/output.h>
#include <stele/text.h>

#include <stdarg.h>
#include <stdlib.h>

#include "core/output.h"
#include "core/sized.h"
#include "core/text.h"

/* ---- Opening outputs ---- */

stele_status output_take_options(const stele_output_options *given, stele_output_options *options,
                                 diag_sink **diag)
{
    *diag = NULL;
    if (!sized_take(options, sizeof *options, SIZED_FIRST(stele_output_options, go_on_user), given))
        return STELE_ERR_ARGUMENT;
    *diag = calloc(1, sizeof **diag);
    if (*diag == NULL)
        return STELE_ERR_MEMORY;
    **diag = (diag_sink){.fn = options->diag,
                         .user = options->diag_user,
                         .go_on = options->go_on,
                         .go_on_user = options->go_on_user};
    return STELE_OK;
}

stele_status output_keep_diag(stele_status status, diag_sink *diag, output **out)
{
    if (status == STELE_OK) {
        (*out)->own_diag = diag;
        return STELE_OK;
    }
    free(diag);
    *out = NULL;
    return status;
}

stele_status stele_output_open(const char *path, const stele_output_options *given, output **out)
{
    stele_output_options options;
    diag_sink *diag;
    stele_status status = output_take_options(given, &options, &diag);
    if (status == STELE_OK)
        status = output_open(diag, path, options.replace, out);
    return output_keep_diag(status, diag, out);
}

stele_status stele_output_open_memory(const stele_output_options *given, output **out)
{
    stele_output_options options;
    diag_sink *diag;
    stele_status status = output_take_options(given, &options, &diag);
    if (status == STELE_OK)
        status = output_open_memory(diag, out);
    return output_keep_diag(status, diag, out);
}

stele_status stele_output_open_folder(const char *path, const stele_output_options *given,
                                      output **out)
{
    stele_output_options options;
    diag_sink *diag;
    stele_status status = output_take_options(given, &options, &diag);
    if (status == STELE_OK)
        status = output_open_folder(diag, path, options.replace, out);
    if (status == STELE_OK) {
        status = output_own(*out, options.owns, options.owns_user);
        if (status != STELE_OK)
            output_close(*out);
    }
    return output_keep_diag(status, diag, out);
}

stele_status stele_output_add(output *out, const char *name, output **member)
{
    return output_add(out, name, member);
}

stele_status stele_output_add_folder(output *out, const char *name, output **folder)
{
    return output_add_folder(out, name, folder);
}

const uint8_t *stele_output_memory(const output *out, size_t *size)
{
    return output_memory(out, size);
}

void stele_output_clear(output *out)
{
    output_clear(out);
}

stele_status stele_output_flush(output *out)
{
    return output_flush(out);
}

stele_status stele_output_seal(output *out)
{
    return output_seal(out);
}

stele_status stele_output_finish(output *out)
{
    return output_finish(out);
}

void stele_output_close(output *out)
{
    if (out != NULL)
        output_close(out);
}

/* ---- Appending to outputs ---- */

stele_status stele_output_status(const output *out)
{
    return out->status;
}

void stele_output_fail(output *out, stele_status status)
{
    if (out->status == STELE_OK)
        out->status = status;
}

uint64_t stele_output_offset(const output *out)
{
    return output_offset(out);
}

void stele_output_write(output *out, const void *bytes, size_t size)
{
    output_write(out, bytes, size);
}

void stele_output_text(output *out, const char *text)
{
    output_text(out, text);
}

void stele_output_byte(output *out, uint8_t byte)
{
    output_byte(out, byte);
}

void stele_output_printf(output *out, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    output_vprintf(out, format, list);
    va_end(list);
}

void stele_output_visible(output *out, const void *bytes, size_t size)
{
    text_visible(out, bytes, size);
}

void stele_output_plain(output *out, const void *bytes, size_t size, const char *ends)
{
    text_plain(out, bytes, size, ends);
}

void stele_output_json(output *out, const void *bytes, size_t size)
{
    text_json(out, bytes, size);
}

void stele_output_csv(output *out, const void *bytes, size_t size)
{
    text_csv(out, bytes, size);
}

/* ---- Times and characters as text ---- */

static size_t give_text(const char *text, size_t length, char *to, size_t size)
{
    if (size == 0)
        return 0;
    if (length > size - 1)
        length = size - 1;
    memcpy(to, text, length);
    to[length] = '\0';
    return length;
}

size_t stele_seconds(int64_t ns, char *to, size_t size)
{
    char text[TEXT_WALL_SIZE];
    return give_text(text, (size_t)(text_seconds(text, ns) - text), to, size);
}

size_t stele_wall_time(int64_t ns, char *to, size_t size)
{
    char text[TEXT_WALL_SIZE];
    return give_text(text, (size_t)(text_wall(text, ns) - text), to, size);
}

size_t stele_character(const char *text, size_t size, bool *is_control)
{
    const uint8_t *at = (const uint8_t *)text;
    const size_t length = text_utf8_length(at, size);
    *is_control = text_is_control(at, length);
    return length;
}
