/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How Stele's writer says in CTF what an event is besides its fields. CTF knows moments only: an
 * event that is more, or whose name no class has, begins its payload with
 *
 *     stele_kind      u8: the kind in its lowest 5 bits, and which of the next three are there
 *     stele_flags     u8: STELE_FLAG_...              (SPAN_HAS_FLAGS)
 *     stele_name      string                          (SPAN_HAS_NAME)
 *     stele_category  string                          (SPAN_HAS_CATEGORY)
 *     ...             what the kind keeps in `value` and `id`, as span_members_of says
 *
 * Functions that are entered and left have `addr` and `call_site` in front of that.
 */
#ifndef CTF_SPANS_H
#define CTF_SPANS_H

#include <stele/event.h>

#define SPAN_KIND_MASK    0x1fu
#define SPAN_HAS_FLAGS    0x20u
#define SPAN_HAS_NAME     0x40u
#define SPAN_HAS_CATEGORY 0x80u

/* Members that stand for `value` and `id`; NULL: there is nothing in it. */
typedef struct span_members {
    const char *value, *id;
    bool is_hex; /* the id */
} span_members;

extern const span_members span_members_of[STELE_KIND_COUNT];

#endif
