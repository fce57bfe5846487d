/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises and keeps pieces of metadata as they arrive: packets, fragments and texts, in any
   order and more than once. */
#include <stdlib.h>
#include <string.h>

#include <stele/ctf.h>

#include "core/array.h"
#include "core/json_read.h"
#include "core/load.h"
#include "formats/ctf/metadata/salvage.h"
#include "formats/ctf/read/receive.h"

#define MAGIC_METADATA     UINT32_C(0x75d11d57)
#define METADATA_HEAD_SIZE 37u
#define FRAGMENT_DEPTH_MAX 200u
#define LARGE_SIZE         ((size_t)64 << 10)
#define PARTS_SIZE_MAX     ((size_t)64 << 20)
#define PARTS_MAX          65536u

/* ---- Packets of CTF 1.8 (section 7.1) ----
 *
 *     0       4          20         24             28            32
 *     | magic | uuid[16] | checksum | content_size | packet_size | schemes, version (5) |
 *
 * Sizes are in bits, in the byte order that the magic number tells.
 */
static receive_outcome look_packet(const receive_from *from, const uint8_t *bytes, size_t size,
                                   arriving_head *head)
{
    const bool is_big = load_be32(bytes) == MAGIC_METADATA;
    uint32_t bits;
    head->form = ARRIVING_PACKETS;
    head->size = METADATA_HEAD_SIZE;
    if (size < METADATA_HEAD_SIZE)
        return RECEIVE_MORE;
    bits = is_big ? load_be32(bytes + 28) : load_le32(bytes + 28);
    memcpy(head->uuid, bytes + 4, sizeof head->uuid);
    if (bits % 8 != 0 || bits / 8 < METADATA_HEAD_SIZE || bits / 8 > from->packet_size_max)
        return RECEIVE_NOTHING;
    head->size = bits / 8;
    return head->size <= size ? RECEIVE_PACKET : RECEIVE_MORE;
}

/* ---- Fragments of CTF 2: RFC 7464, each after a record separator ---- */

static size_t space_size(const uint8_t *bytes, size_t size)
{
    size_t count = 0;
    while (count < size && (bytes[count] == ' ' || bytes[count] == '\t' || bytes[count] == '\r' ||
                            bytes[count] == '\n'))
        count++;
    return count;
}

/*
 * Returns where a fragment ends whose object ends at `at`: before the next separator, including all
 * white space, or else with its line, as the bytes after that may be a packet that begins with the
 * same bytes as white space. Returns 0 if more bytes are needed to decide.
 */
static size_t end_of_line(const uint8_t *bytes, size_t size, size_t at, bool is_all)
{
    const size_t space = space_size(bytes + at, size - at);
    if (at + space == size)
        return is_all ? size : 0;
    if (bytes[at + space] == JSON_SEPARATOR)
        return at + space;
    if (bytes[at] == '\r' && bytes[at + 1] == '\n')
        return at + 2;
    return at + (bytes[at] == '\n');
}

/* Returns the size of a JSON object including the white space after it, or 0 if its end has not
   arrived. */
static size_t object_size(const uint8_t *bytes, size_t size, bool is_all)
{
    size_t at = 1, depth = 0;
    bool is_text = false;
    for (; at < size && bytes[at] != JSON_SEPARATOR; at++) {
        if (is_text && bytes[at] == '\\' && at + 1 < size)
            at++;
        else if (bytes[at] == '"')
            is_text = !is_text;
        else if (!is_text && (bytes[at] == '{' || bytes[at] == '['))
            depth++;
        else if (!is_text && (bytes[at] == '}' || bytes[at] == ']') && depth-- <= 1)
            return end_of_line(bytes, size, at + 1, is_all);
    }
    return at < size || is_all ? at : 0;
}

/* Ranks of fragments: a fragment may only use what fragments of lower ranks define (section 5). */
#define RANK_STREAM_CLASS 4u
#define RANK_EVENT_CLASS  5u

