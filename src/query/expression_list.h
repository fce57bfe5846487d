/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of expressions with titles: "name, size=arg.len + 16". */
#ifndef QUERY_EXPRESSION_LIST_H
#define QUERY_EXPRESSION_LIST_H

#include "query/expression.h"

typedef struct expression_entry {
    char *title; /* as given, or else the expression as it stands */
    expression *e;
} expression_entry;

/* A zeroed one is empty. */
typedef struct expression_list {
    expression_entry *items;
    uint32_t count, capacity;
} expression_list;

#define EXPRESSION_LIST_MAX 32u

/* Reads a list; commas in parentheses, brackets and quotes belong to their expression. `text` NULL
   is an empty list. Errors as of expression_new(); the list is to be freed all the same. */
stele_status expression_list_new(stele_context *context, const char *text, expression_list *list);
void expression_list_free(expression_list *list);

uint32_t expression_list_columns(const expression_list *list);

/* The size of the title that an item "TITLE=EXPR" begins with, 0 where there is none. */
size_t expression_title_size(const char *text, size_t size);

/* The size of the first item of a list, up to its comma or the end. */
size_t expression_item_size(const char *text);

#endif
