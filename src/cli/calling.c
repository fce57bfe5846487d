/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/calling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/insn/insn.h"
#include "cli/placing.h"
#include "cli/show/print.h"

/* ---- Options of calls ------------------------------------------------------------------------ */

/*
 * Parses one end of MIN..MAX, which may be missing. Returns where it ends, NULL if it is not valid.
 */
static const char *parse_depth_end(const char *at, uint32_t *depth)
{
    char *end;
    unsigned long value;
    if (*at < '0' || *at > '9')
        return at;
    value = strtoul(at, &end, 10);
    if (value > UINT32_MAX)
        return NULL;
    *depth = (uint32_t)value;
    return end;
}

/* Parses --depth: "3", "1..4", "2.." or "..5", where 0 is the outermost depth and both ends are
   included. A single number is that depth alone or, for a tree, all depths down to it. */
static bool parse_depth(cli *c, calling *s)
{
    const bool is_tree = c->options.command == COMMAND_REPLAY;
    const char *text = option_value(&c->options, is_tree ? OPTION_REPLAY_DEPTH : OPTION_DEPTH), *at;
    uint32_t last = UINT32_MAX;
    if (text == NULL)
        return true;
    at = parse_depth_end(text, &s->depth_min);
    if (at != NULL && at != text && *at == 0) {
        last = s->depth_min;
        s->depth_min = is_tree ? 0 : last;
    } else if (at != NULL && at[0] == '.' && at[1] == '.') {
        at = parse_depth_end(at + 2, &last);
    }
    if (at == NULL || *at != 0 || s->depth_min > last)
        return cli_usage(c, "--depth takes MIN..MAX, such as 0..3, not '%s'", text);
    s->depth_end = last + 1;
    return true;
}

/* ---- Pairs of moments ------------------------------------------------------------------------ */

/* Adds the pairs of --pair. Each is paired by the --by after it, or else by the one before all
   of them. */
static bool add_pairs(cli *c, stele_pairing *pairing)
{
    const options *o = &c->options;
    /* --by means something else for 'stele stats' */
    const bool is_stats = o->command == COMMAND_STATS;
    const option_id pair = is_stats ? OPTION_STATS_PAIR : OPTION_PAIR;
    const option_id pair_by = is_stats ? OPTION_STATS_PAIR_BY : OPTION_PAIR_BY;
    const char *first = NULL;
    bool is_before = true;
    for (size_t i = 0; i < o->use_count; i++) {
        const char *by = first;
        if (o->uses[i].id == pair_by && is_before)
            first = o->uses[i].value;
        if (o->uses[i].id != pair)
            continue;
        is_before = false;
        for (size_t k = i + 1; k < o->use_count && o->uses[k].id != pair; k++) {
            if (o->uses[k].id == pair_by)
                by = o->uses[k].value;
        }
        if (!cli_check(c, stele_pairing_add_pair(pairing, o->uses[i].value, by), "--pair"))
            return false;
    }
    return !is_before || first == NULL ||
           cli_usage(c, "--%s says by what a --pair belongs together", option_table[pair_by].name);
}

bool calling_make_pairing(cli *c, calling *s)
{
    const options *o = &c->options;
    /* Commands that know spans need no tracks made for pairs. */
    const bool is_diff_of_stats =
        o->command == COMMAND_DIFF && strcmp(option_value(o, OPTION_DIFF_OF), "stats") == 0;
    const bool has_lanes = !is_diff_of_stats && o->command != COMMAND_CALLS &&
                           o->command != COMMAND_REPLAY && o->command != COMMAND_LATENCY &&
                           o->command != COMMAND_CRITICAL && o->command != COMMAND_CHAINS &&
                           !(o->command == COMMAND_STATS && option_given(o, OPTION_STATS_PAIR));
    stele_pairing_options given = {.struct_size = sizeof given,
                                   .no_table = option_given(o, OPTION_NO_PAIRS),
                                   .has_lanes = has_lanes,
                                   .kinds = STELE_SPANS_KINDS | STELE_KIND_BIT(STELE_KIND_SAMPLE)};
    if (!cli_take_length_or_none(c, OPTION_TIMEOUT, &s->timeout_ns))
        return false;
    given.timeout_ns = s->timeout_ns;
    if (option_given(o, OPTION_BINARY)) {
        s->placing = cli_placing_new(c);
        if (s->placing == NULL)
            return cli_check(c, STELE_ERR_MEMORY, "--binary");
        given.place = placing_name;
        given.place_user = s->placing;
    }
    return cli_check(c, stele_pairing_new(c->context, &given, &s->pairing), "pairs") &&
           add_pairs(c, s->pairing);
}

