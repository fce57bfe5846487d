/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lines of babeltrace2's text output, byte for byte, for those who have scripts that read them:
 *
 *     [13:47:42.980760574] (+0.000000210) host prov:event: { cpu_id = 1 }, { vpid = 7 }, { a = 1 }
 *     time                 since the last env  name        packet          context       payload
 *
 * What a trace says of itself (its environment), of its event classes (log level), and whether an
 * event without fields has a payload at all, comes as raw fields of batches and events.
 */
#include <stdlib.h>
#include <time.h>

#include "core/array.h"
#include "core/sized.h"
#include "sinks/ctf_pretty_form.h"
#include "sinks/sink.h"

#define NS_PER_S     1000000000u
#define STREAM_SLOTS 256u

#define COLOR_BOLD  "\033[1m"
#define COLOR_FIELD "\033[36m"
#define COLOR_END   "\033[0m"
#define TEXT(literal)                  \
    {                                  \
        (literal), sizeof(literal) - 1 \
    }

static const pretty_colors no_colors = {TEXT(""), TEXT(""), TEXT(""), TEXT(""),
                                        TEXT(""), TEXT(""), TEXT("")};
static const pretty_colors colors = {.key = TEXT(COLOR_BOLD),
                                     .event = TEXT(COLOR_BOLD COLOR_BOLD "\033[35m"),
                                     .time = TEXT(COLOR_BOLD COLOR_BOLD "\033[33m"),
                                     .number = TEXT(COLOR_BOLD),
                                     .string = TEXT(COLOR_BOLD),
                                     .unknown = TEXT(COLOR_BOLD COLOR_BOLD "\033[31m"),
                                     .end = TEXT(COLOR_END)};

typedef enum common_name {
    NAME_TRACE_ENV,
    NAME_TRACE_NAME,
    NAME_HOSTNAME,
    NAME_DOMAIN,
    NAME_PROCNAME,
    NAME_VPID,
    NAME_PACKET_CONTEXT,
    NAME_COUNT
} common_name;

/* Text that all lines of a batch begin with. Streams take turns, so one is kept for each slot of
   streams. */
typedef struct pretty_batch {
    /* identifies the batch, with the next three members that show whether it was filled again */
    const stele_batch *batch;
    uint64_t fill_count;
    uint64_t first_offset, first_ticks; /* offset and ticks of the batch's first event */
    unsigned after;                     /* PRETTY_AFTER_... */
    bool has_time;                      /* whether lines have a time */
    char *text;                         /* the environment, then the packet context */
    size_t env_size;                    /* size of the environment */
    size_t size, capacity;
} pretty_batch;

typedef struct pretty {
    stele_writer base;
    stele_pretty_options options;
    pretty_values values;
    pretty_forms forms;
    stele_name names[NAME_COUNT];
    output *scratch;
    pretty_batch batches[STREAM_SLOTS]; /* by the number of the stream, modulo STREAM_SLOTS */
    bool has_last;
    int64_t last_ns;
    uint64_t last_ticks;
    bool has_second; /* `second_text` is the text of second_s */
    int64_t second_s;
    char second_text[40];
    size_t second_size;
} pretty;

/* ---- Times ---- */

/* Makes the text of a second as date and time of day. Returns false if seconds are shown as a
   number. */
static bool make_second(pretty *p, int64_t second_s)
{
    const time_t moment = (time_t)second_s;
    struct tm parts;
    if (second_s < 0 || p->options.seconds ||
        !(p->options.wall != NULL ? p->options.wall(moment, &parts)
                                  : gmtime_r(&moment, &parts) != NULL))
        return false;
    p->second_size =
        p->options.date
            ? strftime(p->second_text, sizeof p->second_text, "%Y-%m-%d %H:%M:%S.", &parts)
            : strftime(p->second_text, sizeof p->second_text, "%H:%M:%S.", &parts);
    p->second_s = second_s;
    return true;
}

static char *put_wall(pretty *p, char *to, int64_t time_ns)
{
    const uint64_t size = time_ns < 0 ? 0 - (uint64_t)time_ns : (uint64_t)time_ns;
    const int64_t second_s = time_ns / NS_PER_S;
    if (time_ns >= 0 && (!p->has_second || p->second_s != second_s))
        p->has_second = make_second(p, second_s);
    if (time_ns >= 0 && p->has_second) {
        memcpy(to, p->second_text, sizeof p->second_text);
        to += p->second_size;
    } else {
        if (time_ns < 0)
            *to++ = '-';
        to = text_u64(to, size / NS_PER_S);
        *to++ = '.';
    }
    return text_nine(to, (uint32_t)(size % NS_PER_S));
}

