/* SPDX-License-Identifier: Apache-2.0 */
/* Writes figures and paragraphs for people. */
#ifndef CLI_SHOW_PRINT_H
#define CLI_SHOW_PRINT_H

#include <stele/event.h>
#include <stele/output.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PRINT_SIZE 64 /* bytes that each text of the functions below fits in */

/* A count such as "1,234,567". Each of these functions returns `to`, ended with 0. */
const char *print_count(char *to, uint64_t count);

/* A count with its noun, such as "1 event" or "12 events". */
const char *print_things(char *to, uint64_t count, const char *thing);

/* A size such as "344.2 MiB"; "812 bytes" below 1 KiB. */
const char *print_bytes(char *to, uint64_t size);

/* An exact duration such as "812 ns", "1.500 µs", "12.345678 ms" or "3.000000001 s". */
const char *print_duration(char *to, int64_t ns);

/* A duration rounded to three digits, such as "812 ns", "1.50 µs", "12.3 ms" or "4,012 s". */
const char *print_brief(char *to, uint64_t ns);

/* A number rounded to three digits, such as "812", "1.5 k" or "12.3 M". */
const char *print_short(char *to, double value);

/* A share such as "12.3 %" or "< 0.1 %". */
const char *print_share(char *to, uint64_t part, uint64_t whole);

/*
 * Appends text that is wrapped before column `width`. The first line begins at `column`, which was
 * reached already, others at `indent`. An empty line separates paragraphs; lines that begin with
 * two spaces are not wrapped. Ends with a newline.
 */
void print_wrapped(stele_output *out, const char *text, size_t column, size_t indent, size_t width);

void print_spaces(stele_output *out, size_t count);

/* Appends a text padded to `width`; if that is negative, aligned to the right. */
void print_padded(stele_output *out, const char *text, int width);

/* Appends at most `width` columns of any text, with a mark where it is cut. */
void print_cut(stele_output *out, stele_text text, unsigned width);

/* Appends a bar of `width` columns at most, as long as the share of `count` in `most`. A count
   above 0 is always visible. */
void print_bar(stele_output *out, uint64_t count, uint64_t most, unsigned width);

/* How many columns of a terminal a text takes: characters, not bytes. */
size_t print_width(const char *text);

/* Appends a colour of terminals if `has_color` is set. */
void print_color(stele_output *out, bool has_color, const char *color);

#endif
