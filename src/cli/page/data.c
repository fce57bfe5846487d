/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the page's data as JSON: what its script draws, and the figures of its tables for
   programs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/html.h"
#include "cli/page/page.h"
#include "cli/show/json.h"
#include "view/list.h"

#define NODES_MAX  4000u
#define NODE_SHARE 2000u /* paths with less than 1 / NODE_SHARE of the whole are left out */
#define NODE_DEPTH 90u

typedef struct writing {
    page *p;
    json j;
    bool *names; /* by number of the name: the text of the current trace's name is needed */
    uint32_t name_count;
} writing;

static bool need(writing *w, stele_name name)
{
    bool *names = list_reach(w->names, sizeof *names, &w->name_count, name);
    if (names == NULL)
        return false;
    w->names = names;
    names[name] = true;
    return true;
}

static void write_name(writing *w, const char *key, stele_name name)
{
    char shown[HTML_NAME_SIZE];
    json_text(&w->j, key, html_name(w->p->c->context, name, shown));
}

/* ---- Figures --------------------------------------------------------------------------------- */

static void write_row(writing *w, const char *key, const stele_profile_row *row)
{
    json *j = &w->j;
    json_open(j, key, '{');
    if (key == NULL)
        write_name(w, "name", row->name);
    json_uint(j, "count", row->count);
    json_uint(j, "self_ns", row->self_ns);
    json_uint(j, "total_ns", row->total_ns);
    json_uint(j, "min_ns", row->min_ns);
    json_uint(j, "mean_ns", stele_profile_mean_ns(row));
    json_uint(j, "p50_ns", row->p50_ns);
    json_uint(j, "p90_ns", row->p90_ns);
    json_uint(j, "p99_ns", row->p99_ns);
    json_uint(j, "max_ns", row->max_ns);
    json_close(j, '}');
}

