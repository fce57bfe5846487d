/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of expressions with titles: "name, size=arg.len + 16". */
#ifndef QUERY_EXPRESSION_LIST_H
#define QUERY_EXPRESSION_LIST_H

#include "query/expression.h"

typedef struct expression_entry {
    char *title; /* the title that was given, or else the text of the expression */
    expression *e;
} expression_entry;

/* A zeroed list is empty. */
typedef struct expression_list {
    expression_entry *items;
    uint32_t count, capacity;
} expression_list;

/* Expressions of one list, at most. */
#define EXPRESSION_LIST_MAX 32u

/* Reads a list. Commas in parentheses, brackets and quotes belong to their expression. `text` NULL
   is an empty list. Without `has_spans` words that only spans have are refused. Errors are those of
   expression_new(); the list must then be freed, too. */
stele_status expression_list_new(stele_context *context, const char *text, bool has_spans,
                                 expression_list *list);
void expression_list_free(expression_list *list);

uint32_t expression_list_columns(const expression_list *list);

/* Returns the size of the title of an item "TITLE=EXPR"; 0 if it has none. */
size_t expression_title_size(const char *text, size_t size);

/* Returns the size of the first item of a list, up to its comma or the end. */
size_t expression_item_size(const char *text);

#endif
