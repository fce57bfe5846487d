/* SPDX-License-Identifier: Apache-2.0 */
/* stele calls: lists spans as rows, all of them or the first ones by some value. */
#include <stdlib.h>
#include <string.h>

#include "cli/calls_outliers.h"
#include "cli/show/print.h"
#include "cli/span_rows.h"
#include "view/list.h"

#define TOP_DEFAULT 30u
#define TOP_MOST    1000000u
/* How many children of a row are kept. */
#define CHILDREN_MOST 1000u

/* The row of a span, by the span's id. */
typedef struct owner {
    uint64_t id;
    size_t row;
} owner;

typedef struct calls {
    cli *c;
    spanning s;
    span_rows rows;
    /* expression to sort by; NULL: rows are in the order in which spans end */
    stele_expression *key;
    bool is_falling; /* the largest value comes first */
    bool is_longest; /* sorted by duration alone, the longest first */
    uint64_t top;    /* how many rows are shown; 0: all */
    span_row *heap;  /* a heap: the row that sorts last is the first one */
    size_t heap_count, heap_capacity;
    uint64_t number;
    stele_outliers *outliers; /* finds outliers; NULL: rows are shown */
    stele_otlp *otlp;         /* writes OTLP; NULL: rows are shown */
    bool has_children;        /* rows are shown with the spans that they called */
    span_row_list *children;  /* children of each row */
    owner *owners;            /* rows sorted by id, for the second reading */
    inputs in;
} calls;

/* ---- Order of rows --------------------------------------------------------------------------- */

static double number_of(const stele_value *value)
{
    switch (value->type) {
    case STELE_VALUE_INT: return (double)value->u.i;
    case STELE_VALUE_UINT: return (double)value->u.u;
    case STELE_VALUE_FLOAT: return value->u.f;
    default: return 0;
    }
}

static unsigned rank_of(const stele_value *value)
{
    return value->type == STELE_VALUE_TEXT                                         ? 2
           : value->type == STELE_VALUE_MISSING || value->type == STELE_VALUE_NULL ? 0
                                                                                   : 1;
}

static int compare_texts(stele_text a, stele_text b)
{
    const size_t size = a.size < b.size ? a.size : b.size;
    const int order = size != 0 ? memcmp(a.bytes, b.bytes, size) : 0;
    return order != 0 ? order : a.size < b.size ? -1 : a.size > b.size;
}

/* Compares two values: below 0 if `a` sorts before `b`. A row without a value sorts last. */
static int compare_keys(const calls *k, const stele_value *a, const stele_value *b)
{
    const unsigned a_rank = rank_of(a), b_rank = rank_of(b);
    double x, y;
    int order;
    if (a_rank == 0 || b_rank == 0)
        return (a_rank == 0) - (b_rank == 0);
    if (a_rank != b_rank) {
        order = a_rank < b_rank ? -1 : 1;
    } else if (a_rank == 2) {
        order = compare_texts(a->u.text, b->u.text);
    } else if (a->type == STELE_VALUE_INT && b->type == STELE_VALUE_INT) {
        order = a->u.i < b->u.i ? -1 : a->u.i > b->u.i;
    } else {
        x = number_of(a);
        y = number_of(b);
        order = x < y ? -1 : x > y;
    }
    return k->is_falling ? -order : order;
}