static uint64_t rank_of_type(const json_value *type)
{
    static const char *const types[] = {
        "preamble",    "field-class-alias", "trace-class",
        "clock-class", "data-stream-class", [RANK_EVENT_CLASS] = "event-record-class"};
    const size_t count = sizeof types / sizeof *types;
    for (size_t i = 0; i < count; i++)
        if (strlen(types[i]) == type->size && memcmp(types[i], type->text, type->size) == 0)
            return i;
    return count;
}

static bool is_key(const json_value *key, const char *name)
{
    return key->size == strlen(name) && memcmp(key->text, name, key->size) == 0;
}

/* Sets rank and data stream class of a fragment. The rank is UINT64_MAX if it is not a valid
   one. */
static void judge_fragment(const json_tree *tree, arriving_head *head)
{
    uint64_t id = 0, of_stream = 0;
    for (const json_value *value = json_first(tree, tree->values); value != NULL;
         value = json_next(tree, value)) {
        const json_value *key = value - 1;
        if (value->kind == JSON_STRING && is_key(key, "type"))
            head->rank = rank_of_type(value);
        else if (value->kind == JSON_INTEGER && is_key(key, "id"))
            id = value->integer;
        else if (value->kind == JSON_INTEGER && is_key(key, "data-stream-class-id"))
            of_stream = value->integer;
    }
    head->stream = head->rank == RANK_STREAM_CLASS ? id : of_stream;
}

static void read_fragment(const uint8_t *bytes, arriving_head *head)
{
    json_tree tree = {.depth_max = FRAGMENT_DEPTH_MAX};
    char *text = malloc(head->size);
    head->rank = UINT64_MAX;
    if (text == NULL)
        return;
    memcpy(text, bytes + 1, head->size - 1);
    text[head->size - 1] = '\0';
    tree.text = text;
    tree.size = (uint32_t)head->size - 1;
    if (json_read(&tree) && tree.values[0].kind == JSON_OBJECT)
        judge_fragment(&tree, head);
    json_tree_free(&tree);
    free(text);
}

/*
 * Returns how many bytes must have arrived before it is worth searching for an end again that is
 * not in the first `size` bytes: a large text that arrives in small pieces must not be read from
 * its begin for each.
 */
static size_t size_to_try(size_t size)
{
    return size + 1 + (size >= LARGE_SIZE ? size / 64 : 0);
}

static receive_outcome look_fragment(const receive_from *from, const uint8_t *bytes, size_t size,
                                     arriving_head *head)
{
    head->form = ARRIVING_FRAGMENTS;
    head->size = object_size(bytes, size, from->is_datagram || from->is_ended);
    if (head->size == 0) {
        head->size = size_to_try(size);
        return size < from->packet_size_max ? RECEIVE_MORE : RECEIVE_NOTHING;
    }
    if (head->size <= from->packet_size_max)
        read_fragment(bytes, head);
    head->begins = head->rank == 0;
    return head->rank != UINT64_MAX ? RECEIVE_PACKET : RECEIVE_NOTHING;
}

/* ---- Metadata in packets of the RFC ---- */

/* Whether all bytes are text. Metadata are, while event records contain other bytes as a rule. */
static bool is_text(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] >= 0x7f || (bytes[i] < ' ' && strchr("\t\r\n", bytes[i]) == NULL))
            return false;
    return true;
}

