/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes rows as many files. As many rows as there is memory for are taken, sorted by their
 * partitions, and written as one file for each partition; then the next ones. So a part depends on
 * the rows alone, and nothing is kept of what was written.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/sized.h"
#include "core/table.h"
#include "tables/parquet.h"
#include "tables/valid.h"

#define ROWS_BYTES     ((size_t)24 << 20)
#define TEXT_BYTES     ((size_t)16 << 20)
#define ROWS_MAX       ((size_t)1 << 19)
#define PARTITIONS_MAX 10000u
#define VALUE_SIZE_MAX 150u /* longest value in the name of a folder, in bytes */
#define NOT_THERE      SIZE_MAX

/* A partition: the value that its rows have in common. */
typedef struct partition {
    bool is_null;
    uint64_t number; /* value that is a track or a minute */
    char *text;      /* value that is a class, or the number as text; owned by `kept` */
    size_t size;
    char *folder; /* name of the folder; owned by `kept` */
} partition;

/* The values by which rows are sorted. */
typedef struct sort_key {
    uint64_t track;
    int64_t ts;
    uint32_t row;
} sort_key;

typedef struct table_parts {
    stele_scan *scan;
    const stele_table_parts_options *options;
    parquet *writer;
    stele_cells *cells;   /* cells of the rows that are held, by column */
    stele_cells *arrived; /* cells of a chunk, by column */
    uint64_t *valid;      /* validity bits of a chunk, by column */
    size_t row_count, rows_max;
    bool has_lasting; /* names in the rows that are held are valid without a copy */
    arena texts;      /* copies of other texts in the rows that are held */
    size_t key, track, ts;
    uint32_t *codes; /* number of the partition, for each row */
    uint32_t *order; /* numbers of rows, sorted by partition */
    sort_key *keys;
    partition *partitions;
    uint32_t partition_count;
    uint32_t *begins; /* index in `order` of the first row of each partition */
    hash_table known;
    arena kept;
    unsigned number; /* number of the file, the same for all partitions */
} table_parts;

static const char *const key_names[STELE_PARTITION_COUNT] = {[STELE_PARTITION_CLASS] = "class",
                                                             [STELE_PARTITION_TRACK] = "track",
                                                             [STELE_PARTITION_MINUTE] = "minute"};

static bool is_text(stele_cell_type type)
{
    return type == STELE_CELL_TEXT || type == STELE_CELL_JSON;
}

/* ---- Partitions ------------------------------------------------------------------------------ */

/* Writes the name of a folder as Hive does, KEY=VALUE with special characters as %XX. A long
   value is cut and ends with a hash of all of it. */
static void put_folder(char *to, size_t size, const char *key, const partition *p)
{
    static const char special[] = "\"#%'*/:=?\\{}[]^<>|";
    const size_t used = p->size < VALUE_SIZE_MAX ? p->size : VALUE_SIZE_MAX;
    size_t at;
    if (p->is_null || p->size == 0) {
        snprintf(to, size, "%s=__HIVE_DEFAULT_PARTITION__", key);
        return;
    }
    at = (size_t)snprintf(to, size, "%s=", key);
    for (size_t i = 0; i < used; i++) {
        const uint8_t byte = (uint8_t)p->text[i];
        if (byte <= 32 || byte >= 127 || strchr(special, byte) != NULL)
            at += (size_t)snprintf(to + at, size - at, "%%%02X", byte);
        else
            to[at++] = (char)byte;
    }
    to[at] = 0;
    if (used != p->size)
        snprintf(to + at, size - at, "~%016llx",
                 (unsigned long long)hash_keyed_bytes((hash_key){0}, p->text, p->size));
}

/* Sets the text and the folder of a partition. Escaping makes a value at most three times as
   long. Returns false if out of memory. */
static bool add_texts(table_parts *t, partition *p, const char *text, size_t size)
{
    char folder[16 + 3 * VALUE_SIZE_MAX + 32];
    p->text = arena_copy(&t->kept, text, size);
    p->size = size;
    if (p->text == NULL)
        return false;
    put_folder(folder, sizeof folder, key_names[t->options->partition], p);
    p->folder = arena_copy(&t->kept, folder, strlen(folder));
    return p->folder != NULL;
}

/* Finds or makes the partition of a value. Returns HASH_NONE if there are too many, or if out of
   memory. */
