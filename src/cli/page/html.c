/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/page/html.h"

#include <stele/text.h>

#include <stdio.h>
#include <string.h>

/* ---- Escaping of texts ----------------------------------------------------------------------- */

const char *html_shown(stele_text text, size_t most, char *to)
{
    const char *at = text.bytes, *end = text.bytes + text.size;
    size_t used = 0;
    for (size_t count = 0; at < end; count++) {
        bool is_control;
        size_t size = stele_character(at, (size_t)(end - at), &is_control);
        if (count == most) {
            memcpy(to + used, "...", 3);
            used += 3;
            break;
        }
        if (size == 0)
            size = 1;
        if (is_control) {
            for (size_t i = 0; i < size; i++)
                used += (size_t)snprintf(to + used, 5, "\\x%02x", (unsigned char)at[i]);
        } else {
            memcpy(to + used, at, size);
            used += size;
        }
        at += size;
    }
    to[used] = '\0';
    return to;
}

const char *html_name(const stele_context *context, stele_name name, char to[HTML_NAME_SIZE])
{
    const stele_text text = stele_name_text(context, NULL, name);
    if (text.size == 0)
        return strcpy(to, "(no name)");
    return html_shown(text, HTML_NAME_MAX, to);
}

static void put_escaped(stele_output *out, char character)
{
    switch (character) {
    case '&': stele_output_text(out, "&amp;"); break;
    case '<': stele_output_text(out, "&lt;"); break;
    case '>': stele_output_text(out, "&gt;"); break;
    case '"': stele_output_text(out, "&quot;"); break;
    case '\'': stele_output_text(out, "&#39;"); break;
    default: stele_output_byte(out, (uint8_t)character); break;
    }
}

void html_bytes(stele_output *out, const char *bytes, size_t size)
{
    const char *end = bytes + size;
    while (bytes < end) {
        bool is_control;
        size_t length = stele_character(bytes, (size_t)(end - bytes), &is_control);
        if (length == 0)
            length = 1;
        if (is_control) {
            for (size_t i = 0; i < length; i++)
                stele_output_printf(out, "\\x%02x", (unsigned char)bytes[i]);
        } else if (length == 1) {
            put_escaped(out, *bytes);
        } else {
            stele_output_write(out, bytes, length);
        }
        bytes += length;
    }
}

void html_text(stele_output *out, const char *text)
{
    html_bytes(out, text, strlen(text));
}

/* Reads a character of a text that is valid UTF-8. */
static uint32_t next_character(const unsigned char **at)
{
    const unsigned char *from = *at;
    const unsigned size = from[0] < 0x80 ? 1 : from[0] < 0xe0 ? 2 : from[0] < 0xf0 ? 3 : 4;
    uint32_t character = size == 1 ? from[0] : from[0] & (0x7fu >> size);
    for (unsigned i = 1; i < size; i++)
        character = character << 6 | (from[i] & 0x3fu);
    *at = from + size;
    return character;
}

/* Hashes the UTF-16 units of a name with FNV-1a, as src/view/page/colors.js does, because texts
   of JavaScript consist of these. */
unsigned html_color(const char *shown)
{
    const unsigned char *at = (const unsigned char *)shown;
    uint32_t hash = 2166136261u;
    for (unsigned units = 0; *at != 0 && units < 200; units++) {
        const uint32_t character = next_character(&at);
        if (character >= 0x10000) {
            hash = (hash ^ (0xd800u + ((character - 0x10000) >> 10))) * 16777619u;
            if (++units == 200)
                break;
            hash = (hash ^ (0xdc00u + (character & 0x3ffu))) * 16777619u;
        } else {
            hash = (hash ^ character) * 16777619u;
        }
    }
    return hash % 10;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

void html_table(stele_output *out, const char *caption, const html_column *columns, size_t count,
                bool sorts)
{
    stele_output_printf(out, "<div class=\"scroll\"><table%s>\n", sorts ? " class=\"sorts\"" : "");
    if (caption != NULL) {
        stele_output_text(out, "<caption>");
        html_text(out, caption);
        stele_output_text(out, "</caption>\n");
    }
    stele_output_text(out, "<thead><tr>");
    for (size_t i = 0; i < count; i++) {
        stele_output_printf(out, "<th scope=\"col\"%s>",
                            columns[i].is_number ? " class=\"n\"" : "");
        html_text(out, columns[i].title);
        stele_output_text(out, "</th>");
    }
    stele_output_text(out, "</tr></thead>\n<tbody>\n");
}

void html_table_end(stele_output *out)
{
    stele_output_text(out, "</tbody></table></div>\n");
}

void html_row(stele_output *out)
{
    stele_output_text(out, "<tr>"); /* the row ends with the next one or with the table */
}

void html_cell(stele_output *out, const char *text)
{
    stele_output_text(out, "<td>");
    html_text(out, text);
    stele_output_text(out, "</td>");
}

void html_cell_number(stele_output *out, const char *text, double value)
{
    stele_output_printf(out, "<td class=\"n\" data-v=\"%.17g\">", value);
    html_text(out, text);
    stele_output_text(out, "</td>");
}

void html_cell_name(stele_output *out, const char *shown)
{
    stele_output_text(out, "<td class=\"w\"><bdi>");
    html_text(out, shown);
    stele_output_text(out, "</bdi></td>");
}

void html_fact(stele_output *out, const char *name, const char *value)
{
    stele_output_text(out, "<tr><th scope=\"row\">");
    html_text(out, name);
    stele_output_text(out, "</th><td class=\"w\">");
    html_text(out, value);
    stele_output_text(out, "</td></tr>\n");
}
