/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives records that arrive over a network: see formats/receive.h. Records refer to strings and
 * threads by indexes that earlier records have defined, so each sender's records are a trace of
 * their own, and a new file for a sender begins with all definitions that are valid.
 */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/table.h"
#include "formats/fxt/records/decode.h"
#include "formats/receive.h"

/* A record as it arrived. */
typedef struct kept_record {
    uint8_t *bytes;
    size_t size;
} kept_record;

typedef struct kept_table {
    kept_record *records; /* by the index that each defines */
    uint32_t count;
} kept_table;

/* A record that names a process, a thread or another object. */
typedef struct kept_object {
    uint64_t id;   /* koid, or pointer of a userspace object */
    uint64_t kind; /* kind of the koid, or process of the pointer */
    kept_record record;
} kept_object;

typedef struct kept_objects {
    kept_object *all; /* in the order in which they were first named */
    uint32_t count, capacity;
    hash_table numbers; /* hash table by id and kind */
} kept_objects;

typedef struct provider_state {
    uint32_t id;
    kept_record about, initialization;
    kept_table strings, threads;
    kept_objects objects;
} provider_state;

/* providers; definitions of further ones are not repeated in later files. */
#define PROVIDERS_MAX 1024u

typedef struct fxt_receive {
    receiver base;
    provider_state *providers; /* the first one is for records before any provider */
    uint32_t count, capacity;
    uint32_t current;
    uint32_t beyond; /* id of a provider that there is no room for */
    bool is_beyond;
    receive_room *room;
    bool is_big_endian, is_begun;
    kept_record magic;
} fxt_receive;

static int probe(const uint8_t *bytes, size_t size)
{
    if (size < FXT_WORD)
        return 0;
    if (fxt_word(bytes, false) == STELE_FXT_MAGIC || fxt_word(bytes, true) == STELE_FXT_MAGIC)
        return 100;
    return fxt_is_plausible(fxt_word(bytes, false), UINT64_MAX) ? 20 : 0;
}

static provider_state *add_provider(fxt_receive *self, uint32_t id)
{
    if (self->count == self->capacity) {
        provider_state *grown = array_grow(self->providers, sizeof *grown, &self->capacity, 4);
        if (grown == NULL)
            return NULL;
        self->providers = grown;
    }
    self->providers[self->count] = (provider_state){.id = id};
    return &self->providers[self->count++];
}

static receiver *open_receiver(stele_context *context, receive_room *room, const uint8_t *metadata,
                               size_t size)
{
    fxt_receive *self = calloc(1, sizeof *self);
    (void)context;
    (void)metadata;
    (void)size;
    if (self == NULL || add_provider(self, 0) == NULL) {
        free(self);
        return NULL;
    }
    self->base.ops = &fxt_receiver;
    self->room = room;
    return &self->base;
}

static void drop(receive_room *room, kept_record *record)
{
    receive_room_change(room, record->size, 0);
    free(record->bytes);
    *record = (kept_record){0};
}

static void free_table(receive_room *room, kept_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        drop(room, &table->records[i]);
    receive_room_change(room, table->count * sizeof *table->records, 0);
    free(table->records);
}

/* Bytes of memory that an object takes besides its record. */
#define OBJECT_ROOM (2 * (sizeof(kept_object) + 2 * sizeof(hash_table_slot)))

static void free_objects(receive_room *room, kept_objects *objects)
{
    for (uint32_t i = 0; i < objects->count; i++)
        drop(room, &objects->all[i].record);
    receive_room_change(room, objects->count * OBJECT_ROOM, 0);
    hash_table_free(&objects->numbers);
    free(objects->all);
}

static void close_receiver(receiver *base)
{
    fxt_receive *self = (fxt_receive *)base;
    for (uint32_t i = 0; i < self->count; i++) {
        drop(self->room, &self->providers[i].about);
        drop(self->room, &self->providers[i].initialization);
        free_table(self->room, &self->providers[i].strings);
        free_table(self->room, &self->providers[i].threads);
        free_objects(self->room, &self->providers[i].objects);
    }
    drop(self->room, &self->magic);
    free(self->providers);
    free(self);
}

/* ---- Finding the ends of records ---- */

