/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives rows as record batches of Arrow's C stream interface. A scan fills the buffers of numbers
 * in place; texts and booleans go through a buffer for some rows. Each array owns its buffers, so
 * that it outlives the stream.
 */
#include <errno.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/load.h"
#include "tables/tables.h"
#include "tables/valid.h"

#define BATCH_ROWS  ((size_t)1 << 16)
#define BATCH_TEXTS ((size_t)32 << 20) /* a batch ends once it has this many bytes of texts */

/* A column of the batch that is being made. */
typedef struct arrow_column {
    const char *name;
    stele_cell_type type;
    const column_entry *entry; /* NULL: the column is a field */
    bool can_be_null;
    uint8_t *values;  /* numbers or bits; NULL for texts */
    int64_t *offsets; /* offsets in `texts`; NULL for other types */
    char *texts;
    size_t text_size, text_capacity;
    uint64_t *valid;
} arrow_column;

typedef struct source {
    stele_scan *scan;
    arrow_column *columns;
    size_t column_count;
    stele_cells *cells; /* cells of the rows that are being read */
    /* by column: buffer for cells that Arrow stores differently; NULL: filled in place */
    void **scratch;
    uint64_t *valid; /* validity bits of the rows that are being read, by column */
    size_t row_count;
    stele_status end; /* STELE_OK while there are more rows */
} source;

static bool is_text(stele_cell_type type)
{
    return type == STELE_CELL_TEXT || type == STELE_CELL_JSON;
}

/* Whether Arrow stores cells of this type differently from a scan. */
static bool has_scratch(stele_cell_type type)
{
    return is_text(type) || type == STELE_CELL_BOOL;
}

/* ---- Schemas of columns ---------------------------------------------------------------------- */

static const char *const formats[STELE_CELL_TYPE_COUNT] = {
    [STELE_CELL_BOOL] = "b",   [STELE_CELL_U8] = "C",      [STELE_CELL_U16] = "S",
    [STELE_CELL_U32] = "I",    [STELE_CELL_U64] = "L",     [STELE_CELL_I64] = "l",
    [STELE_CELL_DOUBLE] = "g", [STELE_CELL_WALL] = "tsn:", [STELE_CELL_ENUM] = "C",
    [STELE_CELL_TEXT] = "U",   [STELE_CELL_JSON] = "U"};

static void schema_release(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i] != NULL && schema->children[i]->release != NULL)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    if (schema->dictionary != NULL && schema->dictionary->release != NULL)
        schema->dictionary->release(schema->dictionary);
    free(schema->dictionary);
    free(schema->children);
    free(schema->private_data);
    schema->release = NULL;
}

/* Makes a schema. `format` must be static; the name is copied. Returns false if out of memory. */
static bool schema_make(struct ArrowSchema *schema, const char *format, const char *name,
                        bool can_be_null)
{
    char *copy = strdup(name);
    *schema = (struct ArrowSchema){.format = format,
                                   .name = copy,
                                   .flags = can_be_null ? ARROW_FLAG_NULLABLE : 0,
                                   .release = schema_release,
                                   .private_data = copy};
    return copy != NULL;
}

/* Allocates a schema. Returns NULL if out of memory. */
static struct ArrowSchema *schema_new(const char *format, const char *name, bool can_be_null)
{
    struct ArrowSchema *schema = malloc(sizeof *schema);
    if (schema != NULL && !schema_make(schema, format, name, can_be_null)) {
        free(schema);
        schema = NULL;
    }
    return schema;
}

