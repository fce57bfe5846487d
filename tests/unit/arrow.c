/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrow's C stream: what the specification requires of schemas and arrays, and the rows of a scan.
 */
#include <errno.h>

#include "allocations.h"
#include "table_rows.h"

static bool open_stream(const char *sample, const char *table, buffers *b, opened *o,
                        struct ArrowArrayStream *stream, stele_scan **scan)
{
    stele_scan_options options = STELE_INIT(stele_scan_options);
    buffers_make(b, table);
    *scan = NULL;
    CHECK(open_sample(sample, o));
    options.table = table;
    options.columns = b->columns;
    options.column_count = b->count;
    return stele_scan_open(o->context, &o->trace, 1, &options, scan) == STELE_OK &&
           stele_table_arrow(*scan, stream) == STELE_OK;
}

/* ---- What the specification requires ---- */

static const char *format_of(stele_cell_type type)
{
    static const char *const formats[STELE_CELL_TYPE_COUNT] = {
        [STELE_CELL_BOOL] = "b",   [STELE_CELL_U8] = "C",      [STELE_CELL_U16] = "S",
        [STELE_CELL_U32] = "I",    [STELE_CELL_U64] = "L",     [STELE_CELL_I64] = "l",
        [STELE_CELL_DOUBLE] = "g", [STELE_CELL_WALL] = "tsn:", [STELE_CELL_ENUM] = "C",
        [STELE_CELL_TEXT] = "U",   [STELE_CELL_JSON] = "U"};
    return formats[type];
}

static void check_schema(const struct ArrowSchema *schema, const buffers *b)
{
    REQUIRE(schema->release != NULL);
    CHECK(strcmp(schema->format, "+s") == 0);
    REQUIRE(schema->n_children == (int64_t)b->count);
    for (size_t i = 0; i < b->count; i++) {
        const struct ArrowSchema *child = schema->children[i];
        CHECK(child->release != NULL && child->n_children == 0);
        CHECK(strcmp(child->name, b->infos[i].name) == 0);
        CHECK(strcmp(child->format, format_of(b->infos[i].type)) == 0);
        CHECK(((child->flags & ARROW_FLAG_NULLABLE) != 0) == b->infos[i].can_be_null);
        CHECK((child->dictionary != NULL) == (b->infos[i].type == STELE_CELL_ENUM));
        CHECK(child->dictionary == NULL || strcmp(child->dictionary->format, "u") == 0);
    }
}

static bool bit_at(const void *bits, size_t at)
{
    return (((const uint8_t *)bits)[at / 8] >> (at % 8) & 1) != 0;
}

static void check_column(const struct ArrowArray *array, int64_t length,
                         const stele_table_column_info *info)
{
    const bool is_text = info->type == STELE_CELL_TEXT || info->type == STELE_CELL_JSON;
    int64_t nulls = 0;
    CHECK(array->release != NULL && array->length == length && array->offset == 0);
    REQUIRE(array->n_buffers == (is_text ? 3 : 2));
    CHECK(array->buffers[0] != NULL || array->null_count == 0);
    CHECK(array->buffers[0] == NULL || info->can_be_null);
    for (int64_t row = 0; array->buffers[0] != NULL && row < length; row++)
        nulls += !bit_at(array->buffers[0], (size_t)row);
    CHECK_EQ_U64(nulls, array->null_count);
    if (is_text) {
        const int64_t *offsets = array->buffers[1];
        CHECK_EQ_U64(offsets[0], 0);
        for (int64_t row = 0; row < length; row++)
            CHECK(offsets[row] <= offsets[row + 1]);
    }
    CHECK((array->dictionary != NULL) == (info->type == STELE_CELL_ENUM));
    if (array->dictionary != NULL) {
        const uint8_t *codes = array->buffers[1];
        CHECK_EQ_U64(array->dictionary->length, info->label_count);
        for (int64_t row = 0; row < length; row++)
            CHECK(codes[row] < array->dictionary->length);
    }
}

/* ---- The same rows as a scan gives ---- */

static void put_value(stele_output *out, const struct ArrowArray *array,
                      const stele_table_column_info *info, size_t row)
{
    const size_t size = stele_cell_size(info->type);
    const uint8_t *values = array->buffers[1];
    if (array->buffers[0] != NULL && !bit_at(array->buffers[0], row)) {
        stele_output_text(out, "NULL");
    } else if (info->type == STELE_CELL_TEXT || info->type == STELE_CELL_JSON) {
        const int64_t *offsets = array->buffers[1];
        stele_output_write(out, (const char *)array->buffers[2] + offsets[row],
                           (size_t)(offsets[row + 1] - offsets[row]));
    } else if (info->type == STELE_CELL_ENUM) {
        const int32_t *offsets = array->dictionary->buffers[1];
        const uint8_t code = values[row];
        stele_output_write(out, (const char *)array->dictionary->buffers[2] + offsets[code],
                           (size_t)(offsets[code + 1] - offsets[code]));
    } else if (info->type == STELE_CELL_BOOL) {
        stele_output_printf(out, "%02x", bit_at(values, row));
    } else {
        for (size_t i = 0; i < size; i++)
            stele_output_printf(out, "%02x", values[row * size + i]);
    }
}

static void put_rows(stele_output *out, const struct ArrowArray *array, const buffers *b)
{
    for (size_t row = 0; row < (size_t)array->length; row++) {
        for (size_t i = 0; i < b->count; i++) {
            put_value(out, array->children[i], &b->infos[i], row);
            stele_output_byte(out, i + 1 < b->count ? '\t' : '\n');
        }
    }
}

