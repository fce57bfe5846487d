/* SPDX-License-Identifier: Apache-2.0 */
/* The CTF format: recognition, opening, and the table of what it offers. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/path.h"
#include "formats/ctf/read/known.h"
#include "formats/ctf/read/look.h"
#include "formats/ctf/read/spans.h"
#include "formats/ctf/trace.h"
#include "formats/ctf/write/copy.h"
#include "formats/ctf/write/copy_metadata.h"
#include "formats/ctf/write/owned.h"
#include "formats/ctf/write/writer.h"
#include "formats/receive.h"

#define MAGIC_TSDL_PACKET UINT32_C(0x75d11d57)
#define MAGIC_RFC_PACKET  UINT32_C(0xc1fc1fc1)
#define JSON_RECORD       0x1e

#define HEAD_SIZE     ((size_t)512) /* bytes of metadata that recognition looks at */
#define STREAMS_TRIED 16u           /* members that recognition tries, in search of data streams */

/* ---- Recognition of traces ---- */

static bool is_magic(const uint8_t *head, uint32_t magic)
{
    return load_le32(head) == magic || load_be32(head) == magic;
}

#define BLANKS  " \t\r\n"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

/* Returns the position after blanks and comments; "" where a comment does not end. */
static const char *skip_blanks(const char *at)
{
    for (;;) {
        at += strspn(at, BLANKS);
        if (at[0] != '/' || at[1] != '*')
            return at;
        at = strstr(at + 2, "*/");
        if (at == NULL)
            return "";
        at += 2;
    }
}

/* Whether the text begins with a block of the RFC, "WORD {" or "WORD NAME {", or with "trace {". */
static bool is_block(const uint8_t *head, size_t size)
{
    static const char *const words[] = {"trace", "section", "event", "type", "abstract_type"};
    char text[512];
    const char *at, *name;
    size_t i = 0, length;
    snprintf(text, sizeof text, "%.*s", (int)(size < sizeof text ? size : sizeof text - 1),
             (const char *)head);
    at = skip_blanks(text);
    length = strspn(at, LETTERS);
    while (i < sizeof words / sizeof *words &&
           (strlen(words[i]) != length || memcmp(words[i], at, length) != 0))
        i++;
    if (i == sizeof words / sizeof *words)
        return false;
    name = skip_blanks(at + length);
    return *skip_blanks(name + strspn(name, LETTERS)) == '{';
}

/* Whether the text begins with a JSON object, after record separators and blanks. */
static bool begins_json(const uint8_t *head, size_t size)
{
    size_t at = 0;
    while (at < size && memchr("\x1e \t\r\n", head[at], 5) != NULL)
        at++;
    return size != 0 && head[0] == JSON_RECORD && at < size && head[at] == '{';
}

/* Says what the first bytes of a metadata stream are. Returns NULL if they are not metadata of
   CTF. */
static const char *metadata_kind(const uint8_t *head, size_t size)
{
    static const char plain[] = "/* CTF 1.";
    if (size >= sizeof plain - 1 && memcmp(head, plain, sizeof plain - 1) == 0)
        return "metadata as plain text of CTF 1.8";
    if (size >= 4 && is_magic(head, MAGIC_TSDL_PACKET))
        return "metadata in packets";
    if (size >= 4 && is_magic(head, MAGIC_RFC_PACKET))
        return "metadata in packets of the RFC";
    if (begins_json(head, size))
        return "metadata as JSON of CTF 2";
    if (is_block(head, size))
        return "metadata as plain text";
    return NULL;
}

/* Copies up to HEAD_SIZE first bytes of a member to `head`. Returns false if it cannot be read. */
static bool member_peek(const format_probe *probe, size_t member, uint8_t *head, size_t *size)
{
    const uint8_t *bytes;
    input *in;
    bool is_read;
    if (source_open_member(probe->source, member, &in) != STELE_OK)
        return false;
    is_read = input_peek(in, &bytes, size) == STELE_OK;
    if (is_read && *size > HEAD_SIZE)
        *size = HEAD_SIZE;
    if (is_read)
        memcpy(head, bytes, *size);
    input_close(in);
    return is_read;
}

static int probe_metadata(const format_probe *probe, size_t member, char *reason)
{
    uint8_t head[HEAD_SIZE];
    size_t size;
    const char *kind = member_peek(probe, member, head, &size) ? metadata_kind(head, size) : NULL;
    snprintf(reason, PROBE_REASON_SIZE, "a member 'metadata'%s%s", kind != NULL ? ": " : "",
             kind != NULL ? kind : "");
    return kind != NULL ? PROBE_SURE : PROBE_PLAUSIBLE;
}

/* Recognises data streams of the RFC without their metadata, so that the user can be told what is
   missing instead of "unknown format". */
