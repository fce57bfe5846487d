/* SPDX-License-Identifier: Apache-2.0 */
#include "query/expression_list.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

size_t expression_item_size(const char *text)
{
    const char *at = text;
    unsigned depth = 0;
    for (; *at != '\0' && (*at != ',' || depth != 0); at++) {
        if (*at == '(' || *at == '[') {
            depth++;
        } else if ((*at == ')' || *at == ']') && depth != 0) {
            depth--;
        } else if (*at == '"' || *at == '\'') {
            const char quote = *at;
            for (at++; *at != '\0' && *at != quote; at++)
                at += *at == '\\' && at[1] != '\0';
            if (*at == '\0')
                break;
        }
    }
    return (size_t)(at - text);
}

size_t expression_title_size(const char *text, size_t size)
{
    size_t at = 0;
    while (at < size && strchr(" \t=<>!~,()[]\"'+*/%", text[at]) == NULL)
        at++;
    if (at == 0 || at + 1 >= size || text[at] != '=' || text[at + 1] == '=' || text[at + 1] == '~')
        return 0;
    return at;
}

static stele_status add(stele_context *context, const char *text, size_t size, bool has_spans,
                        expression_list *list)
{
    const size_t title_size = expression_title_size(text, size);
    const size_t skipped = title_size != 0 ? title_size + 1 : 0;
    expression_entry *item;
    stele_status status = STELE_ERR_MEMORY;
    char *copy;
    if (list->count == list->capacity) {
        expression_entry *grown = array_grow(list->items, sizeof *grown, &list->capacity, 4);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        list->items = grown;
    }
    item = &list->items[list->count];
    *item = (expression_entry){.title = strndup(text, title_size != 0 ? title_size : size)};
    copy = strndup(text + skipped, size - skipped);
    if (copy != NULL && item->title != NULL)
        status = expression_new_as(
            context, copy, EXPRESSION_VALUE | (has_spans ? EXPRESSION_SPANS : 0u), &item->e);
    free(copy);
    list->count++;
    return status;
}

/* Adds an expression without the blanks around it. */
static stele_status add_trimmed(stele_context *context, const char *text, size_t size,
                                bool has_spans, expression_list *list)
{
    const size_t blank = strspn(text, " \t\r\n");
    const char *const from = text + (blank < size ? blank : size);
    const char *end = text + size;
    while (end > from && strchr(" \t\r\n", end[-1]) != NULL)
        end--;
    return add(context, from, (size_t)(end - from), has_spans, list);
}

stele_status expression_list_new(stele_context *context, const char *text, bool has_spans,
                                 expression_list *list)
{
    *list = (expression_list){.count = 0};
    while (text != NULL) {
        const size_t size = expression_item_size(text);
        stele_status status;
        if (list->count == EXPRESSION_LIST_MAX) {
            diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                        "32 expressions at most", "more");
            return STELE_ERR_ARGUMENT;
        }
        status = add_trimmed(context, text, size, has_spans, list);
        if (status != STELE_OK)
            return status;
        text = text[size] == ',' ? text + size + 1 : NULL;
    }
    return STELE_OK;
}

void expression_list_free(expression_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->items[i].title);
        expression_free(list->items[i].e);
    }
    free(list->items);
    *list = (expression_list){.count = 0};
}

uint32_t expression_list_columns(const expression_list *list)
{
    uint32_t columns = 0;
    for (uint32_t i = 0; i < list->count; i++)
        columns |= expression_columns(list->items[i].e);
    return columns;
}
