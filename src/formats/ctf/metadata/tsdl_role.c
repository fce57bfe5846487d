/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the roles of fields in headers and packet contexts (CTF 1.8.3, sections 5 and 6). */
#include <inttypes.h>

#include "formats/ctf/metadata/tsdl.h"

/* Levels of structures in which fields can have a role: headers are never deep. */
#define ROLE_DEPTH_MAX 16

/* Most fields that are searched for roles: types made of types can have more fields than can be
   visited. */
#define ROLE_WORK_MAX (UINT32_C(1) << 24)

typedef struct role_search {
    tsdl *p;
    ctf_scope scope;
    ctf_stream_class *stream; /* NULL for the packet header */
} role_search;

typedef struct role_name {
    const char *name;
    uint16_t roles;
} role_name;

static const role_name header_names[] = {{"magic", CTF_ROLE_PACKET_MAGIC},
                                         {"stream_id", CTF_ROLE_STREAM_CLASS_ID},
                                         {"stream_instance_id", CTF_ROLE_STREAM_ID},
                                         {NULL, 0}};
static const role_name context_names[] = {
    {"timestamp_begin", CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_BEGIN},
    {"timestamp_end", CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_END},
    {"content_size", CTF_ROLE_CONTENT_LENGTH},
    {"packet_size", CTF_ROLE_TOTAL_LENGTH},
    {"packet_seq_num", CTF_ROLE_SEQUENCE_NUMBER},
    {"events_discarded", CTF_ROLE_DISCARDED},
    {"cpu_id", CTF_ROLE_CPU},
    {NULL, 0}};
static const role_name event_names[] = {
    {"id", CTF_ROLE_EVENT_CLASS_ID}, {"timestamp", CTF_ROLE_TIMESTAMP}, {NULL, 0}};

static uint16_t role_by_name(const role_name *names, ctf_text name)
{
    for (; names->name != NULL; names++)
        if (ctf_text_is(name, names->name))
            return names->roles;
    return 0;
}

/* Returns the roles of a member. Only unsigned integers of at most 64 bits have any. */
static uint16_t role_of(const role_search *s, const ctf_member *member, unsigned depth)
{
    const ctf_class *type = member->type;
    uint16_t roles = 0;
    if (type->kind != CTF_UINT || type->size > 64)
        return 0;
    if (s->scope == CTF_SCOPE_PACKET_HEADER && depth == 0)
        roles = role_by_name(header_names, member->name);
    if (s->scope == CTF_SCOPE_PACKET_CONTEXT && depth == 0)
        roles = role_by_name(context_names, member->name);
    if (s->scope == CTF_SCOPE_EVENT_HEADER)
        roles = role_by_name(event_names, member->name);
    if (type->clock != NULL && s->scope != CTF_SCOPE_PACKET_HEADER)
        roles |= CTF_ROLE_TIMESTAMP;
    return roles;
}

/* Whether the member is an array of 16 bytes called uuid. */
static bool is_uuid(const role_search *s, const ctf_member *member, unsigned depth)
{
    const ctf_class *type = member->type;
    const ctf_class *element = type->kind == CTF_STATIC_ARRAY ? type->u.array.element : NULL;
    return s->scope == CTF_SCOPE_PACKET_HEADER && depth == 0 && element != NULL &&
           ctf_text_is(member->name, "uuid") && type->u.array.length == 16 &&
           element->kind == CTF_UINT && element->size == 8 && element->alignment == 8;
}

static const ctf_class *class_with_roles(const role_search *s, const ctf_class *type,
                                         unsigned depth);

static ctf_class *class_copy(tsdl *p, const ctf_class *type, uint16_t roles)
{
    ctf_class *made = schema_take(p->schema, 1, sizeof *made);
    if (made != NULL) {
        *made = *type;
        made->roles |= roles;
    }
    return made;
}

/* Returns the type of the member with its roles, which is its own type if it has none. Returns NULL
   after reporting, or if out of memory. */