static int probe_streams(const format_probe *probe, char *reason)
{
    const size_t count = source_member_count(probe->source);
    uint8_t head[HEAD_SIZE];
    size_t size;
    for (size_t i = 0; i < count && i < STREAMS_TRIED; i++) {
        if (member_peek(probe, i, head, &size) && size >= 4 && is_magic(head, MAGIC_RFC_PACKET)) {
            snprintf(reason, PROBE_REASON_SIZE, "data streams, and no member 'metadata'");
            return PROBE_PLAUSIBLE;
        }
    }
    return PROBE_NO;
}

static int ctf_probe(const format_probe *probe, char *reason)
{
    const char *kind;
    if (probe->head != NULL) {
        kind = metadata_kind(probe->head, probe->head_size);
        if (kind != NULL)
            snprintf(reason, PROBE_REASON_SIZE, "%s", kind);
        return kind != NULL ? PROBE_STRONG : PROBE_NO;
    }
    for (size_t i = 0; i < source_member_count(probe->source); i++) {
        if (strcmp(path_base(source_member_at(probe->source, i)->name), "metadata") == 0)
            return probe_metadata(probe, i, reason);
    }
    return probe_streams(probe, reason);
}

/* ---- Properties of the trace ---- */

static bool set_number(ctf_trace *trace, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return trace_set_property(&trace->base, key, text);
}

static bool set_env(ctf_trace *trace, const ctf_schema *schema)
{
    for (uint32_t i = 0; i < schema->env_count; i++) {
        const ctf_env *env = &schema->env[i];
        char key[256], number[24];
        snprintf(key, sizeof key, "env.%.*s", (int)env->name.size, env->name.bytes);
        if (env->is_negative)
            snprintf(number, sizeof number, "%" PRId64, (int64_t)env->value);
        else
            snprintf(number, sizeof number, "%" PRIu64, env->value);
        if (!trace_set_property(&trace->base, key, env->is_text ? env->text.bytes : number))
            return false;
    }
    return true;
}

static bool set_uuid(ctf_trace *trace, const ctf_schema *schema)
{
    char text[37], *to = text;
    if (!schema->has_uuid)
        return true;
    for (size_t i = 0; i < 16; i++)
        to += snprintf(to, 4, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
                       schema->uuid[i]);
    return trace_set_property(&trace->base, "uuid", text);
}

static bool set_clocks(ctf_trace *trace, const ctf_schema *schema)
{
    for (uint32_t i = 0; i < schema->clock_count; i++) {
        const ctf_clock *clock = schema->clocks[i];
        char key[128], text[160];
        snprintf(key, sizeof key, "clock %.*s", (int)clock->id.size, clock->id.bytes);
        snprintf(text, sizeof text, "%" PRIu64 " Hz, offset %" PRId64 " s and %" PRId64 " cycles%s",
                 clock->frequency_hz, clock->offset_s, clock->offset_cycles,
                 clock->is_unix_epoch ? " from 1970" : "");
        if (!trace_set_property(&trace->base, key, text))
            return false;
    }
    return true;
}

static const char *const packing_words[] = {[STELE_CTF_NATURAL_64] = "natural64",
                                            [STELE_CTF_NATURAL_32] = "natural32",
                                            [STELE_CTF_PACKED] = "packed"};

#define PACKING_COUNT (sizeof packing_words / sizeof *packing_words)

/* Shows the alignment that the reader uses for traces of the RFC, whose metadata do not say it. */
static bool set_architecture(ctf_trace *trace, const ctf_subtrace *subtrace)
{
    return subtrace->schema.generation != CTF_RFC ||
           trace_set_property(&trace->base, "alignment", packing_words[subtrace->text.rfc.packing]);
}

/* Sets the properties of the trace. Of several traces in one source the first that can be read is
   described. */
static bool set_texts(ctf_trace *trace)
{
    const ctf_subtrace *subtrace = trace->subtraces;
    const ctf_schema *schema;
    uint32_t own = 0, events = 0;
    char version[32];
    for (uint32_t i = 0; i < trace->subtrace_count; i++)
        own += trace->subtraces[i].is_open && trace->subtraces[i].same_as == CTF_NONE;
    while (!subtrace->is_open || subtrace->same_as != CTF_NONE)
        subtrace++;
    schema = &subtrace->schema;
    for (uint32_t i = 0; i < schema->stream_count; i++)
        events += schema->streams[i]->event_count;
    if (schema->generation == CTF_RFC)
        snprintf(version, sizeof version, "RFC v%u.%u", schema->major, schema->minor);
    else
        snprintf(version, sizeof version, "%u.%u", schema->major, schema->minor);
    trace->base.info.is_big_endian = schema->is_big_endian;
    return trace_set_version(&trace->base, version) && set_number(trace, "traces", own) &&
           set_number(trace, "data stream files", trace->file_count) &&
           (own == 1 ||
            trace_set_property(&trace->base, "what follows", "is of the first trace")) &&
           set_number(trace, "data stream classes", schema->stream_count) &&
           set_number(trace, "event record classes", events) && set_uuid(trace, schema) &&
           set_architecture(trace, subtrace) && set_clocks(trace, schema) && set_env(trace, schema);
}