/* The consumer of a reader whose events are paired on their way. */
typedef struct paired {
    calling *s;
    const consumer *to;
} paired;

static stele_status ready_paired(void *user, const stele_reader_stats *stats)
{
    const paired *p = user;
    return p->to->ready != NULL ? p->to->ready(p->to->user, stats) : STELE_OK;
}

static stele_status take_paired(void *user, const stele_segment *segment)
{
    const paired *p = user;
    return stele_pairing_add(p->s->pairing, segment, p->to->take, p->to->user);
}

static stele_status read_paired(cli *c, calling *s, stele_trace *trace, const consumer *to,
                                stele_reader_stats *stats)
{
    paired p = {s, to};
    stele_request request = s->selected.request;
    stele_status status;
    if (s->pairing == NULL || !stele_pairing_wants(s->pairing, trace))
        return cli_read(c, &trace, 1, &request, to, stats);
    request.columns |= stele_pairing_columns(s->pairing);
    request.kinds |= stele_pairing_kinds(s->pairing);
    /* Pairing moves events of CPUs to their threads, so the filter of tracks is applied to
       calls, not to events. */
    if (s->only.tracks.count != 0)
        request.tracks = (stele_globs){.count = 0};
    status = cli_read(c, &trace, 1, &request,
                      &(consumer){.ready = ready_paired, .take = take_paired, .user = &p}, stats);
    stele_pairing_finish(s->pairing);
    return status;
}

/* ---- Traces of instructions ------------------------------------------------------------------ */

/* Finds the range of instructions for the bounds of a request; their time is their number. */
static stele_status find_range(cli *c, const calling *s, stele_trace *trace,
                               stele_reader_stats *stats)
{
    const stele_request *request = &s->selected.request;
    stele_reader *reader;
    stele_status status;
    *stats = (stele_reader_stats){
        .has_begin = true, .range_begin_ns = INT64_MIN, .range_end_ns = INT64_MAX};
    if (request->begin.kind == STELE_BOUND_NONE && request->end.kind == STELE_BOUND_NONE)
        return STELE_OK;
    status = stele_reader_open(c->context, &trace, 1, request, &reader);
    if (status == STELE_OK)
        stele_reader_get_stats(reader, stats);
    stele_reader_close(reader);
    return status;
}

static stele_status read_insns(cli *c, const calling *s, stele_trace *trace, const consumer *to,
                               stele_reader_stats *stats)
{
    stele_status status = find_range(c, s, trace, stats);
    insns n;
    if (status == STELE_OK && to->ready != NULL)
        status = to->ready(to->user, stats);
    if (status != STELE_OK)
        return status;
    status = insns_make_all(c, &n, OPTION_BINARY) ? insns_give_calls(c, &n, trace, to)
                                                  : STELE_ERR_ARGUMENT;
    insns_free(&n);
    return status;
}

void calling_remark_pairs(cli *c, calling *s)
{
    stele_pairing_counts counts = STELE_INIT(stele_pairing_counts);
    char text[PRINT_SIZE];
    if (s->pairing == NULL)
        return;
    stele_pairing_report(s->pairing);
    stele_pairing_get_counts(s->pairing, &counts);
    if (stele_pairing_used_table(s->pairing))
        cli_remark(c, "%s paired by their names, as entry and exit; --no-pairs leaves them alone",
                   print_things(text, counts.begin_count + counts.end_count, "event"));
    if (counts.unended_count != 0)
        cli_remark(c, "%s without an end that fits",
                   print_things(text, counts.unended_count, "begin"));
    if (counts.unbegun_count != 0)
        cli_remark(c, "%s without a begin that fits",
                   print_things(text, counts.unbegun_count, "end"));
    if (counts.refused_count != 0)
        cli_remark(c, "%s beyond the limit of open ones: left out",
                   print_things(text, counts.refused_count, "begin"));
    if (counts.no_value_count != 0)
        cli_remark(c, "%s without what they are paired by: left out",
                   print_things(text, counts.no_value_count, "event"));
}