/* Writes all rows as text; reads the arrays after their stream was released. */
static void arrow_rows(const char *sample, const char *table, stele_output *out)
{
    struct ArrowArrayStream stream;
    struct ArrowArray arrays[16];
    struct ArrowSchema schema;
    stele_scan *scan;
    size_t count = 0;
    buffers b;
    opened o;
    REQUIRE(open_stream(sample, table, &b, &o, &stream, &scan));
    REQUIRE(stream.get_schema(&stream, &schema) == 0);
    for (;;) {
        REQUIRE(count < sizeof arrays / sizeof *arrays);
        REQUIRE(stream.get_next(&stream, &arrays[count]) == 0);
        if (arrays[count].release == NULL)
            break;
        count++;
    }
    CHECK(stream.get_last_error(&stream) == NULL);
    stream.release(&stream);
    CHECK(stream.release == NULL);
    close_sample(&o);
    check_schema(&schema, &b);
    for (size_t i = 0; i < count; i++) {
        REQUIRE(arrays[i].n_children == (int64_t)b.count);
        for (size_t c = 0; c < b.count; c++)
            check_column(arrays[i].children[c], arrays[i].length, &b.infos[c]);
        put_rows(out, &arrays[i], &b);
        arrays[i].release(&arrays[i]);
    }
    schema.release(&schema);
    buffers_free(&b);
}

TEST(batches_have_the_rows_of_a_scan)
{
    stele_table_info table = STELE_INIT(stele_table_info);
    const uint64_t live = allocations_live;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        for (size_t t = 0; stele_table_get(t, &table); t++) {
            size_t size, wanted_size;
            stele_output *out, *wanted;
            const uint8_t *bytes, *wanted_bytes;
            REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
            REQUIRE(stele_output_open_memory(NULL, &wanted) == STELE_OK);
            arrow_rows(samples[i], table.name, out);
            rows_of(samples[i], table.name, 100, wanted);
            bytes = stele_output_memory(out, &size);
            wanted_bytes = stele_output_memory(wanted, &wanted_size);
            if (size != wanted_size || memcmp(bytes, wanted_bytes, size) != 0)
                printf("%s, %s\n", samples[i], table.name);
            CHECK_EQ_U64(size, wanted_size);
            CHECK(size != wanted_size || memcmp(bytes, wanted_bytes, size) == 0);
            stele_output_close(out);
            stele_output_close(wanted);
        }
    }
    CHECK_EQ_U64(allocations_live, live);
}

/* A consumer may take a child out of its parent; then the consumer releases the child's memory. */
TEST(children_can_be_moved_out)
{
    struct ArrowArrayStream stream;
    struct ArrowArray array, child;
    struct ArrowSchema schema, field;
    stele_scan *scan;
    buffers b;
    opened o;
    const uint64_t live = allocations_live;
    REQUIRE(open_stream("fxt/good/events.fxt", "event", &b, &o, &stream, &scan));
    REQUIRE(stream.get_schema(&stream, &schema) == 0);
    REQUIRE(stream.get_next(&stream, &array) == 0 && array.release != NULL);
    child = *array.children[5];
    array.children[5]->release = NULL;
    field = *schema.children[5];
    schema.children[5]->release = NULL;
    array.release(&array);
    schema.release(&schema);
    CHECK(strcmp(field.name, "kind") == 0 && child.dictionary != NULL);
    check_column(&child, child.length, &b.infos[5]);
    child.release(&child);
    field.release(&field);
    stream.release(&stream);
    close_sample(&o);
    buffers_free(&b);
    CHECK_EQ_U64(allocations_live, live);
}

/* ---- Memory ---- */

/* Reads with the nth allocation failing, counted from the opening of the scan. Returns false if
   reading failed. */
static bool read_all(const char *sample, const char *table, uint64_t nth, bool *failed)
{
    struct ArrowArrayStream stream = {.release = NULL};
    struct ArrowSchema schema = {.release = NULL};
    struct ArrowArray array = {.release = NULL};
    stele_scan_options options = STELE_INIT(stele_scan_options);
    stele_scan *scan = NULL;
    buffers b;
    opened o;
    int error = ENOMEM;
    buffers_make(&b, table);
    CHECK(open_sample(sample, &o));
    options.table = table;
    options.columns = b.columns;
    options.column_count = b.count;
    allocations_fail_at(nth);
    if (stele_scan_open(o.context, &o.trace, 1, &options, &scan) == STELE_OK &&
        stele_table_arrow(scan, &stream) != STELE_OK)
        stele_scan_close(scan);
    if (stream.release != NULL)
        error = stream.get_schema(&stream, &schema);
    do {
        if (array.release != NULL)
            array.release(&array);
        if (error == 0)
            error = stream.get_next(&stream, &array);
    } while (error == 0 && array.release != NULL);
    *failed = allocations_stop();
    CHECK(error == 0 || error == ENOMEM);
    CHECK(error == 0 || array.release == NULL);
    CHECK(error == 0 || stream.release == NULL || stream.get_last_error(&stream) != NULL);
    if (schema.release != NULL)
        schema.release(&schema);
    if (stream.release != NULL)
        stream.release(&stream);
    close_sample(&o);
    buffers_free(&b);
    return error == 0;
}

TEST(memory_can_end_at_any_time)
{
    static const char *const tables[] = {"event", "slice", "trace", "finding"};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        const uint64_t live = allocations_live;
        bool failed = true, is_done = false;
        for (uint64_t nth = 0; failed; nth++) {
            is_done = read_all("fxt/good/events.fxt", tables[t], nth, &failed);
            CHECK_EQ_U64(allocations_live, live);
        }
        CHECK(is_done);
    }
}
