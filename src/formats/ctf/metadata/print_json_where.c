/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the parts of CTF 2 classes that refer to something: names of members, ranges and labels of
   values, locations of lengths and selectors. */
#include <stdlib.h>

#include <stele/json.h>

#include "core/text.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/metadata/print_json_where.h"
#include "formats/ctf/metadata/print_walk.h"
#include "formats/ctf/schema/names.h"

static bool is_clashing(const json_printer *j, const ctf_class *type)
{
    return intern_find(&j->clashing, (const char *)&type, sizeof type) != INTERN_NONE;
}

ctf_text ctf2_name_of(const json_printer *j, const ctf_class *type, const ctf_member *member)
{
    return is_clashing(j, type) ? member->written : member->name;
}

void ctf2_check_names(json_printer *j, const ctf_class *type, const ctf_member *members,
                      uint32_t count)
{
    bool is_new = true;
    if (j->p->schema->generation != CTF_1 || count < 2)
        return;
    if (!text_set_start(&j->names, count)) {
        j->out->status = STELE_ERR_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < count && is_new; i++)
        is_new = text_set_add(&j->names, members[i].name.bytes, members[i].name.size);
    if (is_new)
        return;
    ctf2_lose(j, "names that differ by an escape alone");
    if (intern_add(&j->clashing, (const char *)&type, sizeof type) == INTERN_NONE)
        j->out->status = STELE_ERR_MEMORY;
}

void ctf2_range_end(json_printer *j, uint64_t value, bool is_signed)
{
    if (is_signed)
        output_i64(j->out, (int64_t)value);
    else
        output_u64(j->out, value);
}

void ctf2_ranges(json_printer *j, const ctf_range *range, uint32_t count, bool is_signed,
                 bool is_first)
{
    for (uint32_t i = 0; i < count; i++, range++) {
        output_text(j->out, i == 0 && is_first ? "[" : ", [");
        ctf2_range_end(j, range->low, is_signed || range->is_signed);
        output_text(j->out, ", ");
        ctf2_range_end(j, range->high, is_signed || range->is_signed);
        output_byte(j->out, ']');
    }
}

void ctf2_put_ranges(json_printer *j, const ctf_range *range, uint32_t count, bool is_signed)
{
    ctf2_key(j, "selector-field-ranges");
    output_byte(j->out, '[');
    ctf2_ranges(j, range, count, is_signed, true);
    output_byte(j->out, ']');
}

/* Mappings with the same label: CTF 1.8 and the RFC may have several, CTF 2 has one with all
   ranges. */
typedef struct same_label {
    uint32_t next; /* number of the next mapping with this label; 0: there is none */
    uint32_t last; /* with is_first: number of the last mapping with this label */
    bool is_first; /* no mapping before this one has its label */
} same_label;

/* Links mappings with the same label. Returns NULL if out of memory. */
static same_label *labels_chain(const ctf_class *type)
{
    same_label *labels = calloc((size_t)type->mapping_count + 1, sizeof *labels);
    name_register known;
    bool is_ok = labels != NULL && name_register_init(&known);
    for (uint32_t i = 0; i < type->mapping_count && is_ok; i++) {
        const same_label *found = name_register_find(&known, type->mappings[i].name);
        same_label *first = found != NULL ? &labels[found - labels] : NULL;
        labels[i].is_first = first == NULL;
        if (first != NULL) {
            labels[first->last != 0 ? first->last : (uint32_t)(first - labels)].next = i;
            first->last = i;
        } else {
            is_ok = name_register_put(&known, type->mappings[i].name, &labels[i]);
        }
    }
    if (labels != NULL)
        name_register_free(&known);
    if (!is_ok) {
        free(labels);
        labels = NULL;
    }
    return labels;
}

void ctf2_put_mappings(json_printer *j, const char *name, const ctf_class *type)
{
    const bool is_signed = type->kind == CTF_INT || type->kind == CTF_VAR_INT;
    same_label *labels = labels_chain(type);
    if (labels == NULL) {
        j->out->status = STELE_ERR_MEMORY;
        return;
    }
    ctf2_open(j, name, '{');
    for (uint32_t i = 0; i < type->mapping_count; i++) {
        bool is_first = true;
        if (!labels[i].is_first)
            continue;
        stele_json_value_of(&j->json, type->mappings[i].name.bytes, type->mappings[i].name.size);
        output_byte(j->out, '[');
        for (uint32_t k = i; is_first || k != 0; k = labels[k].next) {
            ctf2_ranges(j, type->mappings[k].ranges, type->mappings[k].range_count, is_signed,
                        is_first);
            is_first = false;
        }
        output_byte(j->out, ']');
    }
    ctf2_close(j, '}');
    free(labels);
}

static const char *const origins[CTF_SCOPE_COUNT] = {"packet-header",
                                                     "packet-context",
                                                     "event-record-header",
                                                     "event-record-common-context",
                                                     "event-record-specific-context",
                                                     "event-record-payload"};

/* Returns the structure in which the path to a target begins. */
static const ctf_class *target_root(const json_printer *j, const print_target *target)
{
    return target->is_relative ? j->walk.levels[j->walk.depth - 1 - target->up].structure
                               : walk_root(&j->walk, target->scope);
}

static void step(json_printer *j, bool is_first, ctf_text name)
{
    if (!is_first)
        output_text(j->out, ", ");
    if (name.bytes != NULL)
        ctf2_string(j, name);
    else
        output_text(j->out, "null");
}

bool ctf2_put_location(json_printer *j, const char *name, const ctf_location *location,
                       print_target *target)
{
    const bool is_known = walk_resolve(&j->walk, location, target);
    const bool is_written = j->p->schema->generation == CTF_2;
    const ctf_scope scope = is_written            ? location->scope
                            : target->is_relative ? CTF_SCOPE_RELATIVE
                                                  : target->scope;
    const ctf_class *within;
    if (!is_known && !is_written)
        return false;
    within = is_written ? NULL : target_root(j, target);
    ctf2_open(j, name, '{');
    if (scope < CTF_SCOPE_COUNT)
        ctf2_put_word(j, "origin", origins[scope]);
    ctf2_key(j, "path");
    output_byte(j->out, '[');
    if (is_written) {
        for (uint32_t i = 0; i < location->step_count; i++)
            step(j, i == 0, location->steps[i]);
    } else {
        for (uint32_t i = 0; i < target->up; i++)
            step(j, i == 0, (ctf_text){0});
        for (uint32_t i = 0; i < target->member_count; i++) {
            step(j, target->up + i == 0, ctf2_name_of(j, within, target->members[i]));
            within = target->members[i]->type;
        }
    }
    output_byte(j->out, ']');
    ctf2_close(j, '}');
    return true;
}