static uint32_t find_partition(table_parts *t, const partition *value, uint32_t hash)
{
    char digits[32];
    partition *made;
    for (uint32_t at = hash, number;
         (number = hash_table_next(&t->known, hash, &at)) != HASH_NONE;) {
        const partition *p = &t->partitions[number];
        if (p->is_null != value->is_null || p->number != value->number)
            continue;
        if (value->text == NULL || value->is_null ||
            (p->size == value->size && memcmp(p->text, value->text, p->size) == 0))
            return number;
    }
    if (t->partition_count == PARTITIONS_MAX)
        return HASH_NONE;
    made = &t->partitions[t->partition_count];
    *made = *value;
    snprintf(digits, sizeof digits, "%lld", (long long)value->number);
    if (!(value->text != NULL ? add_texts(t, made, value->text, value->size)
                              : add_texts(t, made, digits, strlen(digits))))
        return HASH_NONE;
    hash_table_put(&t->known, hash, t->partition_count);
    return t->partition_count++;
}

/* Nanoseconds as minutes, rounded down. */
static uint64_t minute_of(int64_t ns)
{
    static const int64_t minute_ns = INT64_C(60000000000);
    return (uint64_t)(ns / minute_ns - (ns % minute_ns < 0));
}

static partition value_at(const table_parts *t, size_t row)
{
    const stele_cells *cells = &t->cells[t->key];
    partition value = {.is_null = !stele_cell_is_there(cells, row)};
    if (value.is_null)
        return value;
    if (t->options->partition == STELE_PARTITION_TRACK) {
        value.number = ((const uint32_t *)cells->values)[row];
    } else if (t->options->partition == STELE_PARTITION_MINUTE) {
        value.number = minute_of(((const int64_t *)cells->values)[row]);
    } else {
        const stele_cell_text *text = &((const stele_cell_text *)cells->values)[row];
        value.text = (char *)(uintptr_t)stele_cell_bytes(text);
        value.size = text->size;
    }
    return value;
}

static stele_status find_codes(table_parts *t)
{
    for (size_t row = 0; row < t->row_count; row++) {
        const partition value = value_at(t, row);
        const uint32_t count = t->partition_count;
        uint32_t hash;
        if (!hash_table_reserve(&t->known))
            return STELE_ERR_MEMORY;
        hash = value.text != NULL ? hash_table_hash_bytes(&t->known, value.text, value.size)
                                  : hash_table_hash_pair(&t->known, value.number, value.is_null);
        t->codes[row] = find_partition(t, &value, hash);
        if (t->codes[row] != HASH_NONE)
            continue;
        if (count != PARTITIONS_MAX)
            return STELE_ERR_MEMORY;
        diag_report(&t->scan->context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                    "at most 10000 values to partition by", "table '%s' has more",
                    t->scan->table->name);
        return STELE_ERR_LIMIT;
    }
    return STELE_OK;
}

/* Sorts rows by partition; rows of one partition keep their order. */
static stele_status order_rows(table_parts *t)
{
    stele_status status = STELE_OK;
    if (t->key == NOT_THERE) {
        t->partition_count = 1;
        memset(t->codes, 0, t->row_count * sizeof *t->codes);
    } else {
        status = find_codes(t);
    }
    if (status != STELE_OK)
        return status;
    memset(t->begins, 0, (t->partition_count + 2) * sizeof *t->begins);
    for (size_t row = 0; row < t->row_count; row++)
        t->begins[t->codes[row] + 2]++;
    for (size_t i = 2; i < (size_t)t->partition_count + 2; i++)
        t->begins[i] += t->begins[i - 1];
    for (size_t row = 0; row < t->row_count; row++)
        t->order[t->begins[t->codes[row] + 1]++] = (uint32_t)row;
    return STELE_OK;
}

/* ---- Sorting of rows in a file --------------------------------------------------------------- */