static receive_outcome look_rfc(const receive_from *from, const uint8_t *bytes, size_t size,
                                arriving_head *head)
{
    const bool is_named = strcmp(from->section, "metadata") == 0;
    stele_ctf_rfc_header header;
    head->form = ARRIVING_RFC;
    head->size = STELE_CTF_RFC_HEADER_SIZE;
    if (size < STELE_CTF_RFC_HEADER_SIZE)
        return is_named || !(from->is_datagram || from->is_ended) ? RECEIVE_MORE : RECEIVE_NOTHING;
    if (!stele_ctf_rfc_header_read(bytes, &header) ||
        header.content_size <= STELE_CTF_RFC_HEADER_SIZE ||
        header.content_size > header.packet_size || header.packet_size > from->packet_size_max)
        return RECEIVE_NOTHING;
    head->size = header.packet_size;
    head->session_id = header.session_id;
    head->rank = header.packet_count;
    if (!is_named && (header.compression != STELE_CTF_RFC_NO_COMPRESSION ||
                      header.encryption != STELE_CTF_RFC_NO_ENCRYPTION))
        return RECEIVE_NOTHING;
    if (header.packet_size > size)
        return RECEIVE_MORE;
    return is_named || is_text(bytes + STELE_CTF_RFC_HEADER_SIZE,
                               header.content_size - STELE_CTF_RFC_HEADER_SIZE)
               ? RECEIVE_PACKET
               : RECEIVE_NOTHING;
}

/* ---- Plain text of CTF 1.8 ---- */

/* A datagram is all text. In a connection the text ends before the first byte that is not text,
   such as those of a packet's magic number. */
static receive_outcome look_text(const receive_from *from, const uint8_t *bytes, size_t size,
                                 arriving_head *head)
{
    *head = (arriving_head){.form = ARRIVING_TEXT, .size = size};
    if (from->is_datagram)
        return RECEIVE_PACKET;
    head->size = 0;
    while (head->size < size && is_text(bytes + head->size, 1))
        head->size++;
    if (head->size < size || from->is_ended)
        return RECEIVE_PACKET;
    head->size = size_to_try(size);
    return size < from->packet_size_max ? RECEIVE_MORE : RECEIVE_NOTHING;
}

/* White space that came after a fragment was taken, and in front of another one, is of that one. */
static receive_outcome look_space(const receive_from *from, const uint8_t *bytes, size_t size,
                                  arriving_head *head)
{
    const size_t space = space_size(bytes, size);
    receive_outcome outcome = RECEIVE_NOTHING;
    if (space < size && bytes[space] == JSON_SEPARATOR)
        outcome = look_fragment(from, bytes + space, size - space, head);
    else if (space == size && !from->is_ended && !from->is_datagram)
        outcome = RECEIVE_MORE;
    head->size = outcome == RECEIVE_MORE && space == size ? size + 1 : head->size + space;
    return outcome;
}

receive_outcome arriving_look(const receive_from *from, const uint8_t *bytes, size_t size,
                              arriving_head *head)
{
    static const char plain[] = "/* CTF 1.";
    *head = (arriving_head){0};
    head->size = 4;
    if (size < 4)
        return RECEIVE_MORE;
    if (space_size(bytes, 1) != 0)
        return look_space(from, bytes, size, head);
    if (load_le32(bytes) == MAGIC_METADATA || load_be32(bytes) == MAGIC_METADATA)
        return look_packet(from, bytes, size, head);
    if (bytes[0] == JSON_SEPARATOR)
        return look_fragment(from, bytes, size, head);
    if (size > sizeof plain && memcmp(bytes, plain, sizeof plain - 1) == 0)
        return look_text(from, bytes, size, head);
    if (load_le32(bytes) == STELE_CTF_RFC_MAGIC || load_be32(bytes) == STELE_CTF_RFC_MAGIC)
        return look_rfc(from, bytes, size, head);
    return RECEIVE_NOTHING;
}

/* ---- Pieces that arrived ---- */

static void forget_parsed(arriving *a)
{
    decoder_free(a->decoder);
    programs_free(a->programs);
    schema_free(&a->schema);
    a->decoder = NULL;
    a->programs = NULL;
    a->schema = (ctf_schema){0};
    a->is_parsed = a->is_stale = a->is_sound = false;
}

