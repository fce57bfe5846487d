/* SPDX-License-Identifier: Apache-2.0 */
/* The tables and columns of tables.def as arrays. */
#include "core/sized.h"
#include "tables/tables.h"

const char *const kinds_labels[] = {
    "none",        "complete",   "begin",     "end",        "tail-exit", "instant",  "counter",
    "async-begin", "async-step", "async-end", "flow-begin", "flow-step", "flow-end", "switch",
    "wake",        "log",        "blob",      "object",     "sample",    "lost",     "syscall",
    "snapshot",    "metadata",   "insn",      "load",       "store"};
const char *const track_kinds_labels[] = {"none", "other",  "process",   "thread",
                                          "cpu",  "stream", "substream", "provider"};
const char *const clocks_labels[] = {"none", "ns", "ticks", "insns"};
const char *const types_labels[] = {"null", "bool",   "uint",   "int",   "float",  "pointer",
                                    "koid", "string", "name",   "bytes", "bigint", "uints",
                                    "ints", "floats", "struct", "array", "variant"};
const char *const severities_labels[] = {"note", "warning", "error"};

const char *const kernel_labels[] = {"syscall", "irq",     "softirq",     "softirq-raise", "disk",
                                     "send",    "receive", "pages-taken", "pages-given",   "fault",
                                     "file",    "socket",  "futex"};
const char *const branches_labels[] = {"none", "direct",        "conditional", "indirect",
                                       "call", "call-indirect", "return"};
_Static_assert(sizeof kernel_labels / sizeof *kernel_labels == STELE_KERNEL_CLASS_COUNT,
               "classes of what kernels do");
_Static_assert(sizeof branches_labels / sizeof *branches_labels == STELE_A64_BRANCH_RETURN + 1,
               "branches");
const char *const run_states_labels[] = {"unknown",  "running", "preempted", "runnable",
                                         "sleeping", "blocked", "stopped"};
const char *const cpu_states_labels[] = {"unknown", "idle", "busy"};
_Static_assert(sizeof run_states_labels / sizeof *run_states_labels == STELE_RUN_STATE_COUNT,
               "states of threads");
_Static_assert(sizeof cpu_states_labels / sizeof *cpu_states_labels == STELE_CPU_STATE_COUNT,
               "states of CPUs");
const char *const span_ends_labels[] = {"returned", "tail",       "unwound",
                                        "open",     "entry-lost", "timeout"};
const char *const span_sources_labels[] = {"call", "complete",    "async",
                                           "flow", "nested-pair", "pair"};

_Static_assert(sizeof span_ends_labels / sizeof *span_ends_labels == STELE_SPAN_END_COUNT, "ends");
_Static_assert(sizeof span_sources_labels / sizeof *span_sources_labels == STELE_SPAN_SOURCE_COUNT,
               "sources of spans");
_Static_assert(sizeof kinds_labels / sizeof *kinds_labels == STELE_KIND_COUNT, "kinds");
_Static_assert(sizeof track_kinds_labels / sizeof *track_kinds_labels == STELE_TRACK_KIND_COUNT,
               "kinds of tracks");
_Static_assert(sizeof types_labels / sizeof *types_labels == STELE_TYPE_COUNT, "types");