/* ---- Selection of calls ---------------------------------------------------------------------- */

bool calling_make(cli *c, calling *s)
{
    stele_request *request = &s->selected.request;
    *s = (calling){.depth_min = 0};
    if (!selection_make(c, &s->selected) || !parse_depth(c, s) ||
        !cli_take_length_or_none(c, OPTION_MIN_DURATION, &s->duration_min_ns) ||
        !calling_make_pairing(c, s))
        return false;
    s->only = *request;
    s->takes_insns =
        !option_given(&c->options, OPTION_PAIR) && c->options.command != COMMAND_LATENCY;
    /* pairs by a value can be on tracks made for them */
    if (option_given(&c->options, OPTION_PAIR_BY))
        s->only.tracks = (stele_globs){.count = 0};
    request->kinds = STELE_PROFILE_KINDS;
    request->order = STELE_ORDER_STREAMS;
    request->names = request->categories = (stele_globs){.count = 0};
    request->where = NULL;
    request->from_start = true;
    request->struct_size = sizeof *request;
    request->open_only = !option_given(&c->options, OPTION_PAIR);
    return true;
}

void calling_free(calling *s)
{
    for (size_t i = 0; i < s->stood_count; i++)
        stele_trace_close(s->stood[i]);
    free(s->stood);
    stele_pairing_free(s->pairing);
    cli_placing_free(s->placing);
    selection_free(&s->selected);
}

/* ---- Reading of one trace -------------------------------------------------------------------- */

/* Finds the time of the first event of a name. Returns STELE_END if there is none. */
static stele_status find_event(cli *c, stele_trace *trace, const calling *s, int64_t *time_ns)
{
    const stele_request request = {.columns = STELE_COLUMN_TIME | STELE_COLUMN_NAME,
                                   .names = {&s->align, 1},
                                   .tracks = s->selected.request.tracks};
    stele_segment segment;
    stele_reader *reader;
    stele_status status = stele_reader_open(c->context, &trace, 1, &request, &reader);
    do {
        if (status == STELE_OK)
            status = stele_reader_next(reader, &segment);
    } while (status == STELE_OK && segment.count == 0);
    if (status == STELE_OK)
        *time_ns = segment.batch->events[segment.first].time_ns;
    stele_reader_close(reader);
    return status;
}

static bool align_bound(stele_bound *bound, int64_t time_ns)
{
    int64_t sum_ns;
    if (bound->kind != STELE_BOUND_START)
        return bound->kind == STELE_BOUND_NONE;
    if (__builtin_add_overflow(time_ns, bound->value, &sum_ns))
        sum_ns = INT64_MAX;
    *bound = (stele_bound){STELE_BOUND_CLOCK, sum_ns};
    return true;
}

/*
 * Applies --align: the trace begins with the first event of that name, and bounds count from there.
 */
static bool align(cli *c, stele_trace *trace, const calling *s, stele_request *request)
{
    const char *path = stele_trace_get_info(trace)->path;
    stele_status status;
    int64_t time_ns;
    if (s->align == NULL)
        return true;
    status = find_event(c, trace, s, &time_ns);
    if (status == STELE_END)
        return cli_usage(c, "--align: there is no event '%s' in %s", s->align, path);
    if (!cli_check(c, status, path))
        return false;
    if (request->begin.kind == STELE_BOUND_NONE)
        request->begin = (stele_bound){STELE_BOUND_CLOCK, time_ns};
    else if (!align_bound(&request->begin, time_ns))
        return cli_usage(c, "--align goes with a --begin after the event, such as 1ms");
    return align_bound(&request->end, time_ns) ||
           cli_usage(c, "--align goes with an --end after the event, such as 1ms");
}

/* Takes a trace that is open already, which the caller closes. Returns NULL if there is none. */
static stele_trace *take_stood(calling *s, size_t index)
{
    stele_trace *trace = index < s->stood_count ? s->stood[index] : NULL;
    if (trace != NULL)
        s->stood[index] = NULL;
    return trace;
}