/* Writes the time since the previous event. Like babeltrace2, which stores "unknown" as -1, it
   cannot show a difference of -1. */
static char *put_delta(const pretty *p, char *to, const stele_event *event)
{
    const uint64_t delta = p->options.cycles ? event->ticks - p->last_ticks
                                             : (uint64_t)event->time_ns - (uint64_t)p->last_ns;
    if (!p->has_last || delta == UINT64_MAX)
        return p->options.cycles ? PUT(to, "+????????????") : PUT(to, "+?.?????????");
    *to++ = '+';
    if (p->options.cycles)
        return delta < UINT64_C(1000000000000) ? text_padded(to, delta, 12) : text_u64(to, delta);
    to = text_u64(to, delta / NS_PER_S);
    *to++ = '.';
    return text_nine(to, (uint32_t)(delta % NS_PER_S));
}

static char *put_key(const pretty *p, char *to, const char *key)
{
    to = pretty_put_color(to, &p->values.colors.key);
    to = put_bytes(to, key, strlen(key));
    to = pretty_put_color(to, &p->values.colors.end);
    return PUT(to, " = ");
}

/* Writes the time of a line. It needs at most twice PRETTY_ROOM bytes. */
static char *put_time(pretty *p, char *to, const stele_event *event)
{
    const bool has_names = (p->options.names & STELE_PRETTY_NAME_HEADER) != 0;
    to = has_names ? put_key(p, to, "timestamp") : PUT(to, "[");
    to = pretty_put_color(to, &p->values.colors.time);
    to = p->options.cycles ? text_padded(to, event->ticks, 20) : put_wall(p, to, event->time_ns);
    to = pretty_put_color(to, &p->values.colors.end);
    if (!has_names)
        to = PUT(to, "] ");
    if (!p->options.no_delta) {
        to = has_names ? put_key(p, PUT(to, ", "), "delta") : PUT(to, "(");
        to = put_delta(p, to, event);
        if (!has_names)
            to = PUT(to, ") ");
    }
    p->has_last = true;
    p->last_ns = event->time_ns;
    p->last_ticks = event->ticks;
    return to;
}

/* ---- Text that lines of a batch share ---- */

/* Finds the field with a name. Returns NULL if there is none. */
static const stele_field *find(const pretty *p, const stele_field *at, const stele_field *end,
                               common_name name)
{
    for (; at < end; at += stele_field_length(at)) {
        if (at->name == p->names[name])
            return at;
    }
    return NULL;
}

/* Finds the field with a name in the environment. Returns NULL if there is none. */
static const stele_field *find_env(const pretty *p, const stele_field *env, common_name name)
{
    return env != NULL ? find(p, env + 1, env + 1 + env->u.run.length, name) : NULL;
}

static void add_text(pretty *p, const stele_field *field)
{
    const stele_text text = stele_field_text(p->base.context, p->values.batch, field);
    text_visible(p->scratch, text.bytes, text.size);
}

static void add_trace_name(pretty *p, const stele_field *name, unsigned after)
{
    const bool has_names = (p->options.names & STELE_PRETTY_NAME_HEADER) != 0;
    if ((p->options.fields & STELE_PRETTY_FIELD_TRACE) == 0)
        return;
    if ((after & PRETTY_AFTER_TIME) != 0)
        OUTPUT_LITERAL(p->scratch, ", ");
    if (has_names)
        pretty_add_key(&p->forms, p->scratch, "trace");
    if (name != NULL)
        add_text(p, name);
    if (has_names)
        OUTPUT_LITERAL(p->scratch, ", ");
}

static void add_env(pretty *p, const stele_field *env, unsigned *after)
{
    static const struct {
        unsigned field;
        common_name name;
        const char *key;
    } items[] = {{STELE_PRETTY_FIELD_HOSTNAME, NAME_HOSTNAME, "trace:hostname"},
                 {STELE_PRETTY_FIELD_DOMAIN, NAME_DOMAIN, "trace:domain"},
                 {STELE_PRETTY_FIELD_PROCNAME, NAME_PROCNAME, "trace:procname"},
                 {STELE_PRETTY_FIELD_VPID, NAME_VPID, "trace:vpid"}};
    for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
        const stele_field *value = find_env(p, env, items[i].name);
        if ((p->options.fields & items[i].field) == 0 || value == NULL)
            continue;
        pretty_add_item(&p->forms, p->scratch, items[i].key, after);
        if (value->type == STELE_TYPE_UINT || value->type == STELE_TYPE_INT)
            output_printf(p->scratch, "(%lld)", (long long)value->u.i);
        else
            add_text(p, value);
    }
}

