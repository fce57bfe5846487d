/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/records/resume.h"

/*
 * Whether the record says nothing: an empty string, an object or event without a name, an empty
 * blob. Headers of arguments have the same form as those of records, and small values look like
 * such records, so these prove nothing.
 */
static bool is_hollow(const stele_fxt_record *r)
{
    switch (r->type) {
    case STELE_FXT_METADATA: return r->subtype == STELE_FXT_PROVIDER_INFO && r->name.bytes == NULL;
    case STELE_FXT_STRING: return fxt_string_size(r->name.ref) == 0;
    case STELE_FXT_EVENT: return r->category.ref == 0 && r->name.ref == 0;
    case STELE_FXT_USERSPACE_OBJECT:
    case STELE_FXT_KERNEL_OBJECT: return r->name.ref == 0;
    case STELE_FXT_LARGE: return r->name.ref == 0 || r->payload_size == 0;
    default: return false;
    }
}

/* Whether a record begins after `ahead` bytes: its header is plausible, and its contents, as far as
   loaded, end exactly where its size says. */
static bool view_is_sound(const fxt_view *v, uint64_t ahead)
{
    const uint64_t header = fxt_word(v->at + ahead, v->is_big_endian);
    const uint64_t loaded = v->loaded - ahead, size = fxt_size(header);
    stele_fxt_record record;
    if (!fxt_is_plausible(header, UINT64_MAX))
        return false;
    if (fxt_type(header) != STELE_FXT_LARGE && size > loaded)
        return true;
    return stele_fxt_decode(v->at + ahead, (size_t)loaded, v->is_big_endian, &record) ==
               STELE_FXT_OK &&
           record.used == size && !is_hollow(&record);
}

/* Whether a record between two damaged places is sound by itself: without a successor its contents
   must fit its size. Short records of state look too much like numbers. */
static bool view_stands_alone(const fxt_view *v, uint64_t ahead)
{
    stele_fxt_record record;
    return stele_fxt_decode(v->at + ahead, (size_t)(v->loaded - ahead), v->is_big_endian,
                            &record) == STELE_FXT_OK &&
           record.type >= STELE_FXT_EVENT && record.type <= STELE_FXT_PROFILER &&
           record.type != STELE_FXT_BLOB && record.used == record.size && !is_hollow(&record);
}

/* Whether sound records follow each other after `ahead` bytes: `depth` of them, or at least
   `depth_to_end` up to the end. */
bool fxt_view_resumes(const fxt_view *v, uint64_t ahead, unsigned depth, unsigned depth_to_end)
{
    const uint64_t from = ahead;
    for (unsigned i = 0; i < depth; i++) {
        uint64_t size;
        if (ahead == v->left)
            return i >= depth_to_end;
        if (ahead + FXT_WORD > v->loaded)
            return i >= depth_to_end && ahead < v->left; /* the next one is not loaded */
        size = fxt_size(fxt_word(v->at + ahead, v->is_big_endian));
        if (!view_is_sound(v, ahead))
            return i == 1 && depth == 2 && view_stands_alone(v, from);
        if (size > v->left - ahead)
            return i != 0; /* the last record is cut */
        ahead += size;
    }
    return true;
}

/* Whether records follow each other after `ahead` bytes, by their headers alone: newer writers may
   add to each record what is unknown here. */
static bool view_resumes_loosely(const fxt_view *v, uint64_t ahead, unsigned depth)
{
    for (unsigned i = 0; i < depth; i++) {
        uint64_t header;
        if (ahead == v->left)
            return i > 1;
        if (ahead >= v->loaded || ahead + FXT_WORD > v->loaded)
            return false;
        header = fxt_word(v->at + ahead, v->is_big_endian);
        if (!fxt_is_plausible(header, v->left - ahead))
            return false;
        ahead += fxt_size(header);
    }
    return true;
}

/* Whether records go on after `ahead` bytes, a whole number of words. */
bool fxt_view_goes_on(const fxt_view *v, uint64_t ahead)
{
    return fxt_view_resumes(v, ahead, 2, 1) || view_resumes_loosely(v, ahead, 5);
}

/* Whether a record begins after `ahead` bytes, perhaps after some with unknown additions: one with
   a plausible header, or with contents that end where its size says. */
bool fxt_view_is_followed(const fxt_view *v, uint64_t ahead)
{
    for (unsigned i = 0; i < 8 && ahead + FXT_WORD <= v->loaded; i++) {
        stele_fxt_record next;
        const stele_fxt_fault fault =
            stele_fxt_decode(v->at + ahead, (size_t)(v->loaded - ahead), v->is_big_endian, &next);
        if (next.size == 0)
            return false;
        if (next.size > v->left - ahead) /* if it is a record, it is cut */
            return fault == STELE_FXT_FAULT_CUT || fault == STELE_FXT_FAULT_SUBTYPE;
        if (fxt_is_plausible(next.header, v->left - ahead) || fault == STELE_FXT_FAULT_CUT ||
            (fault == STELE_FXT_OK && next.used == next.size))
            return true;
        if (fault != STELE_FXT_FAULT_SUBTYPE && fault != STELE_FXT_OK)
            return false;
        ahead += next.size;
    }
    return true; /* as far as bytes are loaded */
}

/* Whether a record's size leads to other records although its contents are not valid. Contents that
   are too short or too long speak against the size, so more records are required then. */
bool fxt_view_is_led_to(const fxt_view *v, uint64_t ahead, const stele_fxt_record *r)
{
    if (r->fault == STELE_FXT_OK || r->fault == STELE_FXT_FAULT_SUBTYPE || ahead == v->left)
        return fxt_view_is_followed(v, ahead);
    return fxt_view_resumes(v, ahead, 2, 1) || view_resumes_loosely(v, ahead, 3);
}
