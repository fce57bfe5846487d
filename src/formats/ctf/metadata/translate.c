/* SPDX-License-Identifier: Apache-2.0 */
/* Translates metadata of one generation to another, and counts what the other cannot express. */
#include <stele/ctf.h>

#include <string.h>

#include "core/path.h"
#include "core/source.h"
#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/rfc/rfc_crypto.h"
#include "model/context.h"

static void keep_loss(void *user, ctf_text where, const char *what)
{
    const stele_ctf_translation *translation = user;
    if (translation->lose != NULL)
        translation->lose(translation->user, where.bytes != NULL ? where.bytes : "", what);
}

static stele_status print_schema(stele_context *context, const ctf_schema *schema, const char *name,
                                 const stele_ctf_translation *translation)
{
    static void (*const printers[])(schema_printer *) = {
        [CTF_RFC] = print_rfc, [CTF_1] = print_tsdl, [CTF_2] = print_json};
    const unsigned to = translation->to == STELE_CTF_GENERATION_SAME ? (unsigned)schema->generation
                                                                     : (unsigned)translation->to;
    schema_printer printer = {
        .schema = schema, .lose = keep_loss, .user = (void *)(uintptr_t)translation};
    stele_status status = output_open_memory(&context->diag, &printer.out);
    if (status != STELE_OK)
        return status;
    printers[to](&printer);
    status = output_flush(printer.out);
    if (status == STELE_OK) {
        size_t size;
        const uint8_t *text = output_memory(printer.out, &size);
        translation->text(translation->user, name, (const char *)text, size);
    }
    output_close(printer.out);
    return status;
}

static stele_status translate_input(stele_context *context, input *in,
                                    const stele_ctf_translation *translation)
{
    metadata m;
    ctf_schema schema = {.length_unit = 1};
    const rfc_options options = {.packing = (stele_ctf_alignment)translation->alignment,
                                 .key = translation->key,
                                 .key_size = translation->key_size};
    stele_status status = metadata_read_rfc(&m, &context->diag, &context->limits, in, &options);
    if (status == STELE_OK)
        metadata_keep_input(&m, in);
    if (status == STELE_OK && !metadata_parse(&m, &schema))
        status = m.error_count != 0 ? STELE_ERR_DAMAGED : STELE_ERR_MEMORY;
    metadata_forget_text(&m);
    if (status == STELE_OK)
        status = print_schema(context, &schema, in->name, translation);
    schema_free(&schema);
    metadata_free(&m);
    return status;
}

/* Translates all files called "metadata". Errors in one do not prevent the others from being
   translated. */
static stele_status translate_members(stele_context *context, source *s,
                                      const stele_ctf_translation *translation)
{
    stele_status worst = STELE_OK;
    bool has_some = false;
    for (size_t i = 0; i < source_member_count(s) && worst != STELE_ERR_MEMORY; i++) {
        input *in;
        stele_status status;
        if (strcmp(path_base(source_member_at(s, i)->name), "metadata") != 0)
            continue;
        has_some = true;
        status = source_open_member(s, i, &in);
        if (status == STELE_OK) {
            status = translate_input(context, in, translation);
            input_close(in);
        }
        if (status != STELE_OK)
            worst = status;
    }
    if (has_some)
        return worst;
    diag_report(&context->diag, &ctf_codes[CTF001], source_path(s), STELE_NO_OFFSET, 0,
                "a file called metadata", "none");
    return STELE_ERR_FORMAT;
}

stele_status stele_ctf_translate(stele_context *context, const char *path,
                                 const stele_ctf_translation *translation)
{
    source *s;
    stele_status status;
    if (translation->text == NULL || (unsigned)translation->to > STELE_CTF_GENERATION_SAME ||
        (unsigned)translation->alignment > STELE_CTF_PACKED ||
        (translation->key_size != 0 && !rfc_key_is_sane(translation->key_size)))
        return STELE_ERR_ARGUMENT;
    status = source_open(&context->diag, path, context->temp_dir, &s);
    if (status != STELE_OK)
        return status;
    status = source_input(s) != NULL ? translate_input(context, source_input(s), translation)
                                     : translate_members(context, s, translation);
    source_close(s);
    return status;
}
