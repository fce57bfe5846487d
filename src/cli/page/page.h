/* SPDX-License-Identifier: Apache-2.0 */
/* What 'stele report' knows of one trace, or of two that are compared, and the parts of its page.
 */
#ifndef CLI_PAGE_PAGE_H
#define CLI_PAGE_PAGE_H

#include <stele/insn_analysis.h>
#include <stele/overview.h>
#include <stele/sched.h>

#include "cli/digest.h"
#include "cli/insn/insn.h"

#define PAGE_BINS   240u /* of charts over time */
#define PAGE_SLOW   30u
#define PAGE_FIELDS 400u /* bytes of the fields of a span */
#define PAGE_SIDES  2u

/* ---- Spreads: how the durations of each name are distributed --------------------------------- */

/* Four classes from one power of two to the next. */
#define SPREAD_CLASSES 256u

typedef struct spread {
    stele_name name;
    uint64_t count, total_ns;
    uint32_t classes[SPREAD_CLASSES];
} spread;

/* In memory of a fixed number of names: those that come first. */
typedef struct spreads {
    spread *of;
    size_t count, capacity;
    uint32_t *index; /* by number of the name: number in `of` and 1; 0: none */
    uint32_t index_count;
    uint64_t other_count; /* spans of names beyond them */
} spreads;

bool spreads_add(spreads *s, stele_name name, uint64_t duration_ns);
const spread *spreads_find(const spreads *s, stele_name name);
void spreads_free(spreads *s);

/* Where a class begins, in nanoseconds. */
uint64_t spread_class_begin(unsigned number);

/* ---- Troubles: where events are missing, damaged, or out of order ---------------------------- */

typedef enum trouble_kind {
    TROUBLE_LOST,
    TROUBLE_DAMAGED,
    TROUBLE_DISORDER,
    TROUBLE_COUNT
} trouble_kind;

typedef struct trouble {
    int64_t begin_ns, end_ns;
    uint64_t count; /* of events; 0: not known */
} trouble;

#define TROUBLES_MAX 4096u

/* Beyond so many, some stand for those beside them. */
typedef struct troubles {
    trouble of[TROUBLES_MAX];
    size_t count;
    uint64_t step, left; /* one of `step` is kept; so many are left until the next one */
    uint64_t total;
} troubles;

void troubles_add(troubles *t, int64_t begin_ns, int64_t end_ns, uint64_t count);

/* ---- A trace ----------------------------------------------------------------------------------
 */

typedef struct slow_span {
    stele_span span;
    char fields[PAGE_FIELDS]; /* as text for people */
} slow_span;

typedef enum page_clock { PAGE_NS, PAGE_TICKS, PAGE_INSNS } page_clock;

/* A track that is shown, with its bins over the whole time. */
typedef struct page_track {
    stele_overview_track about;
    char *title; /* as text for people */
    stele_overview_bin *bins;
} page_track;

/* What instructions do, in one pass over them. */
typedef struct page_insns {
    insns s;
    stele_insn_mix *mix;
    stele_insn_branches *branches;
    stele_insn_blocks *blocks;
    stele_insn_footprint *footprint;
    stele_insn_reuse *reuse;
    stele_insn_bbv *bbv;
    struct phases *phases;
    uint64_t interval; /* in instructions of a thread */
    uint64_t reuse_sample;
    uint64_t insn_count;
} page_insns;

/* Where a record stands. */
typedef struct page_place {
    int64_t time_ns;
    uint64_t offset;
} page_place;

typedef struct page_side {
    size_t index; /* of the argument */
    unsigned number;
    const char *word; /* "before" or "after" of two, "" of one */
    digest d;
    page_clock clock;
    bool has_wall;
    int64_t wall_ns; /* of the first event */
    stele_paths *paths;
    stele_path_tree tree;
    stele_sched *sched;
    bool has_sched; /* there are switches or wake-ups */
    spreads spreads;
    troubles troubles[TROUBLE_COUNT];
    page_place *places; /* by stream: the last record in the order of time */
    uint32_t place_count;
    slow_span slow[PAGE_SLOW]; /* the longest first */
    unsigned slow_count;
    stele_overview *overview; /* while it is asked */
    bool has_range;
    int64_t begin_ns, end_ns; /* what charts show */
    page_track *tracks;       /* in the order of showing */
    size_t track_count, track_other_count;
    page_track *counters;
    size_t counter_count, counter_other_count;
    page_insns *insns; /* NULL: it has none */
} page_side;

typedef struct page {
    cli *c;
    stele_output *out;
    page_side sides[PAGE_SIDES];
    unsigned side_count;
    stele_compare_change *changes; /* of two sides */
    size_t change_count;
    stele_compare_change whole;
} page;

/* Reads one argument. False, and reported, when there is nothing to be shown of it. */
bool page_gather(page *p, unsigned side);
void page_side_free(page_side *s);

/* What the tracks do over time; a second pass over the trace, unless an index has it. */
bool page_read_tracks(page *p, page_side *s);
void page_free_tracks(page_side *s);

/* What instructions do; nothing where there are none. */
bool page_read_insns(page *p, page_side *s);
void page_free_insns(page_side *s);

/* ---- Phases: stretches in which a thread runs the same code ---------------------------------- */

#define PHASES_MAX 10u

typedef struct phase_row {
    uint32_t track;
    uint32_t phase; /* from 0; those that are like no other beyond the limit are the last one */
    uint64_t insn_count;
    uint64_t pc; /* of the block with the most instructions; UINT64_MAX: not known */
} phase_row;

typedef struct phases phases;

phases *phases_new(void);
void phases_free(phases *p);

/* A stele_insn_bbv_fn. */
stele_status phases_take(void *user, const stele_insn_bbv *bbv, uint32_t track,
                         const uint32_t *blocks, size_t count);
const phase_row *phases_rows(const phases *p, size_t *count);

/* ---- The page ---------------------------------------------------------------------------------
 */

/* Writes the whole page. */
void page_write(page *p);

/* Sections; each writes nothing where there is nothing to be shown. */
void page_write_sound(page *p, const page_side *s);
void page_write_activity(page *p, const page_side *s);
void page_write_counters(page *p, const page_side *s);
void page_write_names(page *p, const page_side *s);
void page_write_spreads(page *p, const page_side *s);
bool page_has_names(const page_side *s);
bool page_has_spreads(const page_side *s);
void page_write_flame(page *p, const page_side *s);
void page_write_sched(page *p, const page_side *s);
void page_write_slow(page *p, const page_side *s);
void page_write_insns(page *p, page_side *s);
void page_write_changes(page *p);

/* What stands in the page as JSON, in one element. */
stele_status page_write_data(page *p);

/* ---- Words ------------------------------------------------------------------------------------
 */

/* A length of time, or of what else the trace's times count: "1.50 ms", "12.3 M instructions".
   These give `to`, of PRINT_SIZE bytes. */
const char *page_length(const page_side *s, uint64_t length, char *to);

/* The same in few letters: "12.3 M". */
const char *page_length_short(const page_side *s, uint64_t length, char *to);

/* A moment since the begin of the trace: "0.001234567 s". */
const char *page_moment(const page_side *s, int64_t time_ns, char *to);

/* A heading of a section, and its id: that of the second side gets "-2". */
void page_heading(page *p, const page_side *s, const char *id, const char *title);

/* Moments below a chart over time, from its left to its right end. */
void page_write_axis(page *p, const page_side *s);

/* How many rows of names a page has at most, in tables and data. */
#define PAGE_NAMES   300u
#define PAGE_CHANGES 200u

#endif