static receive_outcome pass(receive_packet *packet, size_t size, const char *found)
{
    packet->size = size < FXT_WORD ? size : FXT_WORD;
    packet->found = found;
    return RECEIVE_NOTHING;
}

/* Whether another record follows a record with damaged contents, so that its size is right. */
static receive_outcome judge_end(const fxt_receive *self, const uint8_t *bytes, size_t size,
                                 bool is_all, receive_packet *packet)
{
    const size_t after = packet->size;
    if (size == after && is_all)
        return RECEIVE_PACKET;
    if (size - after < FXT_WORD && !is_all) {
        packet->size = after + FXT_WORD;
        return RECEIVE_MORE;
    }
    if (size - after >= FXT_WORD &&
        fxt_is_plausible(fxt_word(bytes + after, self->is_big_endian), UINT64_MAX))
        return RECEIVE_PACKET;
    return pass(packet, size, "a record whose size its contents do not have");
}

static receive_outcome look(receiver *base, const receive_from *from, const uint8_t *bytes,
                            size_t size, receive_packet *packet)
{
    fxt_receive *self = (fxt_receive *)base;
    const bool is_all = from->is_datagram || from->is_ended;
    stele_fxt_record record;
    uint64_t header, said;
    *packet = (receive_packet){0};
    if (size < FXT_WORD && !is_all) {
        packet->size = FXT_WORD;
        return RECEIVE_MORE;
    }
    if (size < FXT_WORD)
        return pass(packet, size, "less than one word");
    if (!self->is_begun) {
        self->is_begun = true;
        self->is_big_endian = fxt_word(bytes, true) == STELE_FXT_MAGIC;
    }
    header = fxt_word(bytes, self->is_big_endian);
    said = fxt_size(header);
    if (said == 0 || said > from->packet_size_max)
        return pass(packet, size, "a record that says a size that cannot be");
    if (said > size && is_all)
        return pass(packet, size, "a record that is not there as a whole");
    packet->size = (size_t)said;
    if (said > size)
        return RECEIVE_MORE;
    if (stele_fxt_decode(bytes, (size_t)said, self->is_big_endian, &record) == STELE_FXT_OK)
        return RECEIVE_PACKET;
    return judge_end(self, bytes, size, is_all, packet);
}

/* ---- Definitions of strings and threads ---- */

/* Keeps a record in place of an earlier one. If there is no room, the earlier one is removed
   nevertheless, as it is not valid any more. */
static stele_status keep(fxt_receive *self, kept_record *at, const uint8_t *bytes, size_t size)
{
    uint8_t *copy;
    drop(self->room, at);
    if (!receive_room_change(self->room, 0, size))
        return STELE_ERR_LIMIT;
    copy = malloc(size);
    if (copy == NULL) {
        receive_room_change(self->room, size, 0);
        return STELE_ERR_MEMORY;
    }
    memcpy(copy, bytes, size);
    *at = (kept_record){copy, size};
    return STELE_OK;
}

static stele_status keep_in(fxt_receive *self, kept_table *table, uint32_t index,
                            const uint8_t *bytes, size_t size)
{
    if (index >= table->count) {
        const size_t before = table->count * sizeof *table->records;
        kept_record *grown;
        /* The bound is larger than what growing arrays take. */
        if ((index + (size_t)64) * 2 * sizeof *grown > self->room->max - self->room->used)
            return STELE_ERR_LIMIT;
        grown = array_reach(table->records, sizeof *grown, &table->count, index);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        table->records = grown;
        receive_room_change(self->room, before, table->count * sizeof *grown);
    }
    return keep(self, &table->records[index], bytes, size);
}

/* ---- Objects, which are named again in each file ---- */

/* Makes a string reference inline, with its current text, as its index may be defined again
   later. */
static void put_inside(const fxt_receive *self, const provider_state *p, stele_fxt_string *string)
{
    const kept_table *t = &p->strings;
    stele_fxt_record r;
    if (fxt_string_is_inline(string->ref) || string->ref == 0 || string->ref >= t->count ||
        t->records[string->ref].size == 0)
        return;
    if (stele_fxt_decode(t->records[string->ref].bytes, t->records[string->ref].size,
                         self->is_big_endian, &r) == STELE_FXT_OK)
        *string = r.name;
}