static bool schema_of_columns(const source *s, struct ArrowSchema *schema)
{
    schema->children = calloc(s->column_count + 1, sizeof(struct ArrowSchema *));
    if (schema->children == NULL)
        return false;
    schema->n_children = (int64_t)s->column_count;
    for (size_t i = 0; i < s->column_count; i++) {
        const arrow_column *c = &s->columns[i];
        struct ArrowSchema *child = schema_new(formats[c->type], c->name, c->can_be_null);
        schema->children[i] = child;
        if (child == NULL)
            return false;
        if (c->type != STELE_CELL_ENUM)
            continue;
        child->dictionary = schema_new("u", "", false);
        if (child->dictionary == NULL)
            return false;
    }
    return true;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema)
{
    source *s = stream->private_data;
    if (!schema_make(schema, "+s", s->scan->table->name, false) || !schema_of_columns(s, schema)) {
        schema_release(schema);
        s->end = STELE_ERR_MEMORY;
        return ENOMEM;
    }
    return 0;
}

/* ---- Arrays of columns ----------------------------------------------------------------------- */

static void array_release(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i] != NULL && array->children[i]->release != NULL)
            array->children[i]->release(array->children[i]);
        free(array->children[i]);
    }
    if (array->dictionary != NULL && array->dictionary->release != NULL)
        array->dictionary->release(array->dictionary);
    free(array->dictionary);
    for (int64_t i = 0; i < array->n_buffers; i++)
        free((void *)(uintptr_t)array->buffers[i]);
    free(array->children);
    free(array->buffers);
    array->release = NULL;
}

/* Makes an array with room for its buffers, which are all NULL. Returns false if out of memory. */
static bool array_make(struct ArrowArray *array, size_t length, size_t buffer_count)
{
    *array = (struct ArrowArray){
        .length = (int64_t)length, .n_buffers = (int64_t)buffer_count, .release = array_release};
    array->buffers = calloc(buffer_count, sizeof(void *));
    if (array->buffers == NULL)
        *array = (struct ArrowArray){.release = NULL};
    return array->buffers != NULL;
}

/* Allocates an array. Returns NULL if out of memory. */
static struct ArrowArray *array_new(size_t length, size_t buffer_count)
{
    struct ArrowArray *array = malloc(sizeof *array);
    if (array != NULL && !array_make(array, length, buffer_count)) {
        free(array);
        array = NULL;
    }
    return array;
}

