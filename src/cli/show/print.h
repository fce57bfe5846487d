/* SPDX-License-Identifier: Apache-2.0 */
/* Figures and paragraphs for people. */
#ifndef CLI_SHOW_PRINT_H
#define CLI_SHOW_PRINT_H

#include <stele/event.h>
#include <stele/output.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINT_SIZE 64 /* holds any of the texts below */

/* "1,234,567". The functions give `to`, terminated. */
const char *print_count(char *to, uint64_t count);

/* "1 event", "12 events" */
const char *print_things(char *to, uint64_t count, const char *thing);

/* "344.2 MiB", and "812 bytes" below 1 KiB. */
const char *print_bytes(char *to, uint64_t size);

/* "812 ns", "1.500 µs", "12.345678 ms", "3.000000001 s": exact. */
const char *print_duration(char *to, int64_t ns);

/* "812 ns", "1.50 µs", "12.3 ms", "4,012 s": three digits, rounded. */
const char *print_brief(char *to, uint64_t ns);

/* "812", "1.5 k", "12.3 M": three digits, rounded. */
const char *print_short(char *to, double value);

/* "12.3 %", "< 0.1 %" */
const char *print_share(char *to, uint64_t part, uint64_t whole);

/* Appends text, wrapped before column `width` with lines begun at `indent`; the first line stands
   at `column` already. An empty line parts paragraphs; lines of two spaces and more stand as they
   are. Ends with a newline. */
void print_wrapped(stele_output *out, const char *text, size_t column, size_t indent, size_t width);

void print_spaces(stele_output *out, size_t count);

/* Appends `text`, at least `width` wide; negative `width` puts it to the right. */
void print_padded(stele_output *out, const char *text, int width);

/* Appends at most `width` columns of a text that may hold anything, with a mark where it is cut. */
void print_cut(stele_output *out, stele_text text, unsigned width);

/* Appends a bar as long as the part that `count` has of `most`, which takes `width` columns. What
   is not 0 can be seen. */
void print_bar(stele_output *out, uint64_t count, uint64_t most, unsigned width);

/* How many columns of a terminal a text takes: characters, not bytes. */
size_t print_width(const char *text);

/* Appends a terminal colour where there are any. */
void print_color(stele_output *out, bool has_color, const char *color);

#endif
