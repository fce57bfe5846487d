/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the different values of a column in a row group of Parquet, and numbers them. Cells that
 * say all of their value are compared as they lie, and most are among those of which the number was
 * looked up lately; only texts that lie elsewhere are compared byte by byte.
 */
#include "tables/parquet_dictionary.h"

#include "core/hash.h"
#include "core/load.h"
#include "core/table.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

static bool can_have_dictionary(const parquet_column *p)
{
    return p->type != STELE_CELL_JSON && p->type != STELE_CELL_BOOL && p->type != STELE_CELL_I64 &&
           p->type != STELE_CELL_WALL && p->type != STELE_CELL_DOUBLE;
}

/* Whether cells of the same bytes are all that have the same value. The bytes of a lasting name are
   at one address, which is compared instead of them. */
static bool is_whole(const parquet_column *p)
{
    return !parquet_is_text(p) || p->type == STELE_CELL_ENUM || p->is_lasting;
}

/* The bytes of a cell as two numbers. */
typedef struct cell_key {
    uint64_t a, b;
} cell_key;

static ALWAYS_INLINE cell_key key_at(const parquet_column *p, size_t size, size_t row)
{
    const uint8_t *at = p->values + row * size;
    return size <= 8 ? (cell_key){parquet_load(at, size), 0}
                     : (cell_key){load_native64(at), load_native64(at + 8)};
}

static bool is_same(const parquet_column *p, size_t a, size_t b)
{
    stele_text x, y;
    if (is_whole(p)) {
        const cell_key one = key_at(p, p->size, a), other = key_at(p, p->size, b);
        return one.a == other.a && one.b == other.b;
    }
    x = parquet_text_at(p, a);
    y = parquet_text_at(p, b);
    return x.size == y.size && memcmp(x.bytes, y.bytes, x.size) == 0;
}

static uint32_t hash_at(const parquet *q, const parquet_column *p, size_t row)
{
    stele_text text;
    if (is_whole(p)) {
        const cell_key key = key_at(p, p->size, row);
        return hash_table_hash_pair(&q->table, key.a, key.b);
    }
    text = parquet_text_at(p, row);
    return hash_table_hash_bytes(&q->table, text.bytes, text.size);
}

/* The number of a row's value in the dictionary, made if needed. Returns HASH_NONE if there are
   too many values, or if out of memory. */
static uint32_t code_of(parquet *q, const parquet_column *p, size_t row, size_t *count)
{
    uint32_t hash;
    if (!hash_table_reserve(&q->table))
        return HASH_NONE;
    hash = hash_at(q, p, row);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&q->table, hash, &at)) != HASH_NONE;) {
        if (is_same(p, q->dictionary[number], row))
            return number;
    }
    if (*count == DICTIONARY_MAX)
        return HASH_NONE;
    q->dictionary[*count] = (uint32_t)row;
    hash_table_put(&q->table, hash, (uint32_t)*count);
    return (uint32_t)(*count)++;
}

/* Numbers the values of some rows whose cells have `size` bytes, a constant. Returns false if there
   are too many values. */
static ALWAYS_INLINE bool number_cells(parquet *q, const parquet_column *p, size_t size,
                                       size_t from, size_t end, size_t *count)
{
    for (size_t row = from; row < end; row++) {
        const cell_key key = key_at(p, size, row);
        parquet_recent *r;
        if (!parquet_is_there(p, row))
            continue;
        r = &q->recent[((key.a ^ key.b) * HASH_CONSTANT) >> (64 - RECENT_BITS)];
        if (!r->is_set || r->a != key.a || r->b != key.b) {
            const uint32_t code = code_of(q, p, row, count);
            if (code == HASH_NONE)
                return false;
            *r = (parquet_recent){key.a, key.b, code, true};
        }
        q->codes[row] = r->code;
    }
    return true;
}

static bool number_texts(parquet *q, const parquet_column *p, size_t from, size_t end,
                         size_t *count)
{
    size_t last = SIZE_MAX;
    for (size_t row = from; row < end; row++) {
        if (!parquet_is_there(p, row))
            continue;
        q->codes[row] =
            last != SIZE_MAX && is_same(p, last, row) ? q->codes[last] : code_of(q, p, row, count);
        if (q->codes[row] == HASH_NONE)
            return false;
        last = row;
    }
    return true;
}

static bool number_rows(parquet *q, const parquet_column *p, size_t from, size_t end, size_t *count)
{
    if (!is_whole(p))
        return number_texts(q, p, from, end, count);
    switch (p->size) {
    case 1: return number_cells(q, p, 1, from, end, count);
    case 2: return number_cells(q, p, 2, from, end, count);
    case 4: return number_cells(q, p, 4, from, end, count);
    case 8: return number_cells(q, p, 8, from, end, count);
    default: return number_cells(q, p, 16, from, end, count);
    }
}

/* Numbers that differ in most of the first rows are better written as differences. */
#define TRIED_ROWS   ((size_t)4096)
#define TRIED_VALUES 3000u

size_t parquet_make_dictionary(parquet *q, const parquet_column *p)
{
    const size_t tried = q->row_count < TRIED_ROWS ? q->row_count : TRIED_ROWS;
    size_t count = 0;
    if (!can_have_dictionary(p))
        return 0;
    hash_table_clear(&q->table);
    memset(q->recent, 0, sizeof q->recent);
    if (!number_rows(q, p, 0, tried, &count) || (count > TRIED_VALUES && !parquet_is_text(p)) ||
        !number_rows(q, p, tried, q->row_count, &count))
        return 0;
    return count;
}