static const ctf_class *member_with_roles(const role_search *s, const ctf_member *member,
                                          unsigned depth)
{
    const uint16_t roles = role_of(s, member, depth);
    ctf_class *made;
    timestamp *t;
    if (s->p->role_work++ > ROLE_WORK_MAX) {
        tsdl_fail(s->p, CTF052, member->place.offset, NULL,
                  "headers with more fields than %" PRIu32, ROLE_WORK_MAX);
        return NULL;
    }
    if (roles == 0)
        return is_uuid(s, member, depth) ? class_copy(s->p, member->type, CTF_ROLE_UUID)
                                         : class_with_roles(s, member->type, depth + 1);
    made = class_copy(s->p, member->type, roles);
    if (made == NULL || (roles & CTF_ROLE_TIMESTAMP) == 0)
        return made;
    t = tsdl_add(&s->p->timestamps, sizeof *t);
    if (t == NULL)
        return NULL;
    *t = (timestamp){s->stream, made, member->place.offset};
    return made;
}

static const ctf_class *class_with_roles(const role_search *s, const ctf_class *type,
                                         unsigned depth)
{
    const bool is_variant = type->kind == CTF_VARIANT;
    const ctf_member *members = is_variant ? type->u.variant.options : type->u.structure.members;
    const uint32_t count = is_variant ? type->u.variant.count : type->u.structure.count;
    ctf_member *copied = NULL;
    ctf_class *made;
    if ((!is_variant && type->kind != CTF_STRUCT) || depth > ROLE_DEPTH_MAX)
        return type;
    for (uint32_t i = 0; i < count; i++) {
        const ctf_class *changed = member_with_roles(s, &members[i], depth);
        if (changed == NULL)
            return NULL;
        if (changed == members[i].type)
            continue;
        if (copied == NULL) {
            copied = schema_take(s->p->schema, count, sizeof *copied);
            if (copied == NULL)
                return NULL;
            memcpy(copied, members, count * sizeof *copied);
        }
        copied[i].type = changed;
    }
    if (copied == NULL)
        return type;
    made = class_copy(s->p, type, 0);
    if (made != NULL && is_variant)
        made->u.variant.options = copied;
    else if (made != NULL)
        made->u.structure.members = copied;
    return made;
}

/* Checks that the magic number is the first field of packets and has 32 bits. */
static bool magic_is_usable(tsdl *p, const ctf_class *header)
{
    for (uint32_t i = 0; i < header->u.structure.count; i++) {
        const ctf_member *member = &header->u.structure.members[i];
        if ((member->type->roles & CTF_ROLE_PACKET_MAGIC) == 0)
            continue;
        if (member->type->size != 32 || i != 0)
            return tsdl_fail(p, CTF105, member->place.offset,
                             "a magic number of 32 bits at the front of the packet header",
                             i != 0 ? "one after other fields" : "one of another size");
    }
    return true;
}

const ctf_class *tsdl_with_roles(tsdl *p, const ctf_class *type, ctf_scope scope,
                                 ctf_stream_class *stream)
{
    const role_search s = {p, scope, stream};
    if (scope != CTF_SCOPE_PACKET_HEADER && scope != CTF_SCOPE_PACKET_CONTEXT &&
        scope != CTF_SCOPE_EVENT_HEADER)
        return type;
    type = class_with_roles(&s, type, 0);
    if (type == NULL || (scope == CTF_SCOPE_PACKET_HEADER && !magic_is_usable(p, type)))
        return NULL;
    return type;
}

static bool has_role(const ctf_class *type, uint16_t role, unsigned depth)
{
    const bool is_variant = type->kind == CTF_VARIANT;
    const ctf_member *members = is_variant ? type->u.variant.options : type->u.structure.members;
    const uint32_t count = is_variant ? type->u.variant.count : type->u.structure.count;
    if ((!is_variant && type->kind != CTF_STRUCT) || depth > ROLE_DEPTH_MAX)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if ((members[i].type->roles & role) != 0 || has_role(members[i].type, role, depth + 1))
            return true;
    return false;
}

bool tsdl_has_role(const ctf_class *type, uint16_t role)
{
    return type != NULL && has_role(type, role, 0);
}