/* Whether any member of a structure is shown. */
static bool has_members(const stele_field *structure)
{
    const stele_field *at = structure + 1, *end = at + structure->u.run.length;
    for (; at < end; at += stele_field_length(at)) {
        if ((at->hint & STELE_HINT_RAW) == 0)
            return true;
    }
    return false;
}

static void add_packet(pretty *p, const stele_field *packet)
{
    output *out = p->scratch;
    if ((p->options.names & STELE_PRETTY_NAME_SCOPE) != 0)
        pretty_add_key(&p->forms, out, "stream.packet.context");
    p->values.out = out;
    out->at = (uint8_t *)pretty_put_value(&p->values, (char *)out->at, packet,
                                          (p->options.names & STELE_PRETTY_NAME_CONTEXT) != 0);
    p->values.out = p->base.out;
}

/* Keeps the text that was made in `scratch`, with room after it for copies in chunks. Returns
   false if out of memory. */
static bool batch_keep(pretty *p, pretty_batch *made)
{
    size_t size;
    const uint8_t *bytes = output_memory(p->scratch, &size);
    if (p->scratch->status != STELE_OK)
        return false;
    if (made->capacity < size + PRETTY_CHUNK) {
        char *text = array_fit(made->text, 1, size + PRETTY_CHUNK);
        if (text == NULL)
            return false;
        made->text = text;
        made->capacity = size + PRETTY_CHUNK;
        memset(text, 0, made->capacity);
    }
    memcpy(made->text, bytes, size);
    made->size = size;
    return true;
}

static bool batch_make(pretty *p, pretty_batch *made, bool has_time)
{
    const stele_batch *batch = p->values.batch;
    const stele_field *at = batch->fields + batch->context_first, *end = at + batch->context_count;
    const stele_field *packet = find(p, at, end, NAME_PACKET_CONTEXT);
    const stele_field *env = find(p, at, end, NAME_TRACE_ENV);
    made->batch = batch;
    made->fill_count = batch->fill_count;
    made->first_offset = batch->events->offset;
    made->first_ticks = batch->events->ticks;
    made->has_time = has_time;
    made->after =
        has_time && (p->options.names & STELE_PRETTY_NAME_HEADER) != 0 ? PRETTY_AFTER_TIME : 0;
    p->scratch->at = p->scratch->buffer;
    add_trace_name(p, find(p, at, end, NAME_TRACE_NAME), made->after);
    add_env(p, env, &made->after);
    made->env_size = (size_t)output_offset(p->scratch);
    if (packet != NULL && packet->type == STELE_TYPE_STRUCT && has_members(packet)) {
        add_packet(p, packet);
        made->after |= PRETTY_AFTER_PACKET;
    }
    if (batch_keep(p, made))
        return true;
    made->batch = NULL;
    return false;
}

/* Finds or makes the text of the current batch. Returns NULL if out of memory. */
static const pretty_batch *batch_get(pretty *p, bool has_time)
{
    const stele_batch *batch = p->values.batch;
    pretty_batch *made = &p->batches[batch->stream % STREAM_SLOTS];
    if (made->batch == batch && made->fill_count == batch->fill_count &&
        made->first_offset == batch->events->offset && made->first_ticks == batch->events->ticks &&
        made->has_time == has_time)
        return made;
    return batch_make(p, made, has_time) ? made : NULL;
}

/* ---- Lines ---- */

static stele_status put_line(pretty *p, const pretty_batch *common, const stele_event *event)
{
    output *out = p->base.out;
    const pretty_form *form = pretty_form_find(&p->forms, event, common->after);
    char *to;
    if (form == NULL)
        return STELE_ERR_MEMORY;
    to = pretty_room(out, (char *)out->at, 2 * PRETTY_ROOM);
    if (common->has_time)
        to = put_time(p, to, event);
    to = pretty_put_chunks(out, to, common->text, common->env_size);
    to = pretty_form_put_head(form, out, to);
    to = pretty_put_chunks(out, to, common->text + common->env_size,
                           common->size - common->env_size);
    out->at = (uint8_t *)pretty_form_put_fields(form, &p->values, to, event);
    return STELE_OK;
}