/* Makes a thread reference inline, with its current koids. */
static void put_koids_inside(const fxt_receive *self, const provider_state *p,
                             stele_fxt_thread *thread)
{
    const kept_table *t = &p->threads;
    stele_fxt_record r;
    if (thread->ref != 0 && thread->ref < t->count && t->records[thread->ref].size != 0 &&
        stele_fxt_decode(t->records[thread->ref].bytes, t->records[thread->ref].size,
                         self->is_big_endian, &r) == STELE_FXT_OK)
        *thread = (stele_fxt_thread){.has_process = true, .process = r.thread.process};
}

/* Writes the record to `to` so that it depends on no index. Returns its size, or 0 if it does not
   depend on any already. */
static size_t stand_alone(const fxt_receive *self, const provider_state *p, stele_fxt_record *r,
                          uint8_t *to, size_t capacity)
{
    stele_fxt_argument arguments[STELE_FXT_ARGUMENTS_MAX];
    stele_fxt_arguments walk = {0};
    uint32_t count = 0;
    if (self->is_big_endian)
        return 0;
    while (count < STELE_FXT_ARGUMENTS_MAX &&
           stele_fxt_argument_next(r, &walk, &arguments[count])) {
        put_inside(self, p, &arguments[count].name);
        put_inside(self, p, &arguments[count].string);
        count++;
    }
    put_inside(self, p, &r->name);
    put_koids_inside(self, p, &r->thread);
    return count == r->argument_count ? stele_fxt_encode(r, arguments, to, capacity) : 0;
}

/* Returns the entry of an object, which is made if it is new, or NULL if there is no memory or
   room. */
static kept_object *find_object(fxt_receive *self, kept_objects *objects, uint64_t id,
                                uint64_t kind, stele_status *status)
{
    uint32_t hash, at, number;
    *status = STELE_ERR_MEMORY;
    if (!hash_table_reserve(&objects->numbers))
        return NULL;
    at = hash = hash_table_hash_pair(&objects->numbers, id, kind);
    while ((number = hash_table_next(&objects->numbers, hash, &at)) != HASH_NONE)
        if (objects->all[number].id == id && objects->all[number].kind == kind)
            return &objects->all[number];
    if (objects->count == objects->capacity) {
        kept_object *grown = array_grow(objects->all, sizeof *grown, &objects->capacity, 8);
        if (grown == NULL)
            return NULL;
        objects->all = grown;
    }
    *status = STELE_ERR_LIMIT;
    if (!receive_room_change(self->room, 0, OBJECT_ROOM))
        return NULL;
    objects->all[objects->count] = (kept_object){.id = id, .kind = kind};
    hash_table_put(&objects->numbers, hash, objects->count);
    return &objects->all[objects->count++];
}

static stele_status learn_object(fxt_receive *self, provider_state *p, stele_fxt_record *r)
{
    const uint8_t *bytes = r->bytes;
    const size_t size = (size_t)r->size;
    const bool is_koid = r->type == STELE_FXT_KERNEL_OBJECT;
    uint8_t alone[STELE_FXT_RECORD_SIZE_MAX];
    stele_status status;
    const size_t alone_size = stand_alone(self, p, r, alone, sizeof alone);
    /* Koids are unique on a machine, so the same koid is the same object, regardless of its
       kind. */
    kept_object *object = find_object(self, &p->objects, r->words[0],
                                      is_koid ? UINT64_MAX : r->thread.process, &status);
    if (object == NULL)
        return status;
    return alone_size != 0 ? keep(self, &object->record, alone, alone_size)
                           : keep(self, &object->record, bytes, size);
}

/* ---- Records that arrive ---- */

/* Makes a provider current, adding it if it is new. */
static stele_status enter_provider(fxt_receive *self, uint32_t id)
{
    self->is_beyond = false;
    for (uint32_t i = 1; i < self->count; i++) {
        if (self->providers[i].id == id) {
            self->current = i;
            return STELE_OK;
        }
    }
    if (self->count == PROVIDERS_MAX) {
        self->is_beyond = true;
        self->beyond = id;
        return STELE_ERR_LIMIT;
    }
    if (add_provider(self, id) == NULL)
        return STELE_ERR_MEMORY;
    self->current = self->count - 1;
    return STELE_OK;
}

