/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans for a use of a table function. Threads of DuckDB take parts of a trace one after another,
 * or a single thread takes the whole trace. A scan whose texts may still be in use is kept until
 * functions_release().
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/sql/functions.h"
#include "cli/sql/functions_scan.h"

/* What one thread reads: the whole traces, or one part after another. */
typedef struct part_scan {
    scanned traces;
    stele_scan *scan; /* NULL: no part was opened yet */
    stele_cells *cells;
    uint64_t *valid; /* validity bits of a chunk, column after column */
    /* buffers for columns whose texts are valid until the next chunk; NULL: not needed */
    stele_cell_text **texts;
} part_scan;

/* A finished scan whose texts may still be used. */
typedef struct old_scan {
    struct old_scan *next;
    scanned traces;   /* closed together with the scan, if there are any */
    stele_scan *scan; /* NULL: only `traces` are kept */
} old_scan;

/* One use of a function in a statement, by any number of threads. */
typedef struct trace_scan {
    table_functions *all;
    const binding *from;
    stele_request request;
    stele_scan_column *columns;
    size_t column_count;
    stele_cell_type *types;
    bool *can_be_null;
    uint32_t user_count; /* how many threads use it, plus one for the statement */
    uint32_t part_next, part_count;
    part_scan *first; /* opened in advance for the first thread; NULL: taken already */
    scanned indexed;  /* traces whose index all parts take; none if there is one part */
    uint64_t lost_count, missing_count; /* sums over all parts so far */
} trace_scan;

static void count_totals(trace_scan *t, const stele_scan *scan)
{
    stele_scan_stats stats = STELE_INIT(stele_scan_stats);
    stele_reader_stats reader = STELE_INIT(stele_reader_stats);
    scan_totals *totals = &t->all->totals;
    stele_scan_get_stats(scan, &stats, &reader);
    totals->misfit_count += stats.misfit_count;
    totals->replaced_count += stats.replaced_count;
    totals->unknown_count += stats.unknown_count;
    t->lost_count += reader.lost_count;
    t->missing_count += reader.missing_count;
    if (t->lost_count > totals->lost_count)
        totals->lost_count = t->lost_count;
    if (t->missing_count > totals->missing_count)
        totals->missing_count = t->missing_count;
}

/* Ends a scan, and closes its traces if they are given. Both are kept until functions_release()
   if DuckDB may still use texts of the scan. */
static void end_scan(trace_scan *t, stele_scan *scan, scanned *traces)
{
    old_scan *old = t->all->keeps_texts ? malloc(sizeof *old) : NULL;
    if (scan != NULL)
        count_totals(t, scan);
    if (old != NULL) {
        *old = (old_scan){.next = t->all->done, .scan = scan};
        if (traces != NULL)
            old->traces = *traces;
        t->all->done = old;
        return;
    }
    stele_scan_close(scan);
    if (traces != NULL)
        functions_close_traces(traces);
}

void functions_release(table_functions *f)
{
    for (old_scan *old = f->done; old != NULL; old = old->next)
        stele_scan_close(old->scan); /* before any traces are closed, because scans share them */
    while (f->done != NULL) {
        old_scan *old = f->done;
        f->done = old->next;
        functions_close_traces(&old->traces);
        free(old);
    }
}

/* Frees a part; the caller holds the lock. */
static void free_part(trace_scan *t, part_scan *p)
{
    end_scan(t, p->scan, &p->traces);
    for (size_t i = 0; p->texts != NULL && i < t->column_count; i++)
        free(p->texts[i]);
    free(p->texts);
    free(p->valid);
    free(p->cells);
    free(p);
}

/*
 * Removes a user of a scan; the last one frees it. The caller holds the lock, which this releases.
 */
static void leave(trace_scan *t)
{
    const bool is_last = --t->user_count == 0;
    pthread_mutex_unlock(&t->all->lock);
    if (!is_last)
        return;
    functions_close_traces(&t->indexed);
    free(t->columns);
    free(t->types);
    free(t->can_be_null);
    free(t);
}

static void free_scan(void *data)
{
    trace_scan *t = data;
    pthread_mutex_lock(&t->all->lock);
    if (t->first != NULL)
        free_part(t, t->first);
    t->first = NULL;
    leave(t);
}