/* Compares rows by track, then by time; a row without one comes last. */
static int compare_keys(const void *a, const void *b)
{
    const sort_key *x = a, *y = b;
    if (x->track != y->track)
        return x->track < y->track ? -1 : 1;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

static void sort_rows(table_parts *t, uint32_t *picked, size_t count)
{
    bool is_sorted = true;
    for (size_t i = 0; i < count; i++) {
        const uint32_t row = picked[i];
        const bool has_ts = t->ts != NOT_THERE && stele_cell_is_there(&t->cells[t->ts], row);
        const bool has_track = stele_cell_is_there(&t->cells[t->track], row);
        const uint32_t *tracks = t->cells[t->track].values;
        const int64_t *times = has_ts ? t->cells[t->ts].values : NULL;
        t->keys[i] =
            (sort_key){has_track ? tracks[row] : UINT64_MAX, has_ts ? times[row] : INT64_MAX, row};
        is_sorted = is_sorted && (i == 0 || compare_keys(&t->keys[i - 1], &t->keys[i]) < 0);
    }
    if (is_sorted)
        return;
    qsort(t->keys, count, sizeof *t->keys, compare_keys);
    for (size_t i = 0; i < count; i++)
        picked[i] = t->keys[i].row;
}

/* ---- Writing of files ------------------------------------------------------------------------ */

static void find_times(const table_parts *t, const uint32_t *picked, stele_table_part *part)
{
    const int64_t *times = t->ts != NOT_THERE ? t->cells[t->ts].values : NULL;
    for (size_t i = 0; times != NULL && i < part->row_count; i++) {
        const uint32_t row = picked[i];
        if (!stele_cell_is_there(&t->cells[t->ts], row))
            continue;
        if (!part->has_ts || times[row] < part->ts_min)
            part->ts_min = times[row];
        if (!part->has_ts || times[row] > part->ts_max)
            part->ts_max = times[row];
        part->has_ts = true;
    }
}

static stele_status write_rows(table_parts *t, stele_table_part *part, const uint32_t *picked,
                               stele_output *out)
{
    stele_status status;
    parquet_begin(t->writer, out);
    status = parquet_put(t->writer, t->cells, picked, (size_t)part->row_count, t->has_lasting);
    if (status == STELE_OK)
        status = parquet_end(t->writer);
    part->size = output_offset(out);
    return status == STELE_OK ? output_seal(out) : status;
}

static stele_status write_part(table_parts *t, const partition *p, uint32_t *picked, size_t count)
{
    char name[1024];
    stele_table_part part = {.struct_size = sizeof part, .name = name, .row_count = count};
    stele_output *out = NULL;
    stele_status status;
    if (t->key != NOT_THERE) {
        part.key = key_names[t->options->partition];
        part.value = p->is_null ? NULL : p->text;
    }
    snprintf(name, sizeof name, "%s%spart-%05u.parquet", t->key != NOT_THERE ? p->folder : "",
             t->key != NOT_THERE ? "/" : "", t->number);
    if (t->options->sorts_by_track)
        sort_rows(t, picked, count);
    find_times(t, picked, &part);
    status = t->options->open(t->options->user, &part, &out);
    if (status == STELE_OK && out != NULL)
        status = write_rows(t, &part, picked, out);
    return status == STELE_OK ? t->options->done(t->options->user, &part, out) : status;
}

/* Writes a file without rows for a table without rows, as the partition without a value. */
static stele_status write_empty(table_parts *t)
{
    partition none = {.is_null = true};
    return add_texts(t, &none, "", 0) ? write_part(t, &none, t->order, 0) : STELE_ERR_MEMORY;
}

static stele_status write_parts(table_parts *t)
{
    stele_status status = order_rows(t);
    if (status == STELE_OK && t->row_count == 0 && t->number == 0 && t->key != NOT_THERE)
        status = write_empty(t);
    for (uint32_t i = 0; i < t->partition_count && status == STELE_OK; i++) {
        const uint32_t begin = i == 0 ? 0 : t->begins[i], end = t->begins[i + 1];
        if (begin != end || (t->number == 0 && t->key == NOT_THERE))
            status = write_part(t, &t->partitions[i], t->order + begin, end - begin);
    }
    t->number++;
    t->row_count = 0;
    t->has_lasting = true;
    arena_free(&t->texts);
    return status;
}

/* ---- Taking of rows -------------------------------------------------------------------------- */

/* Copies texts that are valid only until the next chunk, so that they last until they are
   written. Returns false if out of memory. */
static bool keep_texts(table_parts *t, stele_cell_text *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *copy;
        if (cells[i].size <= STELE_CELL_INLINE)
            continue;
        copy = arena_copy(&t->texts, stele_cell_bytes(&cells[i]), cells[i].size);
        if (copy == NULL)
            return false;
        cells[i] = stele_cell_text_make(copy, cells[i].size);
    }
    return true;
}

static stele_status take_rows(table_parts *t)
{
    const size_t room = t->rows_max - t->row_count;
    const stele_scan *s = t->scan;
    stele_chunk chunk;
    stele_status status;
    for (size_t i = 0; i < s->column_count; i++)
        t->arrived[i].values =
            (uint8_t *)t->cells[i].values + t->row_count * stele_cell_size(s->columns[i].type);
    status =
        stele_scan_next(t->scan, t->arrived, room < ROWS_AT_ONCE ? room : ROWS_AT_ONCE, &chunk);
    for (size_t i = 0; status == STELE_OK && i < s->column_count; i++) {
        const bool lasts = stele_scan_is_lasting(s, i) && chunk.has_lasting;
        valid_append(t->cells[i].valid, t->row_count, t->arrived[i].valid, chunk.count);
        if (is_text(s->columns[i].type) && !lasts &&
            !keep_texts(t, t->arrived[i].values, chunk.count))
            status = STELE_ERR_MEMORY;
    }
    if (status == STELE_OK) {
        t->row_count += chunk.count;
        t->has_lasting = t->has_lasting && chunk.has_lasting;
    }
    return status;
}

