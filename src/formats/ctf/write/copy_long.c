/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/write/copy_long.h"

#include "core/bits.h"
#include "formats/ctf/schema/choices.h"

/* Whether the head has the packet's begin with all 64 bits, on the clock of its events. */
static bool has_whole_begin(const ctf_class *head, const ctf_clock *clock)
{
    for (uint32_t i = 0; head != NULL && i < head->u.structure.count; i++) {
        const ctf_class *type = head->u.structure.members[i].type;
        if ((type->roles & (CTF_ROLE_PACKET_BEGIN | CTF_ROLE_TIMESTAMP)) != 0 &&
            (type->roles & CTF_ROLE_PACKET_END) == 0 && type->kind == CTF_UINT &&
            type->size == WHOLE_WIDTH && (type->clock == NULL || type->clock == clock))
            return true;
    }
    return false;
}

bool cut_times_are_sure(const ctf_class *type, const ctf_clock *begin)
{
    switch (type->kind) {
    case CTF_STRUCT:
        for (uint32_t i = 0; i < type->u.structure.count; i++) {
            if (!cut_times_are_sure(type->u.structure.members[i].type, begin))
                return false;
        }
        return true;
    case CTF_VARIANT:
        for (uint32_t i = 0; i < type->u.variant.count; i++) {
            if (!cut_times_are_sure(type->u.variant.options[i].type, begin))
                return false;
        }
        return true;
    case CTF_OPTIONAL: return cut_times_are_sure(type->u.optional.element, begin);
    default:
        return (type->roles & CTF_ROLE_TIMESTAMP) == 0 ||
               (type->kind == CTF_UINT && type->size == WHOLE_WIDTH) ||
               (begin != NULL && (type->clock == NULL || type->clock == begin));
    }
}

bool cut_is_possible(const ctf_schema *schema, const ctf_stream_class *type)
{
    const ctf_clock *clock = type->clock;
    const bool has_begin = has_whole_begin(schema->packet_header, clock) ||
                           has_whole_begin(type->packet_context, clock);
    return clock == NULL || type->event_header == NULL ||
           cut_times_are_sure(type->event_header, has_begin ? clock : NULL);
}

/* Whether the class is an integer that number_write() can write, with exactly this role. */
static bool is_number(const ctf_class *type, unsigned role)
{
    return type->kind == CTF_UINT && type->roles == role && type->size <= 64 &&
           !type->is_bit_reversed;
}

/* Whether the class is struct { id; timestamp }, in any order, with 64 bits of time. */
static bool is_long(const ctf_class *type)
{
    /* Collects the roles of the members that fit, so that two members with one role do not pass. */
    unsigned roles = 0;
    if (type->kind != CTF_STRUCT || type->u.structure.count != 2)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        const ctf_class *member = type->u.structure.members[i].type;
        if (is_number(member, CTF_ROLE_EVENT_CLASS_ID) ||
            (is_number(member, CTF_ROLE_TIMESTAMP) && member->size == WHOLE_WIDTH))
            roles |= member->roles;
    }
    return roles == (CTF_ROLE_EVENT_CLASS_ID | CTF_ROLE_TIMESTAMP);
}

/* Finds the first option with a whole id and time, and the least id that selects it. Returns false
   if out of memory. */
static bool variant_is_long(long_header *found, const ctf_class *variant, const target_user *user)
{
    range_table table;
    arena memory = {0};
    bool is_known = choices_make(&table, &memory, variant, user);
    /* The ranges of the selector ascend, so the least id of an option comes first. */
    for (uint32_t i = 0; is_known && i < table.count && !found->is_there; i++) {
        const range_entry *entry = &table.entries[i];
        if (is_long(variant->u.variant.options[entry->index].type))
            *found = (long_header){true, entry->index, entry->low};
    }
    arena_free(&memory);
    return is_known;
}

/*
 * Finds the long form of a header struct { id; [timestamp;] variant or optional <id> { ..., struct
 * { id; timestamp } } }, as LTTng and the RFC have. Returns false if out of memory; `found` is
 * unchanged if the header has no such form.
 */