/* Makes room for one more part. Returns false if out of memory. */
static bool reserve_part(arriving *a)
{
    if (a->count == a->capacity) {
        arriving_part *grown = array_grow(a->parts, sizeof *grown, &a->capacity, 8);
        if (grown == NULL)
            return false;
        a->parts = grown;
    }
    if (a->count == a->order_capacity) {
        uint32_t *grown = array_grow(a->order, sizeof *grown, &a->order_capacity, 8);
        if (grown == NULL)
            return false;
        a->order = grown;
    }
    return true;
}

/* Inserts a part into the order, after all parts with the same or a lower rank. */
static void put_in_order(arriving *a, uint32_t number)
{
    uint32_t low = 0, high = number;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (a->parts[a->order[middle]].rank <= a->parts[number].rank)
            low = middle + 1;
        else
            high = middle;
    }
    memmove(a->order + low + 1, a->order + low, (number - low) * sizeof *a->order);
    a->order[low] = number;
}

static bool is_known(const arriving *a, uint32_t hash, const uint8_t *bytes, size_t size)
{
    uint32_t at = hash, number;
    while ((number = hash_table_next(&a->known, hash, &at)) != HASH_NONE)
        if (a->parts[number].size == size && memcmp(a->parts[number].bytes, bytes, size) == 0)
            return true;
    return false;
}

/* Whether an event class of this data stream class has arrived. */
static bool has_events(const arriving *a, uint32_t hash, uint64_t stream)
{
    uint32_t at = hash, number;
    while ((number = hash_table_next(&a->event_streams, hash, &at)) != HASH_NONE)
        if (a->stream_ids[number] == stream)
            return true;
    return false;
}

/*
 * Gives the rank of a fragment among the pieces that arrived. Data stream classes get the rank of
 * event classes, so that both are appended in the order of arrival; only one whose event classes
 * arrived before it keeps its lower rank. Returns false if out of memory.
 */
static bool find_rank(arriving *a, const arriving_head *head, uint64_t *rank)
{
    uint32_t hash;
    *rank = head->rank;
    if (head->form != ARRIVING_FRAGMENTS ||
        (head->rank != RANK_STREAM_CLASS && head->rank != RANK_EVENT_CLASS))
        return true;
    if (!hash_table_reserve(&a->event_streams))
        return false;
    hash = hash_table_hash_u64(&a->event_streams, head->stream);
    if (has_events(a, hash, head->stream))
        return true;
    if (head->rank == RANK_STREAM_CLASS) {
        *rank = RANK_EVENT_CLASS;
        return true;
    }
    if (a->stream_count == a->stream_capacity) {
        uint64_t *grown = array_grow(a->stream_ids, sizeof *grown, &a->stream_capacity, 4);
        if (grown == NULL)
            return false;
        a->stream_ids = grown;
    }
    a->stream_ids[a->stream_count] = head->stream;
    hash_table_put(&a->event_streams, hash, a->stream_count++);
    return true;
}

stele_status arriving_add(arriving *a, const arriving_head *head, const uint8_t *bytes,
                          bool *is_news)
{
    uint32_t hash;
    uint64_t rank;
    uint8_t *copy;
    bool is_of_events;
    *is_news = false;
    if (!hash_table_reserve(&a->known) || !reserve_part(a))
        return STELE_ERR_MEMORY;
    hash = hash_table_hash_bytes(&a->known, bytes, head->size);
    if (is_known(a, hash, bytes, head->size))
        return STELE_OK;
    if (a->size + head->size > PARTS_SIZE_MAX || a->count == PARTS_MAX ||
        !receive_room_change(a->room, 0, head->size + ARRIVING_PART_ROOM))
        return STELE_ERR_LIMIT;
    copy = malloc(head->size);
    if (copy == NULL || !find_rank(a, head, &rank)) {
        free(copy);
        receive_room_change(a->room, head->size + ARRIVING_PART_ROOM, 0);
        return STELE_ERR_MEMORY;
    }
    memcpy(copy, bytes, head->size);
    is_of_events = head->form == ARRIVING_FRAGMENTS && head->rank == RANK_EVENT_CLASS;
    a->parts[a->count] = (arriving_part){copy, head->size, rank, is_of_events};
    put_in_order(a, a->count);
    hash_table_put(&a->known, hash, a->count);
    a->count++;
    a->size += head->size;
    a->is_stale |= !is_of_events;
    *is_news = true;
    return STELE_OK;
}

