/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Defines how Stele's writer expresses in CTF what an event is besides its fields. CTF knows only
 * moments. An event that is more than a moment, or whose name no class has, begins its payload with
 * these fields:
 *
 *     stele_kind      u8: the kind in its lowest 5 bits, and which of the next three are there
 *     stele_flags     u8: STELE_FLAG_...              (SPAN_HAS_FLAGS)
 *     stele_name      string                          (SPAN_HAS_NAME)
 *     stele_category  string                          (SPAN_HAS_CATEGORY)
 *     ...             what the kind keeps in `value` and `id`, as span_members_of says; of a switch
 *                     and a wake also the numbers of their tracks
 *
 * Events of functions that are entered and left are LTTng's `lttng_ust_cyg_profile:func_entry` and
 * `func_exit`. They have `addr` and `call_site` before these fields.
 *
 * The context before an event has `stele_track`, the number of its track; 0 stands for none. The
 * environment lists the tracks in entries `stele_track_N = "KIND NUMBER PARENT NAME"`.
 * Fields of types that CTF has no classes for are marked in their classes: see marks.h.
 * All of this holds only if the environment contains `stele_events = 1`.
 */
#ifndef CTF_SPANS_H
#define CTF_SPANS_H

#include <stele/event.h>

#define SPAN_MARK    "stele_events"
#define SPAN_VERSION 1u
#define SPAN_TRACK   "stele_track_"

#define SPAN_TRACK_FIELD "stele_track"
#define SPAN_KIND        "stele_kind"
#define SPAN_FLAGS       "stele_flags"
#define SPAN_NAME        "stele_name"
#define SPAN_CATEGORY    "stele_category"
#define SPAN_ADDR        "addr"
#define SPAN_CALL_SITE   "call_site"
#define SPAN_OUTGOING    "stele_outgoing"
#define SPAN_INCOMING    "stele_incoming"

/* Bit of stele_track: the event itself has no CPU; the CPU in its packet's context is only the
   number of its track. */
#define SPAN_TRACK_IS_CPU 0x80000000u

#define SPAN_FLAGS_KEPT                                                                  \
    (STELE_FLAG_UNRESOLVED | STELE_FLAG_NO_TIME | STELE_FLAG_PART | STELE_FLAG_DAMAGED | \
     STELE_FLAG_CLAMPED | STELE_FLAG_REPEATED)

#define SPAN_KIND_MASK    0x1fu
#define SPAN_HAS_FLAGS    0x20u
#define SPAN_HAS_NAME     0x40u
#define SPAN_HAS_CATEGORY 0x80u

/* Names of the members that hold an event's `value` and `id`; NULL if the kind has no such
   member. */
typedef struct span_members {
    const char *value, *id;
    bool is_hex; /* `id` is shown in hexadecimal */
} span_members;

extern const span_members span_members_of[STELE_KIND_COUNT];

#endif