static stele_status learn_metadata(fxt_receive *self, const stele_fxt_record *r)
{
    stele_status status = STELE_OK;
    if (r->subtype == STELE_FXT_TRACE_INFO)
        return keep(self, &self->magic, r->bytes, (size_t)r->size);
    if (r->subtype != STELE_FXT_PROVIDER_INFO && r->subtype != STELE_FXT_PROVIDER_SECTION)
        return STELE_OK;
    status = enter_provider(self, r->number);
    if (status == STELE_OK && r->subtype == STELE_FXT_PROVIDER_INFO)
        status = keep(self, &self->providers[self->current].about, r->bytes, (size_t)r->size);
    return status;
}

static stele_status learn(receiver *base, const receive_from *from, const receive_packet *packet,
                          const uint8_t *bytes, bool *is_news)
{
    fxt_receive *self = (fxt_receive *)base;
    provider_state *p = &self->providers[self->current];
    const unsigned type = fxt_type(fxt_word(bytes, self->is_big_endian));
    const bool is_object = type == STELE_FXT_USERSPACE_OBJECT || type == STELE_FXT_KERNEL_OBJECT;
    stele_fxt_record r;
    (void)from;
    *is_news = false;
    if (type > STELE_FXT_THREAD && !is_object)
        return STELE_OK;
    if (stele_fxt_decode(bytes, packet->size, self->is_big_endian, &r) != STELE_FXT_OK)
        return STELE_OK;
    if (r.type == STELE_FXT_METADATA)
        return learn_metadata(self, &r);
    if (self->is_beyond)
        return STELE_ERR_LIMIT;
    if (is_object)
        return learn_object(self, p, &r);
    switch (r.type) {
    case STELE_FXT_INITIALIZATION: return keep(self, &p->initialization, bytes, packet->size);
    case STELE_FXT_STRING: return keep_in(self, &p->strings, r.number, bytes, packet->size);
    default: return keep_in(self, &p->threads, r.number, bytes, packet->size);
    }
}

static void put_record(output *out, const kept_record *record)
{
    if (record->size != 0)
        output_write(out, record->bytes, record->size);
}

static void put_table(output *out, const kept_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        put_record(out, &table->records[i]);
}

/*
 * Writes a provider section record ("Provider Section Metadata"): what follows belongs to that
 * provider.
 *
 * [0 .. 3] 0   [4 .. 15] 1   [16 .. 19] 2   [20 .. 51] provider
 */
static void put_section(output *out, bool is_big_endian, uint32_t provider)
{
    const uint64_t word = fxt_field(1, 4, 15) | fxt_field(STELE_FXT_PROVIDER_SECTION, 16, 19) |
                          fxt_field(provider, 20, 51);
    uint8_t bytes[FXT_WORD];
    (is_big_endian ? store_be64 : store_le64)(bytes, word);
    output_write(out, bytes, sizeof bytes);
}

static void put_state(receiver *base, uint32_t trace, output *out)
{
    const fxt_receive *self = (fxt_receive *)base;
    (void)trace;
    put_record(out, &self->magic);
    for (uint32_t i = 0; i < self->count; i++) {
        const provider_state *p = &self->providers[i];
        put_record(out, &p->about);
        if (i != 0)
            put_section(out, self->is_big_endian, p->id);
        put_record(out, &p->initialization);
        put_table(out, &p->strings);
        put_table(out, &p->threads);
        for (uint32_t k = 0; k < p->objects.count; k++)
            put_record(out, &p->objects.all[k].record);
    }
    if (self->is_beyond)
        put_section(out, self->is_big_endian, self->beyond);
    else if (self->current != 0)
        put_section(out, self->is_big_endian, self->providers[self->current].id);
}

const receiver_ops fxt_receiver = {
    .name = "fxt",
    .extension = ".fxt",
    .is_of_sender = true,
    .probe = probe,
    .open = open_receiver,
    .close = close_receiver,
    .look = look,
    .learn = learn,
    .put_state = put_state,
};