/* Makes an array of the texts of an enumeration. Returns NULL if out of memory. */
static struct ArrowArray *labels_new(const char *const *labels, size_t count)
{
    struct ArrowArray *array = array_new(count, 3);
    int32_t *offsets;
    char *texts;
    size_t size = 0;
    if (array == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        size += strlen(labels[i]);
    array->buffers[1] = offsets = malloc((count + 1) * sizeof *offsets);
    array->buffers[2] = texts = malloc(size + 1);
    if (offsets == NULL || texts == NULL) {
        array_release(array);
        free(array);
        return NULL;
    }
    for (size_t i = 0, at = 0; i <= count; i++) {
        offsets[i] = (int32_t)at;
        if (i == count)
            break;
        memcpy(texts + at, labels[i], strlen(labels[i]));
        at += strlen(labels[i]);
    }
    return array;
}

/* Moves the buffers of a column to a new array. Returns NULL if out of memory. */
static struct ArrowArray *array_of(arrow_column *c, size_t row_count)
{
    struct ArrowArray *array = array_new(row_count, is_text(c->type) ? 3 : 2);
    if (array == NULL)
        return NULL;
    if (c->valid != NULL) {
        array->null_count = (int64_t)valid_count_nulls(c->valid, row_count);
        for (size_t i = 0; !LOAD_IS_LITTLE && i < stele_valid_words(row_count); i++)
            c->valid[i] = __builtin_bswap64(c->valid[i]);
    }
    array->buffers[0] = c->valid;
    array->buffers[1] = is_text(c->type) ? (void *)c->offsets : c->values;
    if (is_text(c->type))
        array->buffers[2] = c->texts;
    c->valid = NULL;
    c->values = NULL;
    c->offsets = NULL;
    c->texts = NULL;
    if (c->type == STELE_CELL_ENUM) {
        array->dictionary = labels_new(c->entry->labels, c->entry->label_count);
        if (array->dictionary == NULL) {
            array_release(array);
            free(array);
            return NULL;
        }
    }
    return array;
}

static stele_status array_of_columns(source *s, struct ArrowArray *array)
{
    if (!array_make(array, s->row_count, 1))
        return STELE_ERR_MEMORY;
    array->children = calloc(s->column_count + 1, sizeof(struct ArrowArray *));
    if (array->children != NULL)
        array->n_children = (int64_t)s->column_count;
    for (size_t i = 0; array->children != NULL && i < s->column_count; i++) {
        array->children[i] = array_of(&s->columns[i], s->row_count);
        if (array->children[i] == NULL)
            break;
    }
    if (array->children != NULL &&
        (s->column_count == 0 || array->children[s->column_count - 1] != NULL))
        return STELE_OK;
    array_release(array);
    return STELE_ERR_MEMORY;
}

/* ---- Batches of rows ------------------------------------------------------------------------- */

static void column_drop(arrow_column *c)
{
    free(c->values);
    free(c->offsets);
    free(c->texts);
    free(c->valid);
    c->values = NULL;
    c->offsets = NULL;
    c->texts = NULL;
    c->valid = NULL;
}

/* Allocates the buffers of a column for a new batch. Returns false if out of memory. */
static bool column_begin(arrow_column *c)
{
    c->text_size = 0;
    c->text_capacity = 1;
    if (c->can_be_null) {
        c->valid = malloc(stele_valid_words(BATCH_ROWS) * sizeof *c->valid);
        if (c->valid == NULL)
            return false;
    }
    if (!is_text(c->type)) {
        c->values = c->type == STELE_CELL_BOOL ? calloc(BATCH_ROWS / 8, 1)
                                               : malloc(BATCH_ROWS * stele_cell_size(c->type));
        return c->values != NULL;
    }
    c->offsets = malloc((BATCH_ROWS + 1) * sizeof *c->offsets);
    c->texts = malloc(c->text_capacity);
    if (c->offsets != NULL)
        c->offsets[0] = 0;
    return c->offsets != NULL && c->texts != NULL;
}

/* Makes room for the texts of some rows. Returns false if out of memory. */
static bool reserve_texts(arrow_column *c, const stele_cell_text *texts, size_t count)
{
    size_t size = c->text_size;
    char *grown;
    for (size_t i = 0; i < count; i++)
        size += texts[i].size;
    grown = array_reserve_size(c->texts, 1, &c->text_capacity, size);
    if (grown == NULL)
        return false;
    c->texts = grown;
    return true;
}

static bool put_texts(arrow_column *c, size_t at, const stele_cell_text *texts, size_t count)
{
    if (!reserve_texts(c, texts, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        memcpy(c->texts + c->text_size, stele_cell_bytes(&texts[i]), texts[i].size);
        c->text_size += texts[i].size;
        c->offsets[at + i + 1] = (int64_t)c->text_size;
    }
    return true;
}

static void put_bits(arrow_column *c, size_t at, const uint8_t *bools, size_t count)
{
    for (size_t i = 0; i < count; i++)
        c->values[(at + i) / 8] |= (uint8_t)((bools[i] & 1u) << ((at + i) % 8));
}

/* Appends the rows that were read to the batch. Returns false if out of memory. */
static bool put_rows(source *s, size_t count, size_t *text_size)
{
    for (size_t i = 0; i < s->column_count; i++) {
        arrow_column *c = &s->columns[i];
        if (c->valid != NULL)
            valid_append(c->valid, s->row_count, s->cells[i].valid, count);
        if (is_text(c->type) && !put_texts(c, s->row_count, s->scratch[i], count))
            return false;
        if (c->type == STELE_CELL_BOOL)
            put_bits(c, s->row_count, s->scratch[i], count);
        *text_size += c->text_size;
    }
    s->row_count += count;
    return true;
}

static stele_status fill_batch(source *s)
{
    size_t text_size = 0;
    s->row_count = 0;
    for (size_t i = 0; i < s->column_count; i++) {
        if (!column_begin(&s->columns[i]))
            return STELE_ERR_MEMORY;
    }
    while (s->end == STELE_OK && s->row_count < BATCH_ROWS && text_size < BATCH_TEXTS) {
        const size_t room = BATCH_ROWS - s->row_count;
        stele_chunk chunk;
        for (size_t i = 0; i < s->column_count; i++) {
            const arrow_column *c = &s->columns[i];
            s->cells[i].values = s->scratch[i] != NULL
                                     ? s->scratch[i]
                                     : c->values + s->row_count * stele_cell_size(c->type);
        }
        s->end =
            stele_scan_next(s->scan, s->cells, room < ROWS_AT_ONCE ? room : ROWS_AT_ONCE, &chunk);
        text_size = 0;
        if (s->end == STELE_OK && !put_rows(s, chunk.count, &text_size))
            s->end = STELE_ERR_MEMORY;
    }
    return s->end == STELE_ERR_MEMORY || s->row_count == 0 ? s->end : STELE_OK;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *array)
{
    source *s = stream->private_data;
    stele_status status = s->end == STELE_OK ? fill_batch(s) : s->end;
    *array = (struct ArrowArray){.release = NULL};
    if (status == STELE_OK)
        status = array_of_columns(s, array);
    for (size_t i = 0; i < s->column_count; i++)
        column_drop(&s->columns[i]);
    if (status == STELE_OK || status == STELE_END)
        return 0;
    s->end = status;
    return status == STELE_ERR_MEMORY ? ENOMEM : EIO;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    const source *s = stream->private_data;
    return s->end == STELE_OK || s->end == STELE_END ? NULL : stele_status_text(s->end);
}

/* ---- Making and freeing ---------------------------------------------------------------------- */

static void source_free(source *s)
{
    for (size_t i = 0; s->scratch != NULL && i < s->column_count; i++)
        free(s->scratch[i]);
    stele_scan_close(s->scan);
    free(s->scratch);
    free(s->columns);
    free(s->cells);
    free(s->valid);
    free(s);
}

static void stream_release(struct ArrowArrayStream *stream)
{
    source_free(stream->private_data);
    stream->release = NULL;
}

/* Allocates the columns of a source. Returns false if out of memory. */
static bool source_make(source *s)
{
    static const size_t words = ROWS_AT_ONCE / 64;
    const size_t count = s->scan->column_count;
    s->columns = calloc(count + 1, sizeof *s->columns);
    s->cells = calloc(count + 1, sizeof *s->cells);
    s->scratch = calloc(count + 1, sizeof *s->scratch);
    s->valid = malloc((count + 1) * words * sizeof *s->valid);
    if (s->columns == NULL || s->cells == NULL || s->scratch == NULL || s->valid == NULL)
        return false;
    for (s->column_count = 0; s->column_count < count; s->column_count++) {
        const size_t i = s->column_count;
        const scan_column *from = &s->scan->columns[i];
        s->columns[i] =
            (arrow_column){.name = from->name,
                           .type = from->type,
                           .entry = from->entry,
                           .can_be_null = from->entry == NULL || from->entry->can_be_null};
        s->cells[i].valid = s->columns[i].can_be_null ? s->valid + i * words : NULL;
        if (!has_scratch(from->type))
            continue;
        s->scratch[i] = malloc(ROWS_AT_ONCE * stele_cell_size(from->type));
        if (s->scratch[i] == NULL)
            return false;
    }
    return true;
}

stele_status stele_table_arrow(stele_scan *scan, struct ArrowArrayStream *stream)
{
    source *s = calloc(1, sizeof *s);
    if (s == NULL)
        return STELE_ERR_MEMORY;
    s->scan = scan;
    if (!source_make(s)) {
        s->scan = NULL;
        source_free(s);
        return STELE_ERR_MEMORY;
    }
    *stream = (struct ArrowArrayStream){.get_schema = get_schema,
                                        .get_next = get_next,
                                        .get_last_error = get_last_error,
                                        .release = stream_release,
                                        .private_data = s};
    return STELE_OK;
}
