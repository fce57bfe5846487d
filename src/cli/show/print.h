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

/* A count with its noun and a verb, such as "1 event is" or "12 events are". */
const char *print_what(char *to, uint64_t count, const char *thing, const char *verb_of_one,
                       const char *verb_of_more);

/* A size such as "344.2 MiB"; "812 bytes" below 1 KiB. */
const char *print_bytes(char *to, uint64_t size);

/* A number rounded to three digits, such as "812", "1.5 k" or "12.3 M". */
const char *print_short(char *to, double value);

/* ---- Times, in the unit that `times` names: nanoseconds, instructions or ticks ---- */

/* An exact duration such as "812 ns", "1.500 µs", "12.345678 ms", "3.000000001 s" or
   "1,234 instructions". */
const char *print_duration(char *to, stele_clock_domain times, int64_t ns);

/* A duration rounded to three digits, such as "812 ns", "1.50 µs", "12.3 ms", "4,012 s" or
   "1.23 k instructions". */
const char *print_brief(char *to, stele_clock_domain times, uint64_t ns);

/* A rounded duration for a cell of a table: like print_brief() for nanoseconds, otherwise a number
   alone; print_time_unit() says above the table what it counts. */
const char *print_length(char *to, stele_clock_domain times, uint64_t ns);

/* A moment such as "1.000000250" (seconds), or a number of instructions or ticks. */
const char *print_time(char *to, stele_clock_domain times, int64_t ns);

/* What names of times end with for programs: "_insns" or "_ticks"; NULL: "_ns". */
const char *print_time_suffix(stele_clock_domain times);

/* Puts print_time_suffix() in the place of the "_ns" that a name for programs ends with: "dur_ns"
   becomes "dur_insns". Names with other ends stay. `key` has room for `size` bytes. */
void print_time_key(char *key, size_t size, stele_clock_domain times);

/* The unit as a word for programs: "ns", "instructions" or "ticks". */
const char *print_time_word(stele_clock_domain times);

/* Writes a line above a table whose times are not nanoseconds, and an empty one after it. */
void print_time_unit(stele_output *out, stele_clock_domain times);

/* ---- Shares, texts, bars ---- */

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

/* Appends a visible text of `size` bytes in at most `room` columns, 2 or more: what is too long
   loses its middle, because names often differ at their end only. */
void print_shortened(stele_output *out, const char *text, size_t size, size_t room);

/* Appends a bar of `width` columns at most, as long as the share of `count` in `most`. A count
   above 0 is always visible. */
void print_bar(stele_output *out, uint64_t count, uint64_t most, unsigned width);

/* How many columns of a terminal a text takes: characters, not bytes. */
size_t print_width(const char *text);

/* Appends a colour of terminals if `has_color` is set. */
void print_color(stele_output *out, bool has_color, const char *color);

#endif
