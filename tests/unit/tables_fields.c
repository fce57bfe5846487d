/* SPDX-License-Identifier: Apache-2.0 */
/* Columns "arg.NAME": for each field of the samples as each type, the values that a search of the
   events of a reader finds. */
#include <stele/stele.h>

#include "table_rows.h"
#include "test.h"

#define NAMES_MAX 24u
#define ROWS_MAX  40000u
#define COLUMNS   (STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW)

/* A cell as it should be. */
typedef struct wanted {
    bool is_there, is_misfit;
    uint64_t bits;
} wanted;

static wanted expected[ROWS_MAX];

/* ---- Names ---- */

/* Adds a name that a column can have in quotes. */
static void add_name(const opened *o, stele_name *names, size_t *count, stele_name name)
{
    const stele_text text = stele_name_text(o->context, NULL, name);
    if (name == 0 || text.size > 500 || memchr(text.bytes, '"', text.size) != NULL ||
        memchr(text.bytes, 0, text.size) != NULL)
        return;
    for (size_t i = 0; i < *count; i++)
        if (names[i] == name)
            return;
    if ((name & STELE_NAME_LOCAL) == 0 && *count < NAMES_MAX)
        names[(*count)++] = name;
}

static size_t list_names(opened *o, stele_name names[NAMES_MAX])
{
    const stele_request request = {.order = STELE_ORDER_NONE, .columns = COLUMNS};
    stele_segment segment;
    stele_reader *reader;
    size_t count = 0;
    CHECK(stele_reader_open(o->context, &o->trace, 1, &request, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.batch->field_count; i++)
            add_name(o, names, &count, segment.batch->fields[i].name);
    }
    stele_reader_close(reader);
    return count;
}

/* ---- What is expected ---- */

static const stele_field *find(const stele_field *fields, uint32_t count, stele_name name)
{
    for (uint32_t at = 0; at < count; at += stele_field_length(&fields[at]))
        if (fields[at].name == name)
            return &fields[at];
    for (uint32_t at = 0; at < count; at += stele_field_length(&fields[at])) {
        const stele_field *found = NULL;
        if (fields[at].type == STELE_TYPE_STRUCT && (fields[at].hint & STELE_HINT_CONTEXT) != 0)
            for (uint32_t i = 1; i <= fields[at].u.run.length && found == NULL;
                 i += stele_field_length(&fields[at + i]))
                found = fields[at + i].name == name ? &fields[at + i] : NULL;
        if (found != NULL)
            return found;
    }
    return NULL;
}

static bool is_unsigned(unsigned type)
{
    return type == STELE_TYPE_BOOL || type == STELE_TYPE_UINT || type == STELE_TYPE_POINTER ||
           type == STELE_TYPE_KOID;
}

static wanted value_as(const stele_field *field, stele_cell_type as)
{
    wanted w = {.is_there = false};
    double number;
    if (field == NULL || field->type == STELE_TYPE_NULL)
        return w;
    w.bits = field->u.u;
    switch (as) {
    case STELE_CELL_I64:
        w.is_there =
            field->type == STELE_TYPE_INT || (is_unsigned(field->type) && field->u.u <= INT64_MAX);
        break;
    case STELE_CELL_U64:
        w.is_there = is_unsigned(field->type) || (field->type == STELE_TYPE_INT && field->u.i >= 0);
        break;
    case STELE_CELL_BOOL:
        w.is_there = field->type == STELE_TYPE_BOOL;
        w.bits = field->u.u != 0;
        break;
    default:
        w.is_there = field->type >= STELE_TYPE_BOOL && field->type <= STELE_TYPE_FLOAT;
        number = field->type == STELE_TYPE_FLOAT ? field->u.f
                 : field->type == STELE_TYPE_INT ? (double)field->u.i
                                                 : (double)field->u.u;
        memcpy(&w.bits, &number, sizeof number);
    }
    w.is_misfit = !w.is_there;
    w.bits = w.is_there ? w.bits : 0;
    return w;
}

static size_t expect(opened *o, stele_name name, stele_cell_type as)
{
    const stele_request request = {.order = STELE_ORDER_NONE, .columns = COLUMNS};
    stele_segment segment;
    stele_reader *reader;
    size_t count = 0;
    CHECK(stele_reader_open(o->context, &o->trace, 1, &request, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        const stele_batch *b = segment.batch;
        for (uint32_t i = 0; i < segment.count && count < ROWS_MAX; i++) {
            uint32_t first;
            const uint32_t length = stele_event_fields(b, &b->events[segment.first + i], &first);
            const stele_field *field = find(b->fields + first, length, name);
            if (field == NULL)
                field = find(b->fields + b->context_first, b->context_count, name);
            expected[count++] = value_as(field, as);
        }
    }
    stele_reader_close(reader);
    return count;
}

/* ---- Comparison ---- */

/* Compares the first of two columns of fields, so that events have entries of another one. */
static void compare(const char *sample, stele_name name, stele_name other, stele_cell_type as)
{
    static uint64_t values[100], others[100], valid[2];
    char columns[2][600];
    stele_scan_column column[2] = {{columns[0], as}, {columns[1], STELE_CELL_U64}};
    const stele_cells cells[] = {{values, valid}, {others, NULL}};
    stele_scan_options options = STELE_INIT(stele_scan_options);
    stele_scan_stats stats = STELE_INIT(stele_scan_stats);
    stele_name names[NAMES_MAX];
    uint64_t misfit_count = 0;
    stele_scan *scan;
    stele_chunk chunk;
    size_t row = 0, count;
    opened o;
    REQUIRE(open_sample(sample, &o));
    list_names(&o, names);
    for (unsigned i = 0; i < 2; i++) {
        const stele_text text = stele_name_text(o.context, NULL, names[i == 0 ? name : other]);
        snprintf(columns[i], sizeof columns[i], "arg.\"%.*s\"", (int)text.size, text.bytes);
    }
    count = expect(&o, names[name], as);
    options.table = "event";
    options.columns = column;
    options.column_count = 2;
    REQUIRE(stele_scan_open(o.context, &o.trace, 1, &options, &scan) == STELE_OK);
    while (stele_scan_next(scan, cells, 100, &chunk) == STELE_OK) {
        for (size_t i = 0; i < chunk.count && row < count; i++, row++) {
            const uint64_t bits = as == STELE_CELL_BOOL ? ((uint8_t *)values)[i] : values[i];
            CHECK(stele_cell_is_there(&cells[0], i) == expected[row].is_there);
            CHECK_EQ_U64(bits, expected[row].bits);
            misfit_count += expected[row].is_misfit;
        }
    }
    CHECK_EQ_U64(row, count);
    stele_scan_get_stats(scan, &stats, NULL);
    CHECK(stats.misfit_count >= misfit_count);
    stele_scan_close(scan);
    close_sample(&o);
}

TEST(fields_of_any_name_and_type_are_those_of_the_events)
{
    static const stele_cell_type types[] = {STELE_CELL_I64, STELE_CELL_U64, STELE_CELL_DOUBLE,
                                            STELE_CELL_BOOL};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        stele_name names[NAMES_MAX];
        size_t count;
        opened o;
        REQUIRE(open_sample(samples[i], &o));
        count = list_names(&o, names);
        close_sample(&o);
        for (size_t k = 0; k < count; k++)
            for (size_t t = 0; t < sizeof types / sizeof *types; t++)
                compare(samples[i], (stele_name)k, (stele_name)((k + 1) % count), types[t]);
    }
}
