/* SPDX-License-Identifier: Apache-2.0 */
/* What 'stele report' knows of one trace, or of two that it compares, and the functions that
   write its page. */
#ifndef CLI_PAGE_PAGE_H
#define CLI_PAGE_PAGE_H

#include <stele/insn_analysis.h>
#include <stele/overview.h>
#include <stele/sched.h>

#include "cli/digest.h"
#include "cli/insn/insn.h"

#define PAGE_BINS   240u /* bins of a chart over time */
#define PAGE_SLOW   30u
#define PAGE_FIELDS 400u /* bytes of text for the fields of a span */
#define PAGE_SIDES  2u

/* ---- Distributions of the durations of each name --------------------------------------------- */

/* Number of classes: four for each power of two. */
#define SPREAD_CLASSES 256u

typedef struct spread {
    stele_name name;
    uint64_t count, total_ns;
    uint32_t classes[SPREAD_CLASSES];
} spread;

/* Distributions for a limited number of names, those that came first. */
typedef struct spreads {
    spread *of;
    size_t count, capacity;
    uint32_t *index; /* by number of the name: its index in `of` plus 1; 0: none */
    uint32_t index_count;
    uint64_t other_count; /* spans of names for which there was no room */
} spreads;

bool spreads_add(spreads *s, stele_name name, uint64_t duration_ns);
const spread *spreads_find(const spreads *s, stele_name name);
void spreads_free(spreads *s);

/* The lowest duration of a class, in nanoseconds. */
uint64_t spread_class_begin(unsigned number);

/* ---- Places where events are missing, damaged or out of order -------------------------------- */

typedef enum trouble_kind {
    TROUBLE_LOST,
    TROUBLE_DAMAGED,
    TROUBLE_DISORDER,
    TROUBLE_COUNT
} trouble_kind;

typedef struct trouble {
    int64_t begin_ns, end_ns;
    uint64_t count; /* how many events; 0: not known */
} trouble;

#define TROUBLES_MAX 4096u

/* A sample of at most TROUBLES_MAX places, evenly chosen. */
typedef struct troubles {
    trouble of[TROUBLES_MAX];
    size_t count;
    uint64_t step, left; /* one of `step` places is kept; `left` are skipped until the next one */
    uint64_t total;
} troubles;

void troubles_add(troubles *t, int64_t begin_ns, int64_t end_ns, uint64_t count);

/* ---- State of a trace ---- */

typedef struct slow_span {
    stele_span span;
    char fields[PAGE_FIELDS]; /* text for people */
} slow_span;

typedef enum page_clock { PAGE_NS, PAGE_TICKS, PAGE_INSNS } page_clock;

/* A track that is shown, with its bins over the whole time. */
typedef struct page_track {
    stele_overview_track about;
    char *title; /* text for people; owned */
    stele_overview_bin *bins;
} page_track;

/* Analyses of instructions, which are all made in one pass. */
typedef struct page_insns {
    insns s;
    stele_insn_mix *mix;
    stele_insn_branches *branches;
    stele_insn_blocks *blocks;
    stele_insn_footprint *footprint;
    stele_insn_reuse *reuse;
    stele_insn_bbv *bbv;
    struct phases *phases;
    uint64_t interval; /* length of an interval in instructions of a thread */
    uint64_t reuse_sample;
    uint64_t insn_count;
} page_insns;

/* The time and offset of a record. */
typedef struct page_place {
    int64_t time_ns;
    uint64_t offset;
} page_place;

typedef struct page_side {
    size_t index; /* index of the argument */
    unsigned number;
    const char *word; /* "before" or "after" if there are two traces, otherwise "" */
    digest d;
    page_clock clock;
    bool has_wall;
    int64_t wall_ns; /* wall-clock time of the first event */
    stele_paths *paths;
    stele_path_tree tree;
    stele_sched *sched;
    bool has_sched; /* there are switches or wake-ups */
    spreads spreads;
    troubles troubles[TROUBLE_COUNT];
    page_place *places; /* by stream: the latest record in the order of time */
    uint32_t place_count;
    slow_span slow[PAGE_SLOW]; /* sorted by duration, the longest first */
    unsigned slow_count;
    stele_overview *overview; /* NULL after the tracks were read */
    bool has_range;
    int64_t begin_ns, end_ns; /* range of the charts */
    page_track *tracks;       /* in the order in which they are shown */
    size_t track_count, track_other_count;
    page_track *counters;
    size_t counter_count, counter_other_count;
    page_insns *insns; /* NULL: the trace has no instructions */
} page_side;

typedef struct page {
    cli *c;
    stele_output *out;
    page_side sides[PAGE_SIDES];
    unsigned side_count;
    stele_compare_change *changes; /* changes between two traces, sorted by size */
    size_t change_count;
    stele_compare_change whole;
} page;

/* Reads one argument. If it has nothing to show, reports it and returns false. */
bool page_gather(page *p, unsigned side);
void page_side_free(page_side *s);

/* Reads what tracks do over time, in a second pass over the trace unless its index has it. */
bool page_read_tracks(page *p, page_side *s);
void page_free_tracks(page_side *s);

/* Analyses the instructions of a trace; does nothing if it has none. */
bool page_read_insns(page *p, page_side *s);
void page_free_insns(page_side *s);

/* ---- Phases in which a thread runs the same code --------------------------------------------- */

#define PHASES_MAX 10u

typedef struct phase_row {
    uint32_t track;
    /* from 0 on; the last one also has intervals that are like no other, beyond the limit */
    uint32_t phase;
    uint64_t insn_count;
    uint64_t pc; /* address of the block with the most instructions; UINT64_MAX: not known */
} phase_row;

typedef struct phases phases;

phases *phases_new(void);
void phases_free(phases *p);

/* Adds an interval; a stele_insn_bbv_fn. */
stele_status phases_take(void *user, const stele_insn_bbv *bbv, uint32_t track,
                         const uint32_t *blocks, size_t count);
const phase_row *phases_rows(const phases *p, size_t *count);

/* ---- Sections of the page ---- */

/* Writes the whole page. */
void page_write(page *p);

/* Write the sections of the page. Each writes nothing if it has nothing to show. */
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

/* Writes the data of the page as JSON in one element. */
stele_status page_write_data(page *p);

/* ---- Texts that sections share ---- */

/* Makes the text of a length of time, or of what the trace's times count: "1.50 ms", "12.3 M
   instructions". This and the next two return `to`, which has PRINT_SIZE bytes. */
const char *page_length(const page_side *s, uint64_t length, char *to);

/* Makes a short text of a length, such as "12.3 M". */
const char *page_length_short(const page_side *s, uint64_t length, char *to);

/* Makes the text of a time since the begin of the trace, such as "0.001234567 s". */
const char *page_moment(const page_side *s, int64_t time_ns, char *to);

/* Writes the heading of a section. Its id gets the suffix "-2" for the second trace. */
void page_heading(page *p, const page_side *s, const char *id, const char *title);

/* Writes the times below a chart, from its left to its right end. */
void page_write_axis(page *p, const page_side *s);

/* How many rows tables and data have at most, for names and for changes. */
#define PAGE_NAMES   300u
#define PAGE_CHANGES 200u

#endif