/* Restricts a request to the rows that the plan needs, unless parameters restrict it already. */
static void narrow(stele_request *request, const plan_filter *f)
{
    if (f->has_begin && request->begin.kind == STELE_BOUND_NONE)
        request->begin = (stele_bound){STELE_BOUND_CLOCK, f->begin_ns};
    if (f->has_end && request->end.kind == STELE_BOUND_NONE)
        request->end = (stele_bound){STELE_BOUND_CLOCK, f->end_ns};
    if (request->kinds == 0 || (request->kinds & f->kinds) != 0)
        request->kinds = f->kinds == 0         ? request->kinds
                         : request->kinds == 0 ? f->kinds
                                               : request->kinds & f->kinds;
    if (request->names.count == 0 && f->name_count != 0)
        request->names = (stele_globs){(const char *const *)f->names, f->name_count};
}

/* Makes the request of a scan for the columns that the statement uses. */
static stele_request request_of(const duckdb *d, duck_info info, const binding *b)
{
    stele_table_info table = STELE_INIT(stele_table_info);
    stele_request request = b->request;
    const plan_scan *plan = b->function->all->plan;
    const size_t count = (size_t)d->init_get_column_count(info);
    const char **names = calloc(count + 1, sizeof *names);
    const plan_filter *filter = NULL;
    char function[64], *key = NULL;
    bool is_known = plan != NULL && names != NULL && stele_table_find(b->function->table, &table) &&
                    table.selects_events;
    for (size_t i = 0; is_known && i < count; i++) {
        const duck_count index = d->init_get_column_index(info, i);
        is_known = index < b->column_count && b->shown[index] != NULL;
        names[i] = is_known ? b->shown[index] : NULL;
    }
    snprintf(function, sizeof function, "read_%s",
             b->function->is_class ? "class" : b->function->table);
    if (is_known)
        key = plan_key(function, names, count);
    if (key != NULL)
        filter = plan_find(plan, key);
    if (filter != NULL)
        narrow(&request, filter);
    free(key);
    free(names);
    return request;
}