/* Parses metadata without findings, as they may be incomplete: errors are reported when the trace
   is read. */
static stele_status parse(arriving *a, const stele_limits *limits, const uint8_t *bytes,
                          size_t size)
{
    diag_sink silent = {0};
    metadata text = {0};
    input *in = NULL;
    stele_status status = input_open_memory(&silent, "metadata", bytes, size, &in);
    if (status == STELE_OK)
        status = metadata_read(&text, &silent, limits, in);
    text.name = "metadata";
    if (status == STELE_OK) {
        metadata_keep_input(&text, in);
        if (!metadata_salvage(&text, &a->schema))
            status = text.error_count != 0 ? STELE_ERR_FORMAT : STELE_ERR_MEMORY;
    }
    a->is_sound = status == STELE_OK && text.error_count == 0;
    a->room->read_size += (uint64_t)size * (text.error_count + 1u);
    metadata_free(&text);
    input_close(in);
    return status;
}

static stele_status make_decoder(arriving *a, stele_context *context)
{
    a->programs = programs_new(&a->schema, context, 0, STELE_COLUMN_TIME);
    a->decoder = a->programs != NULL ? decoder_new(a->programs) : NULL;
    if (a->decoder == NULL)
        return STELE_ERR_MEMORY;
    decoder_defer(a->decoder);
    return STELE_OK;
}

bool arriving_parse(arriving *a, stele_context *context)
{
    stele_status status;
    uint8_t *bytes;
    size_t at = 0;
    if ((a->is_parsed && !a->is_stale) || a->size == 0)
        return true;
    forget_parsed(a);
    bytes = malloc(a->size);
    if (bytes == NULL)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const arriving_part *part = &a->parts[a->order[i]];
        if (part->is_of_events)
            continue;
        memcpy(bytes + at, part->bytes, part->size);
        at += part->size;
    }
    status = parse(a, &context->limits, bytes, at);
    free(bytes);
    if (status == STELE_OK && a->schema.stream_count != 0)
        status = make_decoder(a, context);
    if (status != STELE_OK)
        forget_parsed(a);
    a->is_parsed = status != STELE_ERR_MEMORY;
    return a->is_parsed;
}

void arriving_put(arriving *a, output *out)
{
    for (uint32_t i = 0; i < a->count; i++)
        output_write(out, a->parts[a->order[i]].bytes, a->parts[a->order[i]].size);
    a->put_count = a->count;
    a->put_rank = a->count != 0 ? a->parts[a->order[a->count - 1]].rank : 0;
}

bool arriving_put_news(arriving *a, output *out)
{
    bool is_in_order = true;
    for (; a->put_count < a->count; a->put_count++) {
        const arriving_part *part = &a->parts[a->put_count];
        output_write(out, part->bytes, part->size);
        is_in_order &= part->rank >= a->put_rank;
        if (part->rank > a->put_rank)
            a->put_rank = part->rank;
    }
    return is_in_order;
}

void arriving_free(arriving *a)
{
    forget_parsed(a);
    for (uint32_t i = 0; i < a->count; i++)
        free(a->parts[i].bytes);
    receive_room_change(a->room, a->size + a->count * ARRIVING_PART_ROOM, 0);
    hash_table_free(&a->known);
    hash_table_free(&a->event_streams);
    free(a->stream_ids);
    free(a->order);
    free(a->parts);
    free(a);
}