/* ---- Opening and closing ---- */

static void ctf_close(stele_trace *base)
{
    ctf_trace *trace = (ctf_trace *)base;
    for (uint32_t i = 0; i < trace->subtrace_count; i++) {
        metadata_free(&trace->subtraces[i].text);
        free(trace->subtraces[i].path);
        free((char *)trace->subtraces[i].known_by.bytes);
        schema_free(&trace->subtraces[i].schema);
        spans_free(trace->subtraces[i].spans);
    }
    for (uint32_t i = 0; i < trace->file_count; i++) {
        free(trace->files[i].path);
        free(trace->files[i].found.seeks);
    }
    for (uint32_t i = 0; i < trace->stream_count; i++)
        free(trace->streams[i].files);
    free(trace->subtraces);
    free(trace->files);
    free(trace->streams);
    ctf_forget_noted(trace);
    if (trace->owns_known)
        known_free(trace->known);
}

static bool intern_names(ctf_trace *trace)
{
    static const char *const texts[] = {"discarded events", "discarded packets", "packets"};
    stele_name *const names[] = {&trace->name_lost_events, &trace->name_lost_packets,
                                 &trace->name_packets};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *names[i] = stele_name_intern(trace->base.context, texts[i], strlen(texts[i]));
        if (*names[i] == UINT32_MAX)
            return false;
    }
    return true;
}

/* ---- Settings of the user ---- */

static bool read_key(ctf_trace *trace, const char *path)
{
    trace->rfc.key = trace->key;
    return rfc_key_read(path, trace->key, &trace->rfc.key_size);
}

static bool read_alignment(ctf_trace *trace, const char *text)
{
    for (size_t i = 0; i < PACKING_COUNT; i++) {
        if (strcmp(packing_words[i], text) == 0) {
            trace->rfc.packing = (stele_ctf_alignment)i;
            trace->has_packing = true;
            return true;
        }
    }
    return false;
}

/* Adds a whole number of seconds or nanoseconds to the offset of all clocks: settings in both units
   add up. Returns false if the text is not a number, or the sum is too large. */
static bool read_clock_offset(ctf_trace *trace, const char *text, int64_t unit_ns)
{
    char *end;
    long long value;
    int64_t ns;
    errno = 0;
    value = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' &&
           !__builtin_mul_overflow((int64_t)value, unit_ns, &ns) &&
           !__builtin_add_overflow(trace->clock_offset_ns, ns, &trace->clock_offset_ns);
}

static stele_status take_settings(ctf_trace *trace, const source *from,
                                  const stele_trace_options *options)
{
    stele_context *context = trace->base.context;
    for (size_t i = 0; i < options->setting_count; i++) {
        const stele_setting *setting = &options->settings[i];
        if (strcmp(setting->key, "key-file") == 0 && !read_key(trace, setting->value))
            return format_refuse(context, from, setting, "a file of 16, 24 or 32 bytes");
        if (strcmp(setting->key, "rfc-alignment") == 0 && !read_alignment(trace, setting->value))
            return format_refuse(context, from, setting, "natural64, natural32 or packed");
        if (strcmp(setting->key, "clock-rounding") == 0) {
            trace->rounds_twice = strcmp(setting->value, "twice") == 0;
            if (!trace->rounds_twice && strcmp(setting->value, "once") != 0)
                return format_refuse(context, from, setting, "once or twice");
        }
        if (strcmp(setting->key, "clock-start") == 0) {
            trace->restarts_clocks = strcmp(setting->value, "packet") == 0;
            if (!trace->restarts_clocks && strcmp(setting->value, "stream") != 0)
                return format_refuse(context, from, setting, "stream or packet");
        }
        if (strcmp(setting->key, "own-events") == 0)
            trace->shows_as_written = strcmp(setting->value, "as-written") == 0;
        if (strcmp(setting->key, "clock-offset") == 0 &&
            !read_clock_offset(trace, setting->value, 1000000000))
            return format_refuse(context, from, setting, "a whole number of seconds");
        if (strcmp(setting->key, "clock-offset-ns") == 0 &&
            !read_clock_offset(trace, setting->value, 1))
            return format_refuse(context, from, setting, "a whole number of ns");
        if (strcmp(setting->key, "clock-freq") == 0 ||
            strcmp(setting->key, "clock-frequency") == 0) {
            char *end;
            trace->clock_frequency_hz = strtoull(setting->value, &end, 10);
            if (trace->clock_frequency_hz == 0 || *end != '\0')
                return format_refuse(context, from, setting, "a frequency in Hz");
        }
    }
    return STELE_OK;
}