/* Whether tracks can be read one after the other, because both ends of a span are always on the
   same track. */
static bool can_be_by_track(const calling *s, const stele_trace *trace)
{
    stele_format_info about = STELE_INIT(stele_format_info);
    return s->is_by_track && (s->pairing == NULL || !stele_pairing_wants(s->pairing, trace)) &&
           stele_format_find(stele_trace_get_info(trace)->format, &about) && !about.links_tracks;
}

void calling_note_times(cli *c, calling *s, stele_clock_domain times)
{
    if (s->has_read)
        c->times = s->times;
    cli_note_times(c, times, s->has_read);
    s->times = c->times;
    s->has_read = true;
}

bool calling_read(cli *c, calling *s, size_t index, uint32_t columns, const consumer *to)
{
    const char *path = c->options.arguments[index];
    stele_reader_stats stats = {0};
    const stele_request request = s->selected.request;
    stele_trace *trace;
    report_begin(&c->report);
    trace = s->kept != NULL ? s->kept->traces[index] : take_stood(s, index);
    if (trace == NULL)
        trace = cli_open(c, index);
    if (trace == NULL)
        return false;
    s->selected.request.columns = columns;
    if (can_be_by_track(s, trace))
        s->selected.request.order = STELE_ORDER_STREAMS;
    if (align(c, trace, s, &s->selected.request)) {
        const bool has_insns = s->takes_insns && stele_trace_has_insns(trace);
        calling_note_times(c, s, has_insns ? STELE_CLOCK_INSNS : stele_trace_time_unit(trace));
        cli_check(c,
                  has_insns ? read_insns(c, s, trace, to, &stats)
                            : read_paired(c, s, trace, to, &stats),
                  path);
        if (!c->report.is_repeated)
            cli_conclude(c, path, has_insns ? NULL : &stats);
    }
    s->selected.request = request;
    if (s->kept == NULL)
        stele_trace_close(trace);
    return true;
}

stele_profile_options calling_profile_options(const calling *s, bool by_track)
{
    return (stele_profile_options){.by_track = by_track,
                                   .depth_min = s->depth_min,
                                   .depth_end = s->depth_end,
                                   .duration_min_ns = s->duration_min_ns,
                                   .only = &s->only};
}

bool calling_make_profile(cli *c, const calling *s, bool by_track, stele_profile **p)
{
    const stele_profile_options given = calling_profile_options(s, by_track);
    return cli_check(c, stele_profile_new(c->context, &given, p), "calls");
}

bool calling_make_spread(cli *c, const calling *s, stele_profile **p)
{
    const stele_profile_options given = {.struct_size = sizeof given,
                                         .depth_min = s->depth_min,
                                         .depth_end = s->depth_end,
                                         .duration_min_ns = s->duration_min_ns,
                                         .only = &s->only,
                                         .has_self_spread = true,
                                         .by_path = option_given(&c->options, OPTION_PATHS)};
    return cli_check(c, stele_profile_new(c->context, &given, p), "calls");
}

bool calling_make_paths(cli *c, const calling *s, bool by_track, stele_paths **p)
{
    const stele_path_options given = {.by_track = by_track,
                                      .depth_min = s->depth_min,
                                      .depth_end = s->depth_end,
                                      .duration_min_ns = s->duration_min_ns,
                                      .only = &s->only};
    return cli_check(c, stele_paths_new(c->context, &given, p), "calls");
}

static stele_status ready_paths(void *user, const stele_reader_stats *stats)
{
    return stele_paths_set_window(user, stats->range_begin_ns, stats->range_end_ns);
}

static stele_status take_paths(void *user, const stele_segment *segment)
{
    return stele_paths_add(user, segment);
}

/* ---- Order of traces ------------------------------------------------------------------------- */

static int64_t size_of(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
}

static int compare_arguments(const void *left, const void *right)
{
    const char *a = *(const char *const *)left, *b = *(const char *const *)right;
    const int64_t a_size = size_of(a), b_size = size_of(b);
    return a_size != b_size ? (a_size < b_size) - (a_size > b_size) : strcmp(a, b);
}