/* Equal rows are sorted by their begin, in whatever order tracks are read. */
static int compare_rows(const calls *k, const span_row *a, const span_row *b)
{
    const int order = compare_keys(k, &a->key, &b->key);
    if (order != 0)
        return order;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    if (a->stream != b->stream)
        return a->stream < b->stream ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* ---- Heap, with the row that sorts last on top ----------------------------------------------- */

static void sift_down(calls *k, size_t at)
{
    for (;;) {
        size_t child = at * 2 + 1;
        span_row held;
        if (child >= k->heap_count)
            return;
        if (child + 1 < k->heap_count && compare_rows(k, &k->heap[child], &k->heap[child + 1]) < 0)
            child++;
        if (compare_rows(k, &k->heap[at], &k->heap[child]) > 0)
            return;
        held = k->heap[at];
        k->heap[at] = k->heap[child];
        k->heap[child] = held;
        at = child;
    }
}

static bool heap_push(calls *k, const span_row *row)
{
    size_t at = k->heap_count;
    if (at == k->heap_capacity) {
        span_row *heap = list_grow(k->heap, sizeof *heap, &k->heap_capacity);
        if (heap == NULL)
            return false;
        k->heap = heap;
    }
    k->heap[k->heap_count++] = *row;
    while (at != 0 && compare_rows(k, &k->heap[(at - 1) / 2], &k->heap[at]) < 0) {
        const size_t above = (at - 1) / 2;
        const span_row held = k->heap[at];
        k->heap[at] = k->heap[above];
        k->heap[above] = held;
        at = above;
    }
    return true;
}

/*
 * Copies the text of a key, which is valid only while its event is. Returns false if out of memory.
 */
static bool key_keep(span_row *row)
{
    if (row->key.type != STELE_VALUE_TEXT)
        return true;
    row->key_text = malloc(row->key.u.text.size + 1);
    if (row->key_text == NULL)
        return false;
    memcpy(row->key_text, row->key.u.text.bytes, row->key.u.text.size);
    row->key.u.text.bytes = row->key_text;
    return true;
}

/* Lets the engine leave out spans that cannot be among the longest. */
static void set_least(calls *k)
{
    const span_row *last = &k->heap[0];
    if (k->is_longest && k->heap_count == k->top && last->key.type == STELE_VALUE_INT &&
        (uint64_t)last->key.u.i >= k->s.calling.duration_min_ns) {
        stele_spans_set_least(k->s.spans, (uint64_t)last->key.u.i);
        stele_spans_set_least_begin(k->s.spans, last->begin_ns);
    }
}

static stele_status rank(calls *k, const stele_segment *segment, uint32_t index,
                         const stele_span *span)
{
    span_row row = {.number = k->number++, .begin_ns = span->begin_ns, .stream = span->stream};
    stele_expression_evaluate(k->key, segment, index, span, &row.key);
    if (k->heap_count == k->top && compare_rows(k, &row, &k->heap[0]) > 0)
        return STELE_OK;
    if (!key_keep(&row) || !span_rows_fill(&k->rows, &row, segment, index, span)) {
        span_row_free(&k->rows, &row);
        return STELE_ERR_MEMORY;
    }
    if (k->heap_count < k->top) {
        if (heap_push(k, &row)) {
            set_least(k);
            return STELE_OK;
        }
        span_row_free(&k->rows, &row);
        return STELE_ERR_MEMORY;
    }
    span_row_free(&k->rows, &k->heap[0]);
    k->heap[0] = row;
    sift_down(k, 0);
    set_least(k);
    return STELE_OK;
}

/* Sorts the rows of the heap. */
static void sort_heap(calls *k)
{
    const size_t count = k->heap_count;
    /* Take rows from the heap one by one; the one that sorts last goes to the end. */
    while (k->heap_count > 1) {
        const span_row last = k->heap[0];
        k->heap[0] = k->heap[--k->heap_count];
        k->heap[k->heap_count] = last;
        sift_down(k, 0);
    }
    k->heap_count = count;
}

static void write_heap(calls *k)
{
    for (size_t i = 0; i < k->heap_count; i++)
        span_rows_write_with(&k->rows, &k->heap[i], k->children != NULL ? &k->children[i] : NULL);
}

/* ---- Children of rows ------------------------------------------------------------------------ */

static int compare_owners(const void *left, const void *right)
{
    const owner *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static bool child_add(calls *k, span_row_list *to, const stele_segment *segment, uint32_t index,
                      const stele_span *span)
{
    if (to->count == CHILDREN_MOST) {
        to->more_count++;
        return true;
    }
    if (to->count == to->capacity) {
        span_row *rows = list_grow(to->rows, sizeof *rows, &to->capacity);
        if (rows == NULL)
            return false;
        to->rows = rows;
    }
    to->rows[to->count] = (span_row){.number = 0};
    return span_rows_fill(&k->rows, &to->rows[to->count++], segment, index, span);
}

static stele_status take_children(void *user, const stele_segment *segment, const stele_span *spans)
{
    calls *k = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const owner wanted = {.id = spans[i].parent};
        const owner *found =
            wanted.id == 0 || k->heap_count == 0
                ? NULL
                : bsearch(&wanted, k->owners, k->heap_count, sizeof wanted, compare_owners);
        if (found != NULL && !child_add(k, &k->children[found->row], segment, i, &spans[i]))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

/* Reads the traces a second time, in which spans have the same ids. */
static bool read_children(calls *k)
{
    spanning *s = &k->s;
    k->children = calloc(k->heap_count + 1, sizeof *k->children);
    k->owners = calloc(k->heap_count + 1, sizeof *k->owners);
    if (k->children == NULL || k->owners == NULL)
        return cli_check(k->c, STELE_ERR_MEMORY, "calls");
    for (size_t i = 0; i < k->heap_count; i++)
        k->owners[i] = (owner){k->heap[i].id, i};
    qsort(k->owners, k->heap_count, sizeof *k->owners, compare_owners);
    stele_spans_free(s->spans);
    s->spans = NULL;
    s->options.only = NULL;
    s->calling.duration_min_ns = 0;
    k->c->report.is_repeated = true;
    return spanning_read(s, take_children, k);
}

static void free_children(calls *k)
{
    for (size_t i = 0; k->children != NULL && i < k->heap_count; i++) {
        for (size_t at = 0; at < k->children[i].count; at++)
            span_row_free(&k->rows, &k->children[i].rows[at]);
        free(k->children[i].rows);
    }
    free(k->children);
    free(k->owners);
}

/* ---- The command ----------------------------------------------------------------------------- */

static stele_status show(calls *k, const stele_segment *segment, uint32_t index,
                         const stele_span *span)
{
    span_row row = {.number = k->number++};
    stele_status status = STELE_OK;
    if (span_rows_fill(&k->rows, &row, segment, index, span))
        span_rows_write(&k->rows, &row);
    else
        status = STELE_ERR_MEMORY;
    span_row_free(&k->rows, &row);
    return status == STELE_OK && k->top != 0 && k->number >= k->top ? STELE_END : status;
}

static stele_status take(void *user, const stele_segment *segment, const stele_span *spans)
{
    calls *k = user;
    stele_status status = STELE_OK;
    span_rows_set_origin(&k->rows, k->s.origin_ns);
    if (k->key != NULL)
        stele_expression_set_origin(k->key, k->s.origin_ns);
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++) {
        const stele_segment one = {segment->batch, segment->first + i, 1};
        if (!spanning_wants(&k->s, &spans[i]))
            continue;
        if (k->otlp != NULL)
            status = stele_otlp_add(k->otlp, segment, i, &spans[i]);
        else if (k->outliers != NULL)
            status = stele_outliers_add(k->outliers, &one, &spans[i]);
        else
            status =
                k->key != NULL ? rank(k, segment, i, &spans[i]) : show(k, segment, i, &spans[i]);
    }
    if (status == STELE_OK && k->key == NULL && k->c->is_streaming)
        status = stele_output_flush(k->c->out);
    return status;
}

static bool parse_key(calls *k)
{
    const options *o = &k->c->options;
    const char *text = option_value(o, OPTION_CALLS_SORT);
    k->top = option_given(o, OPTION_CALLS_TOP) ? option_number(o, OPTION_CALLS_TOP) : 0;
    k->has_children = option_given(o, OPTION_CALLS_CHILDREN);
    if (text == NULL && k->has_children)
        text = "time";
    if (text == NULL)
        return true;
    if (!option_given(o, OPTION_CALLS_TOP) && !k->rows.is_json && !k->rows.is_csv)
        k->top = TOP_DEFAULT;
    if (k->top == 0 || k->top > TOP_MOST)
        k->top = TOP_MOST;
    k->is_falling = text[0] == '-';
    k->is_longest = strcmp(text, "-dur") == 0;
    return cli_check(k->c, stele_expression_new(k->c->context, text + (text[0] == '-'), &k->key),
                     "--sort");
}

/* Drops the rows so far, before traces are read anew. */
static void restart(void *user)
{
    calls *k = user;
    for (size_t i = 0; i < k->heap_count; i++)
        span_row_free(&k->rows, &k->heap[i]);
    k->heap_count = 0;
    k->number = 0;
}

/* Whether an expression uses numbers of spans, which are given in the order of time. */
static bool has_numbers(const stele_expression *e)
{
    return e != NULL && (stele_expression_uses(e, "id") || stele_expression_uses(e, "parent"));
}

/* Whether the condition that spans have to fulfil uses numbers of spans. Returns false also where
   it is not valid, which reading it will report. */
static bool condition_has_numbers(const calls *k)
{
    const char *where = k->s.calling.only.where;
    stele_context *context = NULL;
    stele_expression *e = NULL;
    bool has = false;
    if (where == NULL || stele_context_new(NULL, &context) != STELE_OK)
        return false;
    if (stele_expression_new(context, where, &e) == STELE_OK)
        has = has_numbers(e);
    stele_expression_free(e);
    stele_context_free(context);
    return has;
}

/* Whether spans of different tracks can be taken in any order. */
static bool is_by_track(const calls *k)
{
    if (k->key == NULL || k->has_children || k->s.options.has_paths || has_numbers(k->key) ||
        condition_has_numbers(k))
        return false;
    for (size_t i = 0; i < k->rows.column_count; i++) {
        if (has_numbers(k->rows.columns[i].of))
            return false;
    }
    return true;
}

static bool needs_fields(const stele_expression *e)
{
    return (stele_expression_columns(e) & STELE_COLUMN_FIELDS) != 0;
}

static bool make_outliers(calls *k)
{
    cli *c = k->c;
    if (!option_given(&c->options, OPTION_OUTLIERS))
        return true;
    k->top = option_given(&c->options, OPTION_CALLS_TOP) || !(k->rows.is_json || k->rows.is_csv)
                 ? option_number(&c->options, OPTION_CALLS_TOP)
                 : 0;
    return cli_check(c, stele_outliers_new(c->context, NULL, &k->outliers), "calls");
}

static bool make_otlp(calls *k)
{
    cli *c = k->c;
    if (!option_given(&c->options, OPTION_OTLP))
        return true;
    c->is_streaming = false;
    return cli_check(c, stele_otlp_new(c->context, c->options.arguments[0], c->out, &k->otlp),
                     "calls");
}

static void show_otlp(calls *k)
{
    char text[PRINT_SIZE];
    const uint64_t unset_count = stele_otlp_unset_count(k->otlp);
    cli_check(k->c, stele_otlp_finish(k->otlp), "calls");
    if (unset_count != 0)
        cli_remark(k->c, "%s before 1970 or after 2262, written as 0",
                   print_things(text, unset_count, "time"));
    spanning_remark(&k->s);
}

static void show_all(calls *k)
{
    if (k->otlp != NULL) {
        show_otlp(k);
        return;
    }
    if (k->outliers != NULL) {
        calls_write_outliers(k->c, &k->s, k->outliers, k->top);
    } else {
        write_heap(k);
        span_rows_end(&k->rows);
        if (k->number != 0)
            span_rows_report(&k->rows);
    }
    if (!k->has_children &&
        (k->outliers != NULL || k->key != NULL || k->top == 0 || k->number < k->top))
        spanning_remark(&k->s);
}

/* Keeps the traces open if they are read twice. If that cannot be, reports it and returns false. */
static bool keep_open(calls *k)
{
    cli *c = k->c;
    if (!k->has_children)
        return true;
    k->s.calling.kept = &k->in;
    if (!inputs_open(c, &k->in) || k->in.count != c->options.argument_count)
        return false;
    for (size_t i = 0; i < k->in.count; i++) {
        const stele_trace_info *about = stele_trace_get_info(k->in.traces[i]);
        if (!about->is_seekable)
            return cli_usage(c, "--children reads traces twice, which %s cannot be", about->path);
    }
    return true;
}

void command_CALLS(cli *c)
{
    const options *o = &c->options;
    calls k = {.c = c};
    const bool has_stack = option_given(o, OPTION_STACK);
    c->is_streaming = c->is_screen && !option_given(o, OPTION_CALLS_SORT) &&
                      !option_given(o, OPTION_OUTLIERS) && !option_given(o, OPTION_CALLS_CHILDREN);
    if (span_rows_make(&k.rows, c, &k.s, option_value(o, OPTION_CALLS_COLUMNS), has_stack) &&
        spanning_make(c, &k.s) && parse_key(&k) && make_outliers(&k) && make_otlp(&k)) {
        for (size_t i = 0; i < k.rows.column_count; i++)
            k.s.options.has_paths =
                k.s.options.has_paths || k.rows.columns[i].kind == SPAN_COLUMN_STACK;
        k.s.options.no_fields = k.outliers == NULL && k.otlp == NULL &&
                                !span_rows_need_fields(&k.rows) &&
                                (k.key == NULL || !needs_fields(k.key));
        k.s.restart = k.key != NULL && k.otlp == NULL && k.outliers == NULL && !k.has_children
                          ? restart
                          : NULL;
        k.s.calling.is_by_track = is_by_track(&k);
        if (keep_open(&k) && spanning_read(&k.s, take, &k)) {
            sort_heap(&k);
            if (!k.has_children || read_children(&k))
                show_all(&k);
        }
    }
    free_children(&k);
    inputs_close(&k.in);
    for (size_t i = 0; i < k.heap_count; i++)
        span_row_free(&k.rows, &k.heap[i]);
    free(k.heap);
    stele_outliers_free(k.outliers);
    stele_otlp_free(k.otlp);
    stele_expression_free(k.key);
    span_rows_free(&k.rows);
    spanning_free(&k.s);
}