static bool header_find_long(long_header *found, target_walk *walk, const ctf_class *header)
{
    bool is_fine = true;
    for (uint32_t i = 0; i < header->u.structure.count && is_fine; i++) {
        const ctf_class *type = header->u.structure.members[i].type;
        /* The header's only user of an earlier field must be the variant or optional, and its
           selector the id. */
        const target_user *user = walk->users;
        if (walk->user_count != 1 || user->kind != USER_SLOT ||
            !is_number(user->target, CTF_ROLE_EVENT_CLASS_ID))
            return true;
        if (type->kind == CTF_VARIANT)
            is_fine = variant_is_long(found, type, user);
        else if (type->kind == CTF_OPTIONAL && !type->has_bool_selector &&
                 is_long(type->u.optional.element))
            *found = (long_header){true, 0, type->u.optional.ranges[0].low};
    }
    return is_fine;
}

bool long_header_find(long_header *found, const ctf_schema *schema, const ctf_stream_class *type,
                      const stele_limits *limits)
{
    uint32_t stream = 0;
    target_walk walk;
    bool is_fine = target_walk_open(&walk, schema, limits, schema->targets, NULL);
    *found = (long_header){0};
    /* `type` is one of the schema's streams, so the loop ends. */
    while (schema->streams[stream] != type)
        stream++;
    if (is_fine && type->event_header != NULL) {
        target_walk_begin(&walk, stream, NULL);
        is_fine = target_walk_scope(&walk, CTF_SCOPE_EVENT_HEADER) &&
                  header_find_long(found, &walk, type->event_header);
    }
    target_walk_close(&walk);
    return is_fine;
}

/* Writes a number of an event header with its alignment and unit. Returns false if it cannot be
   written among these bits. */
static bool number_write(bit_writer *to, const ctf_class *type, uint64_t value)
{
    const unsigned size = type->size;
    bits_align(to, type->alignment);
    if (type->unit_size != 0 && to->at % type->unit_size + size > type->unit_size)
        bits_align(to, type->unit_size);
    /* A number of the other byte order must be whole bytes at the begin of a byte, which are
       swapped. */
    if (type->is_big_endian != to->is_big_endian) {
        if (((to->at | size) & 7) != 0)
            return false;
        value = __builtin_bswap64(value) >> (64 - size);
    }
    bits_write(to, value, size);
    return true;
}

/* Writes struct { id; timestamp }. Returns false if the id does not fit. */
static bool long_write(bit_writer *to, const ctf_class *type, uint64_t id, uint64_t ticks)
{
    bool is_fine = true;
    bits_align(to, type->alignment);
    for (uint32_t i = 0; i < type->u.structure.count && is_fine; i++) {
        const ctf_class *member = type->u.structure.members[i].type;
        const bool is_time = member->roles == CTF_ROLE_TIMESTAMP;
        is_fine = (is_time || id <= bits_mask(member->size)) &&
                  number_write(to, member, is_time ? ticks : id);
    }
    return is_fine;
}

bool long_header_write(const long_header *found, const ctf_class *header, bit_writer *to,
                       uint64_t id, uint64_t ticks)
{
    bool is_fine = found->is_there;
    bits_align(to, header->alignment);
    for (uint32_t i = 0; i < header->u.structure.count && is_fine; i++) {
        const ctf_class *type = header->u.structure.members[i].type;
        /* In the compact part, the id is the one that announces the long form. */
        if (is_number(type, CTF_ROLE_EVENT_CLASS_ID))
            is_fine = number_write(to, type, found->escape);
        else if (is_number(type, CTF_ROLE_TIMESTAMP))
            is_fine = number_write(to, type, ticks);
        else if (type->kind == CTF_VARIANT)
            is_fine = long_write(to, type->u.variant.options[found->option].type, id, ticks);
        else
            is_fine =
                type->kind == CTF_OPTIONAL && long_write(to, type->u.optional.element, id, ticks);
    }
    return is_fine;
}
