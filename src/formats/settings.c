/* SPDX-License-Identifier: Apache-2.0 */
/* Tells which settings formats take and what they can do, and refuses what they cannot. */
#include <string.h>

#include "formats/format.h"

const char *format_setting(const stele_trace_options *options, const char *key)
{
    for (size_t i = options->setting_count; i-- > 0;) {
        if (strcmp(options->settings[i].key, key) == 0)
            return options->settings[i].value;
    }
    return NULL;
}

stele_status format_refuse(stele_context *context, const source *from, const stele_setting *setting,
                           const char *expected)
{
    diag_report(&context->diag, &core_codes[STE009], source_path(from), STELE_NO_OFFSET, 0,
                expected, "'%s' for %s", setting->value, setting->key);
    return STELE_ERR_ARGUMENT;
}

bool format_has_word(const char *words, const char *word)
{
    const size_t size = strlen(word);
    for (const char *at = words; *at != '\0'; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length == size && memcmp(at, word, size) == 0)
            return true;
        at += length;
    }
    return false;
}

stele_status format_check_settings(stele_context *context, const source *from, const format *f,
                                   const stele_trace_options *options)
{
    const char *known = f->settings != NULL ? f->settings : "";
    for (size_t i = 0; i < options->setting_count; i++) {
        const stele_setting *setting = &options->settings[i];
        if (format_has_word(known, setting->key))
            continue;
        diag_report(&context->diag, &core_codes[STE009], source_path(from), STELE_NO_OFFSET, 0,
                    *known != '\0' ? known : "no setting", "%s, which %s does not know",
                    setting->key, f->name);
        return STELE_ERR_ARGUMENT;
    }
    return STELE_OK;
}

stele_status format_refuse_set(const stele_trace *trace)
{
    diag_report(&trace->context->diag, &core_codes[STE002], source_path(trace->source),
                STELE_NO_OFFSET, 0, "one file", "%zu files: name them, not what they are in",
                source_member_count(trace->source));
    return STELE_ERR_FORMAT;
}

stele_status format_dump(stele_trace *trace, const dump_request *request)
{
    if (trace->format->dump != NULL)
        return trace->format->dump(trace, request);
    diag_report(&trace->context->diag, &core_codes[STE009], trace->info.path, STELE_NO_OFFSET, 0,
                "a format whose records can be shown", "%s", trace->format->title);
    return STELE_ERR_UNSUPPORTED;
}
