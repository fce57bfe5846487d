/* SPDX-License-Identifier: Apache-2.0 */
/* Pieces of metadata as they arrive: packets, fragments, texts; in any order and more than once. */
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

/* The size of a JSON object with what is between it and the next separator; 0: it has not ended. */
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
            break;
    }
    if (at == size)
        return is_all ? size : 0;
    while (at < size && bytes[at] != JSON_SEPARATOR && strchr("}] \t\r\n", bytes[at]) != NULL)
        at++;
    return at;
}

/* The rank of a fragment by its type: fragments use what those of lower ranks define (section 5).
 */
static uint64_t rank_of_type(const char *type, size_t size)
{
    static const char *const types[] = {"preamble",    "field-class-alias", "trace-class",
                                        "clock-class", "data-stream-class", "event-record-class"};
    const size_t count = sizeof types / sizeof *types;
    for (size_t i = 0; i < count; i++)
        if (strlen(types[i]) == size && memcmp(types[i], type, size) == 0)
            return i;
    return count;
}

static uint64_t fragment_rank(const uint8_t *bytes, size_t size)
{
    json_tree tree = {.depth_max = FRAGMENT_DEPTH_MAX};
    uint64_t rank = UINT64_MAX;
    char *text = malloc(size);
    if (text == NULL)
        return rank;
    memcpy(text, bytes + 1, size - 1);
    text[size - 1] = '\0';
    tree.text = text;
    tree.size = (uint32_t)size - 1;
    if (json_read(&tree) && tree.values[0].kind == JSON_OBJECT) {
        const json_value *value = json_first(&tree, tree.values);
        for (; value != NULL && rank == UINT64_MAX; value = json_next(&tree, value)) {
            const json_value *key = value - 1;
            if (value->kind == JSON_STRING && key->size == 4 && memcmp(key->text, "type", 4) == 0)
                rank = rank_of_type(value->text, value->size);
        }
    }
    json_tree_free(&tree);
    free(text);
    return rank;
}

static receive_outcome look_fragment(const receive_from *from, const uint8_t *bytes, size_t size,
                                     arriving_head *head)
{
    head->form = ARRIVING_FRAGMENTS;
    head->size = object_size(bytes, size, from->is_datagram || from->is_ended);
    if (head->size == 0) {
        head->size = size + 1;
        return size < from->packet_size_max ? RECEIVE_MORE : RECEIVE_NOTHING;
    }
    head->rank = head->size <= from->packet_size_max ? fragment_rank(bytes, head->size) : 0;
    head->begins = head->rank == 0;
    return head->rank != UINT64_MAX ? RECEIVE_PACKET : RECEIVE_NOTHING;
}

/* ---- Packets of the RFC ---- */

/* Whether all bytes are text, as metadata are and events as a rule are not. */
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
        return is_named || !from->is_datagram ? RECEIVE_MORE : RECEIVE_NOTHING;
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

/* ---- Text of CTF 1.8 ---- */

/* In a stream it goes on up to what is no text, as the magic numbers of packets. */
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
    head->size = size + 1;
    return size < from->packet_size_max ? RECEIVE_MORE : RECEIVE_NOTHING;
}

receive_outcome arriving_look(const receive_from *from, const uint8_t *bytes, size_t size,
                              arriving_head *head)
{
    static const char plain[] = "/* CTF 1.";
    *head = (arriving_head){0};
    head->size = 4;
    if (size < 4)
        return RECEIVE_MORE;
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

/* ---- All that came ---- */

static void forget_parsed(arriving *a)
{
    decoder_free(a->decoder);
    programs_free(a->programs);
    schema_free(&a->schema);
    a->decoder = NULL;
    a->programs = NULL;
    a->schema = (ctf_schema){0};
    a->is_parsed = false;
}

/* Room for one more part. */
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

/* After all parts of ranks that are not higher. */
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

stele_status arriving_add(arriving *a, const arriving_head *head, const uint8_t *bytes,
                          bool *is_news)
{
    uint32_t hash;
    uint8_t *copy;
    *is_news = false;
    if (!hash_table_reserve(&a->known) || !reserve_part(a))
        return STELE_ERR_MEMORY;
    hash = hash_table_hash_bytes(&a->known, bytes, head->size);
    if (is_known(a, hash, bytes, head->size))
        return STELE_OK;
    if (a->size + head->size > PARTS_SIZE_MAX || a->count == PARTS_MAX ||
        !receive_room_change(a->room, 0, head->size + sizeof *a->parts))
        return STELE_ERR_LIMIT;
    copy = malloc(head->size);
    if (copy == NULL) {
        receive_room_change(a->room, head->size + sizeof *a->parts, 0);
        return STELE_ERR_MEMORY;
    }
    memcpy(copy, bytes, head->size);
    a->parts[a->count] = (arriving_part){copy, head->size, head->rank};
    put_in_order(a, a->count);
    hash_table_put(&a->known, hash, a->count);
    a->count++;
    a->size += head->size;
    *is_news = true;
    forget_parsed(a);
    return STELE_OK;
}

/* What is wrong in metadata that may still be incomplete is for those to say who read the trace. */
static stele_status parse(arriving *a, const stele_limits *limits, const uint8_t *bytes)
{
    diag_sink silent = {0};
    metadata text = {0};
    input *in = NULL;
    stele_status status = input_open_memory(&silent, "metadata", bytes, a->size, &in);
    if (status == STELE_OK)
        status = metadata_read(&text, &silent, limits, in);
    text.name = "metadata";
    if (status == STELE_OK) {
        metadata_keep_input(&text, in);
        if (!metadata_salvage(&text, &a->schema))
            status = text.error_count != 0 ? STELE_ERR_FORMAT : STELE_ERR_MEMORY;
    }
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
    if (a->is_parsed || a->size == 0)
        return true;
    bytes = malloc(a->size);
    if (bytes == NULL)
        return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const arriving_part *part = &a->parts[a->order[i]];
        memcpy(bytes + at, part->bytes, part->size);
        at += part->size;
    }
    status = parse(a, &context->limits, bytes);
    free(bytes);
    if (status == STELE_OK && a->schema.stream_count != 0)
        status = make_decoder(a, context);
    if (status != STELE_OK)
        forget_parsed(a);
    a->is_parsed = status != STELE_ERR_MEMORY;
    return a->is_parsed;
}

void arriving_put(const arriving *a, output *out)
{
    for (uint32_t i = 0; i < a->count; i++)
        output_write(out, a->parts[a->order[i]].bytes, a->parts[a->order[i]].size);
}

void arriving_free(arriving *a)
{
    forget_parsed(a);
    for (uint32_t i = 0; i < a->count; i++)
        free(a->parts[i].bytes);
    receive_room_change(a->room, a->size + a->count * sizeof *a->parts, 0);
    hash_table_free(&a->known);
    free(a->order);
    free(a->parts);
    free(a);
}