void calling_sort(cli *c)
{
    options *o = &c->options;
    for (size_t i = 0; i < o->argument_count; i++) {
        if (size_of(o->arguments[i]) < 0)
            return;
    }
    if (o->argument_count > 1)
        qsort(o->arguments, o->argument_count, sizeof *o->arguments, compare_arguments);
}

bool calling_read_paths(cli *c, calling *s, bool by_track, stele_paths **p)
{
    size_t read_count = 0;
    calling_sort(c);
    if (!joined_make(c) || !calling_make_paths(c, s, by_track, p))
        return false;
    for (size_t i = 0; i < c->options.argument_count; i++)
        read_count +=
            calling_read(c, s, i, stele_paths_columns(*p),
                         &(consumer){.ready = ready_paths, .take = take_paths, .user = *p});
    return read_count != 0 && c->worst != EXIT_USAGE && !c->is_closed;
}

/* ---- Output files ---------------------------------------------------------------------------- */

bool calling_output(cli *c, const char *path, stele_output **out)
{
    *out = c->out;
    return path == NULL || strcmp(path, "-") == 0 ||
           cli_check(c, cli_output_open(c, path, out), path);
}

void calling_output_end(cli *c, const char *path, stele_output *out)
{
    if (out == c->out)
        return;
    cli_check(c, stele_output_finish(out), path);
    stele_output_close(out);
}

/* ---- Unusual calls --------------------------------------------------------------------------- */

typedef struct unusual {
    const char *key;
    const char *thing;   /* what messages call one such call */
    const char *meaning; /* explanation for people */
    uint64_t count;
} unusual;

#define UNUSUAL_COUNT 9

static void list_unusual(const stele_call_counts *counts, unusual list[UNUSUAL_COUNT])
{
    const unusual all[UNUSUAL_COUNT] = {
        {"unwound_count", "call", "left by an exception, or without an exit: ended by the caller",
         counts->by_end[STELE_CALL_UNWOUND]},
        {"carried_count", "call", "open before the begin: cut there", counts->carried_count},
        {"open_count", "call", "still open at the end: ended there",
         counts->by_end[STELE_CALL_OPEN]},
        {"entry_lost_count", "exit", "without entry: in no figure",
         counts->by_end[STELE_CALL_ENTRY_LOST]},
        {"overlap_count", "span", "overlapping others without nesting", counts->overlap_count},
        {"cut_count", "call", "beyond the depth limit: in no figure", counts->cut_count},
        {"repeated_count", "event", "repeating others, as forked processes do: counted once",
         counts->repeated_count},
        {"path_other_count", "call", "beyond the limit of paths: counted at their callers",
         counts->node_other_count},
        {"folded_count", "call", "that recur more than 32 times on a path: folded back to the 32nd",
         counts->folded_count}};
    for (size_t i = 0; i < UNUSUAL_COUNT; i++)
        list[i] = all[i];
}

void calling_write_unusual(stele_output *out, const stele_call_counts *counts)
{
    unusual list[UNUSUAL_COUNT];
    char text[PRINT_SIZE];
    list_unusual(counts, list);
    for (size_t i = 0; i < UNUSUAL_COUNT; i++) {
        if (list[i].count != 0)
            stele_output_printf(out, "%s %s\n", print_things(text, list[i].count, list[i].thing),
                                list[i].meaning);
    }
}

void calling_remark_unusual(cli *c, const stele_call_counts *counts)
{
    unusual list[UNUSUAL_COUNT];
    char text[PRINT_SIZE];
    list_unusual(counts, list);
    for (size_t i = 0; i < UNUSUAL_COUNT; i++) {
        if (list[i].count != 0)
            cli_remark(c, "%s %s", print_things(text, list[i].count, list[i].thing),
                       list[i].meaning);
    }
}

void calling_write_unusual_json(json *j, const stele_call_counts *counts)
{
    unusual list[UNUSUAL_COUNT];
    list_unusual(counts, list);
    json_open(j, "unusual", '{');
    /* the last one counts paths, and is not a figure of calls */
    for (size_t i = 0; i + 1 < UNUSUAL_COUNT; i++)
        json_uint(j, list[i].key, list[i].count);
    json_close(j, '}');
}
