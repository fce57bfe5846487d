/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which fields the events of a name have, and types that can hold all of their values. */
#ifndef CLI_SQL_CLASSES_H
#define CLI_SQL_CLASSES_H

#include <stele/tables.h>

typedef struct class_field {
    char *name;
    stele_cell_type type;
} class_field;

typedef struct event_class {
    class_field *fields;
    size_t count, capacity;
    bool is_cut; /* there are more than CLASS_FIELDS_MAX fields */
    uint64_t event_count;
} event_class;

#define CLASS_FIELDS_MAX 200u

/*
 * Reads the events of a name (NULL: all events), and finds the fields that they or their contexts
 * have. Whole numbers become I64, U64 if some are too large and none is negative, and DOUBLE if
 * there are other numbers too; truth values become BOOL, everything else TEXT. The caller frees the
 * class, also after a failure.
 */
stele_status class_find(stele_context *context, stele_trace *const *traces, size_t count,
                        const char *name, event_class *c);
void class_free(event_class *c);

#endif