/* Allocates buffers for columns whose texts are valid until the next chunk only. */
static stele_status make_texts(const trace_scan *t, part_scan *p)
{
    for (size_t i = 0; i < t->column_count; i++) {
        const bool is_text = t->types[i] == STELE_CELL_TEXT || t->types[i] == STELE_CELL_JSON;
        if (!is_text || p->texts[i] != NULL ||
            (t->all->keeps_texts && stele_scan_is_lasting(p->scan, i)))
            continue;
        p->texts[i] = malloc((size_t)t->all->d->vector_size() * sizeof **p->texts);
        if (p->texts[i] == NULL)
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

static stele_scan_options options_of(const trace_scan *t, const stele_request *request)
{
    return (stele_scan_options){.struct_size = sizeof(stele_scan_options),
                                .table = t->from->function->table,
                                .columns = t->columns,
                                .column_count = t->column_count,
                                .request = request};
}

/* Opens the next part that no thread has taken, in place of the one before. Returns STELE_END if
   there is none. The caller holds the lock. */
static stele_status open_part(trace_scan *t, part_scan *p)
{
    stele_request request = t->request;
    const stele_scan_options options = options_of(t, &request);
    stele_status status = STELE_OK;
    if (p->scan != NULL)
        end_scan(t, p->scan, NULL);
    p->scan = NULL;
    if (t->part_next == t->part_count)
        return STELE_END;
    request.struct_size = sizeof request;
    request.part = t->part_next++;
    request.part_count = t->part_count;
    if (t->indexed.count == 1 && p->traces.count == 1)
        status = stele_trace_take_index(p->traces.traces[0], t->indexed.traces[0]);
    if (status == STELE_OK)
        status = stele_scan_open(p->traces.context, p->traces.traces, p->traces.count, &options,
                                 &p->scan);
    return status == STELE_OK ? make_texts(t, p) : status;
}

/* How many words the validity bits of a column of a chunk have. */
static size_t valid_words(const trace_scan *t)
{
    return stele_valid_words((size_t)t->all->d->vector_size());
}

/* Makes the state of a thread and opens the traces. The caller holds the lock. */
static stele_status make_part(trace_scan *t, part_scan **out)
{
    const trace_opener *opener = &t->all->opener;
    part_scan *p = *out = calloc(1, sizeof *p);
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->cells = calloc(t->column_count + 1, sizeof *p->cells);
    p->texts = calloc(t->column_count + 1, sizeof *p->texts);
    p->valid = calloc(t->column_count + 1, valid_words(t) * sizeof *p->valid);
    if (p->cells == NULL || p->texts == NULL || p->valid == NULL)
        return STELE_ERR_MEMORY;
    return opener->open(opener->user, t->from->path, &p->traces) ? STELE_OK : STELE_ERR_READ;
}

/* Selects the columns that the statement uses. Returns false if out of memory. */
static bool choose(const duckdb *d, duck_info info, trace_scan *t)
{
    const binding *b = t->from;
    t->column_count = (size_t)d->init_get_column_count(info);
    t->columns = calloc(t->column_count + 1, sizeof *t->columns);
    t->types = calloc(t->column_count + 1, sizeof *t->types);
    t->can_be_null = calloc(t->column_count + 1, sizeof *t->can_be_null);
    if (t->columns == NULL || t->types == NULL || t->can_be_null == NULL)
        return false;
    for (size_t i = 0, count = t->column_count; i < count; i++) {
        const duck_count index = d->init_get_column_index(info, i);
        /* a statement that needs rows but no columns has an index beyond all of them */
        const size_t known = index < b->column_count ? (size_t)index : 0;
        t->columns[i] = b->columns[known];
        t->types[i] = b->columns[known].type;
        t->can_be_null[i] = b->can_be_null[known];
    }
    return true;
}

/* Number of parts for each thread, so that threads with large parts do not keep others waiting. */
#define PARTS_PER_THREAD 4u

/* Decides in how many parts the traces are read. If the statement names something, they are read
   as a whole: only then can it be reported that nothing has that name. */
static stele_status plan_parts(trace_scan *t)
{
    const stele_request *request = &t->request;
    const uint32_t most = t->all->threads * PARTS_PER_THREAD;
    const stele_scan_options options = options_of(t, request);
    const trace_opener *opener = &t->all->opener;
    scanned *traces = &t->indexed;
    stele_status status;
    *traces = (scanned){.is_silent = true};
    t->part_count = 1;
    if (t->all->threads < 2 || request->where != NULL ||
        (t->from->names != NULL && !t->from->function->is_class))
        return STELE_OK;
    /* Findings are reported by the scans, once and as without parts. */
    if (!opener->open(opener->user, t->from->path, traces)) {
        *traces = (scanned){.count = 0};
        return STELE_ERR_READ;
    }
    status = stele_scan_parts(traces->context, traces->traces, traces->count, &options, most,
                              &t->part_count);
    if (t->part_count == 1) {
        functions_close_traces(traces);
        *traces = (scanned){.count = 0};
    }
    return status;
}

void functions_init(duck_info info)
{
    const duckdb *d = functions_duckdb(info, NULL);
    const binding *b = d->init_get_bind_data(info);
    trace_scan *t = calloc(1, sizeof *t);
    stele_status status = STELE_ERR_MEMORY;
    if (t == NULL) {
        d->init_set_error(info, stele_status_text(status));
        return;
    }
    *t = (trace_scan){.all = b->function->all,
                      .from = b,
                      .request = request_of(d, info, b),
                      .user_count = 1,
                      .part_count = 1};
    pthread_mutex_lock(&t->all->lock);
    if (choose(d, info, t))
        status = make_part(t, &t->first);
    if (status == STELE_OK)
        status = plan_parts(t);
    if (status == STELE_OK)
        status = open_part(t, t->first);
    pthread_mutex_unlock(&t->all->lock);
    d->init_set_init_data(info, t, free_scan);
    d->init_set_max_threads(info, t->part_count);
    if (status != STELE_OK)
        d->init_set_error(info, stele_status_text(status));
}

/* The scan that a thread works on, which it gets when it first fills a chunk. */
typedef struct thread_scan {
    trace_scan *of; /* NULL: the thread was not called yet */
    part_scan *part;
} thread_scan;

static void free_thread(void *data)
{
    thread_scan *own = data;
    if (own->of != NULL) {
        pthread_mutex_lock(&own->of->all->lock);
        if (own->part != NULL)
            free_part(own->of, own->part);
        leave(own->of);
    }
    free(own);
}

void functions_init_thread(duck_info info)
{
    const duckdb *d = functions_duckdb(info, NULL);
    thread_scan *own = calloc(1, sizeof *own);
    if (own != NULL)
        d->init_set_init_data(info, own, free_thread);
    else
        d->init_set_error(info, stele_status_text(STELE_ERR_MEMORY));
}

/* Makes sure that a thread has something to read. Returns STELE_END if nothing is left. */
static stele_status enter(trace_scan *t, thread_scan *own)
{
    stele_status status = STELE_OK;
    pthread_mutex_lock(&t->all->lock);
    t->user_count += own->of == NULL;
    own->of = t;
    if (own->part == NULL && t->first != NULL) {
        own->part = t->first;
        t->first = NULL;
    } else if (own->part == NULL) {
        status = t->part_next == t->part_count ? STELE_END : make_part(t, &own->part);
    }
    if (status == STELE_OK && own->part->scan == NULL)
        status = open_part(t, own->part);
    pthread_mutex_unlock(&t->all->lock);
    return status;
}

static void give_texts(const duckdb *d, duck_vector vector, const stele_cell_text *texts,
                       const stele_cells *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (stele_cell_is_there(cells, i))
            d->vector_assign_string_element_len(vector, i, stele_cell_bytes(&texts[i]),
                                                texts[i].size);
    }
}

/* Sets where the columns of a chunk are written. */
static void aim(const trace_scan *t, part_scan *p, duck_chunk out)
{
    const duckdb *d = t->all->d;
    for (size_t i = 0; i < t->column_count; i++) {
        duck_vector vector = d->data_chunk_get_vector(out, i);
        p->cells[i].valid = t->can_be_null[i] ? &p->valid[i * valid_words(t)] : NULL;
        p->cells[i].values = p->texts[i] != NULL ? p->texts[i] : d->vector_get_data(vector);
    }
}

static bool has_nulls(const uint64_t *valid, size_t count)
{
    uint64_t all = UINT64_MAX;
    for (size_t i = 0; i < count / 64; i++)
        all &= valid[i];
    if (count % 64 != 0)
        all &= valid[count / 64] | UINT64_MAX << (count % 64);
    return all != UINT64_MAX;
}

/* Gives validity bits to the columns that have nulls in this chunk. DuckDB looks at each row of
   the others no more. */
static void give_valid(const trace_scan *t, const part_scan *p, duck_chunk out, size_t count)
{
    const duckdb *d = t->all->d;
    for (size_t i = 0; i < t->column_count; i++) {
        duck_vector vector;
        if (p->cells[i].valid == NULL || !has_nulls(p->cells[i].valid, count))
            continue;
        vector = d->data_chunk_get_vector(out, i);
        d->vector_ensure_validity_writable(vector);
        memcpy(d->vector_get_validity(vector), p->cells[i].valid,
               stele_valid_words(count) * sizeof(uint64_t));
    }
}

/* Reads the next rows of the current part. Parts share nothing; traces that are read as a whole
   may look up names in files that all share, which needs the lock. */
static stele_status next_rows(trace_scan *t, part_scan *p, duck_chunk out, stele_chunk *chunk)
{
    const size_t capacity = (size_t)t->all->d->vector_size();
    stele_status status;
    aim(t, p, out);
    if (t->part_count > 1)
        return stele_scan_next(p->scan, p->cells, capacity, chunk);
    pthread_mutex_lock(&t->all->lock);
    status = stele_scan_next(p->scan, p->cells, capacity, chunk);
    pthread_mutex_unlock(&t->all->lock);
    return status;
}

static void end_part(trace_scan *t, part_scan *p)
{
    pthread_mutex_lock(&t->all->lock);
    end_scan(t, p->scan, NULL);
    p->scan = NULL;
    pthread_mutex_unlock(&t->all->lock);
}

void functions_fill(duck_info info, duck_chunk out)
{
    const duckdb *d = functions_duckdb(info, NULL);
    trace_scan *t = d->function_get_init_data(info);
    thread_scan *own = d->function_get_local_init_data(info);
    stele_chunk chunk = {.count = 0};
    stele_status status;
    while ((status = enter(t, own)) == STELE_OK) {
        status = next_rows(t, own->part, out, &chunk);
        if (status != STELE_END)
            break;
        end_part(t, own->part);
    }
    if (status == STELE_OK)
        give_valid(t, own->part, out, chunk.count);
    for (size_t i = 0; status == STELE_OK && i < t->column_count; i++) {
        const bool is_text = t->types[i] == STELE_CELL_TEXT || t->types[i] == STELE_CELL_JSON;
        const stele_cells *cells = &own->part->cells[i];
        if (own->part->texts[i] != NULL || (is_text && !chunk.has_lasting))
            give_texts(d, d->data_chunk_get_vector(out, i), cells->values, cells, chunk.count);
    }
    d->data_chunk_set_size(out, status == STELE_OK ? chunk.count : 0);
    if (status != STELE_OK && status != STELE_END)
        d->function_set_error(info, stele_status_text(status));
}