static stele_status pretty_write(stele_writer *self, const stele_segment *segment)
{
    pretty *p = (pretty *)self;
    const stele_event *event = &segment->batch->events[segment->first];
    const stele_event *const end = event + segment->count;
    const pretty_batch *common = NULL;
    stele_status status = STELE_OK;
    p->values.batch = segment->batch;
    for (; event < end && status == STELE_OK; event++) {
        const bool has_time = (event->flags & STELE_FLAG_NO_TIME) == 0;
        if (event->kind == STELE_KIND_LOST)
            continue; /* babeltrace2 reports losses as well, instead of writing a line */
        if (common == NULL || common->has_time != has_time)
            common = batch_get(p, has_time);
        status = common != NULL ? put_line(p, common, event) : STELE_ERR_MEMORY;
    }
    if (status == STELE_OK)
        status = p->values.keys.scratch->status;
    return status != STELE_OK ? status : p->base.out->status;
}

static stele_status pretty_finish(stele_writer *self)
{
    return self->out->status;
}

static void pretty_close(stele_writer *self)
{
    pretty *p = (pretty *)self;
    name_forms_free(&p->values.keys);
    pretty_forms_free(&p->forms);
    output_close(p->scratch);
    for (size_t i = 0; i < STREAM_SLOTS; i++)
        free(p->batches[i].text);
    free(p);
}

/* ---- Opening the sink ---- */

static bool key_form(output *out, const void *bytes, size_t size)
{
    text_visible(out, bytes, size);
    OUTPUT_LITERAL(out, " = ");
    return false;
}

static bool key_form_colored(output *out, const void *bytes, size_t size)
{
    OUTPUT_LITERAL(out, COLOR_FIELD);
    text_visible(out, bytes, size);
    OUTPUT_LITERAL(out, COLOR_END " = ");
    return false;
}

static stele_status pretty_init(pretty *p, stele_context *context,
                                const stele_sink_options *options)
{
    static const char *const names[NAME_COUNT] = {[NAME_TRACE_ENV] = "trace.env",
                                                  [NAME_TRACE_NAME] = "trace.name",
                                                  [NAME_HOSTNAME] = "hostname",
                                                  [NAME_DOMAIN] = "domain",
                                                  [NAME_PROCNAME] = "procname",
                                                  [NAME_VPID] = "vpid",
                                                  [NAME_PACKET_CONTEXT] = "stream.packet.context"};
    const bool has_color = options != NULL && options->has_color;
    stele_status status;
    if (!sized_take(&p->options, sizeof p->options, SIZED_FIRST(stele_pretty_options, wall),
                    options != NULL ? options->pretty : NULL))
        return STELE_ERR_ARGUMENT;
    if (!p->options.has_fields)
        p->options.fields = STELE_PRETTY_FIELDS_STANDARD;
    if (!p->options.has_names)
        p->options.names = STELE_PRETTY_NAMES_STANDARD;
    for (size_t i = 0; i < NAME_COUNT; i++) {
        p->names[i] = context_own_name(context, names[i]);
        if (p->names[i] == UINT32_MAX)
            return STELE_ERR_MEMORY;
    }
    p->values.context = context;
    p->values.out = p->base.out;
    p->values.colors = has_color ? colors : no_colors;
    status = name_forms_init(&p->values.keys, context, has_color ? key_form_colored : key_form);
    if (status == STELE_OK)
        status = pretty_forms_init(&p->forms, &p->values, &p->options);
    return status == STELE_OK ? output_open_memory(&context->diag, &p->scratch) : status;
}

static stele_status pretty_open(stele_context *context, output *out,
                                const stele_sink_options *options, stele_writer **writer)
{
    static const writer_ops ops = {pretty_write, pretty_finish, pretty_close};
    pretty *p = calloc(1, sizeof *p);
    stele_status status;
    *writer = NULL;
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->base = (stele_writer){.ops = &ops, .context = context, .out = out, .owns_output = true};
    status = pretty_init(p, context, options);
    if (status != STELE_OK) {
        pretty_close(&p->base);
        return status;
    }
    *writer = &p->base;
    return STELE_OK;
}

const sink_entry sink_ctf_pretty = {.name = "ctf-pretty",
                                    .title = "lines as babeltrace2 writes them",
                                    .extensions = "",
                                    .columns = STELE_COLUMN_TIME | STELE_COLUMN_NAME |
                                               STELE_COLUMN_FIELDS | STELE_COLUMN_CONTEXT |
                                               STELE_COLUMN_RAW,
                                    .open = pretty_open};