static stele_status run(table_parts *t)
{
    stele_status status = STELE_OK;
    t->has_lasting = true;
    while (status == STELE_OK) {
        status = take_rows(t);
        if (status == STELE_OK && (t->row_count == t->rows_max || t->texts.size > TEXT_BYTES))
            status = write_parts(t);
    }
    if (status != STELE_END)
        return status;
    return t->row_count != 0 || t->number == 0 ? write_parts(t) : STELE_OK;
}

/* ---- Making and freeing ---------------------------------------------------------------------- */

static size_t find_column(const stele_scan *s, const char *name, stele_cell_type type)
{
    for (size_t i = 0; i < s->column_count; i++) {
        if (strcmp(s->columns[i].name, name) == 0 && s->columns[i].type == type)
            return i;
    }
    return NOT_THERE;
}

/* Finds the columns by which rows are partitioned and sorted. Returns false if one is missing. */
static bool find_keys(table_parts *t)
{
    const stele_scan *s = t->scan;
    const size_t name = find_column(s, "name", STELE_CELL_TEXT);
    t->track = find_column(s, "track", STELE_CELL_U32);
    t->ts = find_column(s, "ts", STELE_CELL_I64);
    t->key = t->options->partition == STELE_PARTITION_CLASS    ? name
             : t->options->partition == STELE_PARTITION_TRACK  ? t->track
             : t->options->partition == STELE_PARTITION_MINUTE ? t->ts
                                                               : NOT_THERE;
    return (t->options->partition == STELE_PARTITION_NONE || t->key != NOT_THERE) &&
           (!t->options->sorts_by_track || t->track != NOT_THERE);
}

static bool make_buffers(table_parts *t)
{
    static const size_t words = ROWS_AT_ONCE / 64;
    const size_t count = t->scan->column_count;
    size_t row_size = 0;
    t->cells = calloc(count, sizeof *t->cells);
    t->arrived = calloc(count, sizeof *t->arrived);
    t->valid = malloc(count * words * sizeof *t->valid);
    if (t->cells == NULL || t->arrived == NULL || t->valid == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        row_size += stele_cell_size(t->scan->columns[i].type);
    t->rows_max = ROWS_BYTES / row_size / ROWS_AT_ONCE * ROWS_AT_ONCE + ROWS_AT_ONCE;
    if (t->rows_max > ROWS_MAX)
        t->rows_max = ROWS_MAX;
    for (size_t i = 0; i < count; i++) {
        t->arrived[i].valid = t->valid + i * words;
        t->cells[i].values = malloc(t->rows_max * stele_cell_size(t->scan->columns[i].type));
        t->cells[i].valid = malloc(stele_valid_words(t->rows_max) * sizeof(uint64_t));
        if (t->cells[i].values == NULL || t->cells[i].valid == NULL)
            return false;
    }
    t->codes = malloc(t->rows_max * sizeof *t->codes);
    t->order = malloc(t->rows_max * sizeof *t->order);
    t->begins = malloc((PARTITIONS_MAX + 2) * sizeof *t->begins);
    t->partitions = calloc(PARTITIONS_MAX, sizeof *t->partitions);
    t->keys = t->options->sorts_by_track ? malloc(t->rows_max * sizeof *t->keys) : NULL;
    return t->codes != NULL && t->order != NULL && t->begins != NULL && t->partitions != NULL &&
           (t->keys != NULL || !t->options->sorts_by_track);
}

static bool make_writer(table_parts *t)
{
    const stele_table_write_options how = {.level = t->options->level,
                                           .has_plain_types = t->options->has_plain_types};
    t->writer = parquet_new(t->scan, &how);
    if (t->writer == NULL)
        return false;
    if (t->options->sorts_by_track) {
        parquet_sorted_by(t->writer, t->track);
        if (t->ts != NOT_THERE)
            parquet_sorted_by(t->writer, t->ts);
    }
    return true;
}

static void free_all(table_parts *t)
{
    for (size_t i = 0; t->cells != NULL && i < t->scan->column_count; i++) {
        free(t->cells[i].values);
        free(t->cells[i].valid);
    }
    parquet_free(t->writer);
    free(t->cells);
    free(t->arrived);
    free(t->valid);
    free(t->codes);
    free(t->order);
    free(t->begins);
    free(t->partitions);
    free(t->keys);
    hash_table_free(&t->known);
    arena_free(&t->texts);
    arena_free(&t->kept);
}

stele_status stele_scan_write_parts(stele_scan *scan, const stele_table_parts_options *given)
{
    stele_table_parts_options options;
    table_parts t = {.scan = scan, .options = &options};
    stele_status status;
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_table_parts_options, user),
                    given) ||
        scan->column_count == 0 || options.open == NULL || options.done == NULL ||
        (unsigned)options.partition >= STELE_PARTITION_COUNT || !find_keys(&t))
        return STELE_ERR_ARGUMENT;
    status = make_buffers(&t) && make_writer(&t) ? run(&t) : STELE_ERR_MEMORY;
    free_all(&t);
    return status;
}
