/* SPDX-License-Identifier: Apache-2.0 */
/* Holds the formats of formats.def, and opens their outputs and writers. */
#include <stdio.h>
#include <string.h>

#include "core/path.h"
#include "core/sized.h"
#include "formats/format.h"

#define STELE_FORMAT(name) extern const format format_##name;
#include "formats/formats.def"
#undef STELE_FORMAT

/* The NULL at the end keeps this an array even when no format is built in. */
static const format *const formats[] = {
#define STELE_FORMAT(name) &format_##name,
#include "formats/formats.def"
#undef STELE_FORMAT
    NULL};

size_t format_count(void)
{
    return sizeof formats / sizeof *formats - 1;
}

const format *format_at(size_t index)
{
    return index < format_count() ? formats[index] : NULL;
}

const format *format_find(const char *name)
{
    for (size_t i = 0; i < format_count(); i++) {
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    }
    return NULL;
}

/* Whether a path ends with the format's name, as those of folders do, which have no extension of
   their own: "run.ctf". What is packed is no folder. */
static bool is_folder_name(const char *path, const format *f)
{
    char extension[32];
    snprintf(extension, sizeof extension, ".%s", f->name);
    return f->target != FORMAT_TARGET_FILE && path_packing(path) == NULL &&
           path_has_extension(path, extension);
}

const format *format_by_name(const char *path)
{
    const format *found = NULL;
    for (size_t i = 0; i < format_count(); i++) {
        if (!path_has_extension(path, formats[i]->extensions) && !is_folder_name(path, formats[i]))
            continue;
        if (found != NULL)
            return NULL;
        found = formats[i];
    }
    return found;
}

bool stele_format_get(size_t index, stele_format_info *info)
{
    const format *f = format_at(index);
    stele_format_info own;
    if (f == NULL)
        return false;
    own = (stele_format_info){
        .name = f->name,
        .title = f->title,
        .extensions = f->extensions,
        .settings = f->settings != NULL ? f->settings : "",
        .can_read = f->ops != NULL,
        .can_write = f->writer != NULL,
        .can_copy = f->copier != NULL,
        .links_tracks = f->links_tracks,
        .read_kinds = f->read_kinds != 0 ? f->read_kinds : STELE_KINDS_ALL,
        .written_kinds = f->written_kinds != 0 ? f->written_kinds : STELE_KINDS_ALL,
        .versions = f->versions != NULL ? f->versions : "",
        .write_settings = f->writer_settings != NULL ? f->writer_settings : ""};
    sized_give(info, &own, sizeof own, SIZED_FIRST(stele_format_info, can_copy));
    return true;
}

bool stele_format_find(const char *name, stele_format_info *info)
{
    for (size_t i = 0; i < format_count(); i++) {
        if (strcmp(formats[i]->name, name) == 0)
            return stele_format_get(i, info);
    }
    return false;
}

const char *stele_format_for_path(const char *path)
{
    const format *found = format_by_name(path);
    return found != NULL ? found->name : NULL;
}

stele_status format_output_open(const format *f, diag_sink *diag, const char *path,
                                const stele_output_options *options, output **out)
{
    stele_status status;
    const bool is_file = f->target == FORMAT_TARGET_FILE ||
                         (f->target == FORMAT_TARGET_EITHER &&
                          (strcmp(path, "-") == 0 || path_has_extension(path, f->extensions)));
    if (!is_file && strcmp(path, "-") == 0) {
        diag_report(diag, &core_codes[STE009], path, STELE_NO_OFFSET, 0, "the path of a directory",
                    "standard output, which cannot take the files that %s writes", f->name);
        return STELE_ERR_ARGUMENT;
    }
    if (is_file)
        return output_open(diag, path, options->replace, out);
    status = output_open_folder(diag, path, options->replace, out);
    if (status == STELE_OK) {
        status =
            output_own(*out, options->owns != NULL ? options->owns : f->owns, options->owns_user);
        if (status != STELE_OK)
            output_close(*out);
    }
    return status;
}

stele_status format_writer_open(const format *f, stele_context *context, output *out,
                                const stele_writer_options *options, stele_writer **writer)
{
    const char *known = f->writer_settings != NULL ? f->writer_settings : "";
    *writer = NULL;
    for (size_t i = 0; i < options->setting_count; i++) {
        if (format_has_word(known, options->settings[i].key))
            continue;
        diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                    *known != '\0' ? known : "no setting",
                    "%s, which the writer of %s does not know", options->settings[i].key, f->name);
        return STELE_ERR_ARGUMENT;
    }
    return f->writer(context, out, options, writer);
}