const table_entry table_entries[TABLE_COUNT] = {
#define STELE_TABLE(id, name, source, kinds, bytes, doc) \
    [TABLE_##id] = {name, doc, SOURCE_##source, kinds, bytes},
#include "tables/tables.def"
#undef STELE_TABLE
};

#define NULLS                   true
#define FULL                    false
#define STELE_COLUMN_ACCESSES   INSN_NEEDS_ACCESSES
#define STELE_COLUMN_SNAPSHOTS  INSN_NEEDS_SNAPSHOTS
#define STELE_COLUMN_NONE       0u
#define STELE_COLUMN_TIME_VALUE (STELE_COLUMN_TIME | STELE_COLUMN_VALUE)
#define STELE_COLUMN_TRACK_TIME (STELE_COLUMN_TRACK | STELE_COLUMN_TIME)

const column_entry column_entries[] = {
#define STELE_TABLE_COLUMN(table, name, type, nulls, needs, fill, doc)             \
    {TABLE_##table, name, STELE_CELL_##type, NULL, 0, nulls, STELE_COLUMN_##needs, \
     fill_##fill,   doc},
#define STELE_TABLE_LABELS(table, name, labels, nulls, needs, fill, doc) \
    {TABLE_##table,                                                      \
     name,                                                               \
     STELE_CELL_ENUM,                                                    \
     labels##_labels,                                                    \
     sizeof labels##_labels / sizeof *labels##_labels,                   \
     nulls,                                                              \
     STELE_COLUMN_##needs,                                               \
     fill_##fill,                                                        \
     doc},
#include "tables/tables.def"
#undef STELE_TABLE_COLUMN
#undef STELE_TABLE_LABELS
};
const size_t column_entry_count = sizeof column_entries / sizeof *column_entries;

const table_entry *table_find(const char *name)
{
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        if (strcmp(table_entries[i].name, name) == 0)
            return &table_entries[i];
    }
    return NULL;
}

const column_entry *table_column_find(table_id table, const char *name)
{
    for (size_t i = 0; i < column_entry_count; i++) {
        if (column_entries[i].table == table && strcmp(column_entries[i].name, name) == 0)
            return &column_entries[i];
    }
    return NULL;
}

/* ---- Public functions ---- */

size_t stele_cell_size(stele_cell_type type)
{
    static const uint8_t sizes[STELE_CELL_TYPE_COUNT] = {
        [STELE_CELL_BOOL] = 1,
        [STELE_CELL_U8] = 1,
        [STELE_CELL_U16] = 2,
        [STELE_CELL_U32] = 4,
        [STELE_CELL_U64] = 8,
        [STELE_CELL_I64] = 8,
        [STELE_CELL_DOUBLE] = 8,
        [STELE_CELL_WALL] = 8,
        [STELE_CELL_ENUM] = 1,
        [STELE_CELL_TEXT] = sizeof(stele_cell_text),
        [STELE_CELL_JSON] = sizeof(stele_cell_text)};
    return (unsigned)type < STELE_CELL_TYPE_COUNT ? sizes[type] : 0;
}

static bool has_events(const table_entry *table)
{
    return table->source <= SOURCE_SPANS;
}

bool stele_table_get(size_t index, stele_table_info *info)
{
    stele_table_info own;
    if (index >= TABLE_COUNT)
        return false;
    own = (stele_table_info){.name = table_entries[index].name,
                             .doc = table_entries[index].doc,
                             .has_fields = has_events(&table_entries[index]),
                             .selects_events = table_entries[index].source <= SOURCE_NUMBERS};
    for (size_t i = 0; i < column_entry_count; i++)
        own.column_count += column_entries[i].table == (table_id)index;
    sized_give(info, &own, sizeof own, SIZED_FIRST(stele_table_info, selects_events));
    return true;
}

bool stele_table_find(const char *name, stele_table_info *info)
{
    const table_entry *found = table_find(name);
    return found != NULL && stele_table_get((size_t)(found - table_entries), info);
}

bool stele_table_column(const char *table, size_t index, stele_table_column_info *info)
{
    const table_entry *found = table_find(table);
    stele_table_column_info own;
    for (size_t i = 0; found != NULL && i < column_entry_count; i++) {
        const column_entry *entry = &column_entries[i];
        if (entry->table != (table_id)(found - table_entries) || index-- != 0)
            continue;
        own = (stele_table_column_info){.name = entry->name,
                                        .doc = entry->doc,
                                        .type = entry->type,
                                        .can_be_null = entry->can_be_null,
                                        .labels = entry->labels,
                                        .label_count = entry->label_count};
        sized_give(info, &own, sizeof own, SIZED_FIRST(stele_table_column_info, label_count));
        return true;
    }
    return false;
}

#define FEW_ROWS 64u

uint64_t stele_table_estimate(const char *table, uint64_t trace_size)
{
    const table_entry *found = table_find(table);
    if (found == NULL || found->bytes_per_row == 0)
        return FEW_ROWS;
    return trace_size / found->bytes_per_row + 1;
}