static void write_names(writing *w, const page_side *s)
{
    json *j = &w->j;
    json_open(j, "names", '[');
    for (size_t i = 0; i < s->d.row_count && i < PAGE_NAMES; i++)
        write_row(w, NULL, &s->d.rows[i]);
    json_close(j, ']');
    json_open(j, "events_by_name", '[');
    for (size_t i = 0; i < s->d.name_count && i < PAGE_NAMES; i++) {
        json_open(j, NULL, '{');
        write_name(w, "name", s->d.names[i].name);
        json_uint(j, "count", s->d.names[i].count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_about(writing *w, const page_side *s)
{
    json *j = &w->j;
    const stele_balance *b = &s->d.stats.balance;
    char text[40];
    json_text(j, "path", s->d.about->path);
    json_text(j, "format", s->d.about->format);
    json_text(j, "clock",
              s->clock == PAGE_NS      ? "ns"
              : s->clock == PAGE_INSNS ? "instructions"
                                       : "ticks");
    json_uint(j, "events", s->d.totals->event_count);
    json_uint(j, "lost", s->d.stats.lost_count);
    json_uint(j, "missing_packets", s->d.stats.missing_count);
    json_uint(j, "unordered", s->d.stats.unordered_count);
    json_uint(j, "record_size", b->record_size);
    json_uint(j, "padding_size", b->padding_size);
    json_uint(j, "skipped_size", b->skipped_size);
    /* as strings, because numbers of JavaScript cannot hold them exactly */
    snprintf(text, sizeof text, "%lld", (long long)s->begin_ns);
    json_text(j, "begin", text);
    snprintf(text, sizeof text, "%llu",
             (unsigned long long)((uint64_t)s->end_ns - (uint64_t)s->begin_ns));
    json_text(j, "length", s->has_range ? text : "0");
    json_uint(j, "bins", PAGE_BINS);
    json_open(j, "findings", '[');
    for (unsigned i = 0; i < s->d.finding_count; i++) {
        const digest_finding *f = &s->d.findings[i];
        json_open(j, NULL, '{');
        json_text(j, "code", f->code->code);
        json_text(j, "severity", stele_severity_text(f->code->severity));
        json_uint(j, "count", f->count);
        if (f->offset != STELE_NO_OFFSET)
            json_uint(j, "offset", f->offset);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* ---- Tracks with their bins ------------------------------------------------------------------ */

static unsigned busy_share(const page_side *s, const stele_overview_bin *bin)
{
    const double width = ((double)s->end_ns - (double)s->begin_ns) / PAGE_BINS;
    const double share = width > 0 ? (double)bin->busy_ns / width * 100 : 0;
    return share >= 10000 ? 10000 : (unsigned)(share + 0.5);
}

static bool write_track(writing *w, const page_side *s, const page_track *t)
{
    json *j = &w->j;
    bool is_fine = true;
    json_open(j, NULL, '{');
    json_text(j, "title", t->title);
    json_text(j, "kind", stele_overview_kind_text(t->about.kind));
    json_uint(j, "events", t->about.event_count);
    json_uint(j, "spans", t->about.span_count);
    json_uint(j, "busy_ns", t->about.busy_ns);
    json_uint(j, "lost", t->about.lost_count);
    json_open(j, "busy", '[');
    for (unsigned i = 0; i < PAGE_BINS; i++)
        json_uint(j, NULL, busy_share(s, &t->bins[i]));
    json_close(j, ']');
    json_open(j, "counts", '[');
    for (unsigned i = 0; i < PAGE_BINS; i++)
        json_uint(j, NULL, t->bins[i].event_count);
    json_close(j, ']');
    json_open(j, "names", '[');
    for (unsigned i = 0; i < PAGE_BINS; i++) {
        json_uint(j, NULL, t->bins[i].name);
        is_fine = is_fine && need(w, t->bins[i].name);
    }
    json_close(j, ']');
    json_close(j, '}');
    return is_fine;
}

static bool write_tracks(writing *w, const page_side *s)
{
    bool is_fine = true;
    json_open(&w->j, "tracks", '[');
    for (size_t i = 0; i < s->track_count && is_fine; i++)
        is_fine = write_track(w, s, &s->tracks[i]);
    json_close(&w->j, ']');
    return is_fine;
}

static void write_texts(writing *w)
{
    json_open(&w->j, "texts", '{');
    for (stele_name name = 1; name < w->name_count; name++) {
        char key[16];
        if (!w->names[name])
            continue;
        snprintf(key, sizeof key, "%u", (unsigned)name);
        write_name(w, key, name);
    }
    json_close(&w->j, '}');
}

/* ---- Tree of call paths ---------------------------------------------------------------------- */

/* Writes the tree in the form of FlameData in src/view/page/flame.js. */
static bool write_nodes(writing *w, const stele_path_tree *tree, uint32_t *numbers)
{
    json *j = &w->j;
    const uint64_t whole = tree->nodes[0].sides[0].total_ns;
    uint64_t left_out = 0;
    uint32_t count = 0;
    json_open(j, "nodes", '[');
    for (uint32_t at = 0; at < tree->count; at++) {
        const stele_path_node *node = &tree->nodes[at];
        const stele_path_figures *f = &node->sides[0];
        numbers[at] = UINT32_MAX;
        if (at != 0 && (numbers[node->parent] == UINT32_MAX || count == NODES_MAX ||
                        node->depth > NODE_DEPTH || f->total_ns < whole / NODE_SHARE)) {
            left_out++;
            continue;
        }
        numbers[at] = count++;
        if (!need(w, node->name))
            return false;
        json_open(j, NULL, '[');
        json_uint(j, NULL, node->name);
        json_int(j, NULL, at == 0 ? -1 : (int64_t)numbers[node->parent]);
        json_uint(j, NULL, f->count);
        json_uint(j, NULL, f->self_ns);
        json_uint(j, NULL, f->total_ns);
        json_close(j, ']');
    }
    json_close(j, ']');
    json_uint(j, "leftOut", left_out);
    return true;
}

static bool write_flame(writing *w, const page_side *s)
{
    const stele_path_tree *tree = &s->tree;
    uint32_t *numbers;
    bool is_fine;
    if (tree->count < 2 || tree->nodes[0].sides[0].total_ns == 0) {
        json_null(&w->j, "flame");
        return true;
    }
    numbers = malloc(tree->count * sizeof *numbers);
    if (numbers == NULL)
        return false;
    json_open(&w->j, "flame", '{');
    json_uint(&w->j, "total", tree->nodes[0].sides[0].total_ns);
    is_fine = write_nodes(w, tree, numbers);
    json_close(&w->j, '}');
    free(numbers);
    return is_fine;
}

/* ---- All data of a trace --------------------------------------------------------------------- */

static void write_slow(writing *w, const page_side *s)
{
    json *j = &w->j;
    json_open(j, "slowest", '[');
    for (unsigned i = 0; i < s->slow_count; i++) {
        const stele_span *span = &s->slow[i].span;
        char text[24];
        json_open(j, NULL, '{');
        write_name(w, "name", span->name);
        json_uint(j, "duration_ns", stele_span_duration_ns(span));
        snprintf(text, sizeof text, "%lld", (long long)span->begin_ns);
        json_text(j, "begin_ns", text);
        json_text(j, "fields", s->slow[i].fields);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static bool write_side(writing *w, const page_side *s)
{
    bool is_fine;
    free(w->names);
    w->names = NULL;
    w->name_count = 0;
    json_open(&w->j, NULL, '{');
    write_about(w, s);
    write_names(w, s);
    write_slow(w, s);
    is_fine = write_tracks(w, s) && write_flame(w, s);
    write_texts(w);
    json_close(&w->j, '}');
    return is_fine;
}

static void write_changes(writing *w)
{
    json *j = &w->j;
    json_open(j, "changes", '[');
    for (size_t i = 0; i < w->p->change_count && i < PAGE_CHANGES; i++) {
        const stele_compare_change *change = &w->p->changes[i];
        json_open(j, NULL, '{');
        write_name(w, "name", change->after.name);
        json_int(j, "self_change_ns", change->self_change_ns);
        json_bool(j, "is_noise", change->is_noise);
        write_row(w, "before", &change->before);
        write_row(w, "after", &change->after);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* Writes JSON so that it can be in an element of HTML: "</" must not occur in it. */
static void copy_escaped(stele_output *out, const char *from, size_t size)
{
    const char *end = from + size;
    while (from < end) {
        const char *next = from;
        while (next < end && *next != '<' && *next != '>' && *next != '&')
            next++;
        stele_output_write(out, from, (size_t)(next - from));
        if (next < end)
            stele_output_printf(out, "\\u%04x", (unsigned char)*next++);
        from = next;
    }
}

stele_status page_write_data(page *p)
{
    writing w = {.p = p, .j = {.is_line = true}};
    const uint8_t *bytes;
    size_t size;
    bool is_fine = true;
    stele_status status = stele_output_open_memory(NULL, &w.j.out);
    if (status != STELE_OK)
        return status;
    json_open(&w.j, NULL, '{');
    json_uint(&w.j, "version", 1);
    json_open(&w.j, "traces", '[');
    for (unsigned i = 0; i < p->side_count && is_fine; i++)
        is_fine = write_side(&w, &p->sides[i]);
    json_close(&w.j, ']');
    if (p->side_count == 2)
        write_changes(&w);
    json_close(&w.j, '}');
    bytes = stele_output_memory(w.j.out, &size);
    copy_escaped(p->out, (const char *)bytes, size);
    status = is_fine ? stele_output_status(w.j.out) : STELE_ERR_MEMORY;
    stele_output_close(w.j.out);
    free(w.names);
    return status;
}