/* Reads the metadata of a trace that grows. Its findings are remembered, so that they are not
   reported again each time the folder is searched for new files. */
static stele_status collect_growing(ctf_trace *trace)
{
    diag_sink *diag = &trace->base.context->diag;
    stele_status status;
    trace->known = known_new();
    if (trace->known == NULL)
        return STELE_ERR_MEMORY;
    trace->owns_known = trace->is_growing = true;
    look_await_metadata(trace);
    known_listen(trace->known, diag);
    status = ctf_collect(trace);
    known_leave(trace->known, diag);
    return status;
}

static stele_status ctf_open(stele_trace *base)
{
    ctf_trace *trace = (ctf_trace *)base;
    stele_status status = STELE_ERR_MEMORY;
    if (intern_names(trace))
        status = take_settings(trace, base->source, &base->options);
    if (status == STELE_OK)
        status = base->options.is_followed && source_input(base->source) == NULL
                     ? collect_growing(trace)
                     : ctf_collect(trace);
    return status == STELE_OK && !set_texts(trace) ? STELE_ERR_MEMORY : status;
}

/* Gives the event classes of all metadata, those of subtraces that share a schema once. */
static bool ctf_declared(const stele_trace *base, size_t event, size_t field,
                         stele_declared_event *about, stele_text *name)
{
    const ctf_trace *trace = (const ctf_trace *)base;
    for (uint32_t u = 0; u < trace->subtrace_count; u++) {
        const ctf_subtrace *subtrace = &trace->subtraces[u];
        if (!subtrace->is_open || subtrace->same_as != CTF_NONE)
            continue;
        for (uint32_t n = 0; n < subtrace->schema.stream_count; n++) {
            const ctf_stream_class *stream = subtrace->schema.streams[n];
            const ctf_event_class *class;
            if (event >= stream->event_count) {
                event -= stream->event_count;
                continue;
            }
            class = &stream->events[event];
            about->name = (stele_text){class->name.bytes, class->name.size};
            about->id = class->id;
            about->field_count = class->payload != NULL ? class->payload->u.structure.count : 0;
            if (field < about->field_count) {
                const ctf_text *text = &class->payload->u.structure.members[field].name;
                *name = (stele_text){text->bytes, text->size};
            }
            return field == SIZE_MAX || field < about->field_count;
        }
    }
    return false;
}

/* Events of spans that a writer of another format's trace kept have names in their records. */
static bool ctf_declares_names(const stele_trace *base)
{
    const ctf_trace *trace = (const ctf_trace *)base;
    for (uint32_t u = 0; u < trace->subtrace_count; u++) {
        if (trace->subtraces[u].is_open && spans_are_marked(&trace->subtraces[u].schema))
            return false;
    }
    return !base->options.is_followed && !trace->is_growing;
}

static const trace_ops ctf_ops = {.open = ctf_open,
                                  .has_parts = ctf_has_parts,
                                  .index = ctf_index,
                                  .note_index = ctf_note_index,
                                  .find_streams = ctf_find_streams,
                                  .find_ends = ctf_find_ends,
                                  .save_index = ctf_save_index,
                                  .load_index = ctf_load_index,
                                  .produce = ctf_produce,
                                  .close = ctf_close,
                                  .declared = ctf_declared,
                                  .declares_names = ctf_declares_names,
                                  .reads_in_turn = true,
                                  .has_moments = true};

const format format_ctf = {
    .name = "ctf",
    .versions = "1.8, 2, rfc",
    .title = "Common Trace Format",
    .extensions = "",
    .probe = ctf_probe,
    .trace_size = sizeof(ctf_trace),
    .ops = &ctf_ops,
    .settings = "key-file rfc-alignment clock-freq clock-frequency clock-offset clock-offset-ns "
                "clock-rounding own-events clock-start",
    .is_part = ctf_is_part,
    .dump = ctf_dump,
    .writer = ctf_writer_open,
    .writer_settings = "compress checksum to-key-file event-header header-alignment",
    .writes_anew = true,
    .copier = ctf_copier_open,
    .copies_as = ctf_copies_as,
    .lose_trace = ctf_lose_trace,
    .target = FORMAT_TARGET_FOLDER,
    .owns = ctf_owns,
    .follows_folders = true,
    .receiver = &ctf_receiver,
    .links_tracks = true,
    .codes = ctf_codes,
    .code_count = CTF_CODE_COUNT,
};
