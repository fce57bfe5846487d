/* SPDX-License-Identifier: Apache-2.0 */
/* stele dump: prints the records of a trace, or the bytes of one blob. */
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/blob.h"
#include "cli/cli.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define HEX_WIDTH  16
#define KIND_WIDTH 24
#define DIGITS_MAX 20
#define HEAD_SIZE  (3 * DIGITS_MAX + 2 * KIND_WIDTH + 32)

typedef struct dump {
    cli *c;
    const char *source; /* member that the last record was in */
    bool has_hex;
} dump;

/* Writes bytes like "            000010  75 d1 1d 4d ...  u..M". */
static void write_hex(stele_output *out, const stele_dump_record *record)
{
    for (size_t at = 0; at < record->bytes_size; at += HEX_WIDTH) {
        const size_t left = record->bytes_size - at, count = left < HEX_WIDTH ? left : HEX_WIDTH;
        stele_output_printf(out, "%22s%06zx  ", "", at);
        for (size_t i = 0; i < HEX_WIDTH; i++) {
            if (i < count)
                stele_output_printf(out, "%02x ", record->bytes[at + i]);
            else
                stele_output_text(out, "   ");
            if (i % 8 == 7)
                stele_output_byte(out, ' ');
        }
        for (size_t i = 0; i < count; i++) {
            const uint8_t byte = record->bytes[at + i];
            stele_output_byte(out, byte >= 0x20 && byte < 0x7f ? byte : '.');
        }
        stele_output_byte(out, '\n');
    }
    if (record->bytes_size < record->size)
        stele_output_printf(out, "%22s... %" PRIu64 " more bytes\n", "",
                            record->size - record->bytes_size);
}

/* Writes a number aligned to the right, wider than the column if it has more digits. */
static char *put_right(char *to, uint64_t value, size_t width)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233"
        "34353637383940414243444546474849505152535455565758596061626364656667"
        "6869707172737475767778798081828384858687888990919293949596979899";
    char *at = to + width;
    uint64_t rest = value;
    memset(to, ' ', DIGITS_MAX);
    for (; rest >= 10 && at - to >= 2; rest /= 100)
        memcpy(at -= 2, &pairs[rest % 100 * 2], 2);
    if ((rest != 0 || value == 0) && rest < 10 && at != to) {
        *--at = (char)('0' + rest);
        rest = 0;
    }
    return rest == 0 ? to + width : to + snprintf(to, DIGITS_MAX + 1, "%" PRIu64, value);
}

static char *put_text(char *to, const char *text, size_t size)
{
    memcpy(to, text, size);
    return to + size;
}

static char *put_color(char *to, bool has_color, const char *color)
{
    return has_color ? put_text(to, color, strlen(color)) : to;
}

/* Writes the start of a line like "         0        23  Metadata packet           ". Kinds of
   records are short ASCII texts. */
static void write_head(stele_output *out, const stele_dump_record *record, bool has_color)
{
    const size_t kind_size = strlen(record->kind);
    const size_t room = kind_size < KIND_WIDTH ? KIND_WIDTH - kind_size : 0;
    char start[HEAD_SIZE], *to = start;
    to = put_right(to, record->offset, 10);
    *to++ = ' ';
    to = put_right(to, record->size, 9);
    to = put_text(to, "  ", 2);
    to = put_color(to, has_color, COLOR_BOLD);
    if (kind_size > KIND_WIDTH) { /* too long for the column, which it exceeds */
        stele_output_write(out, start, (size_t)(to - start));
        stele_output_write(out, record->kind, kind_size);
        to = start;
    } else {
        to = put_text(to, record->kind, kind_size);
    }
    to = put_color(to, has_color, COLOR_NONE);
    memset(to, ' ', KIND_WIDTH + 2);
    stele_output_write(out, start, (size_t)(to + room + 2 - start));
}

static bool write_record(void *user, const stele_dump_record *record)
{
    dump *self = user;
    cli *c = self->c;
    if (record->source != NULL &&
        (self->source == NULL || strcmp(self->source, record->source) != 0)) {
        stele_output_visible(c->out, record->source, strlen(record->source));
        stele_output_text(c->out, ":\n");
        self->source = record->source;
    }
    write_head(c->out, record, c->has_color);
    stele_output_visible(c->out, record->text, strlen(record->text));
    stele_output_byte(c->out, '\n');
    if (self->has_hex)
        write_hex(c->out, record);
    return stele_output_status(c->out) == STELE_OK && cli_interrupted() == 0;
}

static void dump_trace(cli *c, stele_trace *trace)
{
    const options *o = &c->options;
    dump self = {.c = c, .has_hex = option_given(o, OPTION_HEX)};
    const stele_dump_request request = {.at = option_number(o, OPTION_AT),
                                        .count = option_number(o, OPTION_RECORDS),
                                        .fn = write_record,
                                        .user = &self};
    if (option_given(o, OPTION_RECORDS) && request.count == 0)
        return;
    stele_output_printf(c->out, "%10s %9s  %-24s  %s\n", "offset", "size", "record", "contents");
    cli_check(c, stele_trace_dump(trace, &request), o->arguments[0]);
}

void command_DUMP(cli *c)
{
    const options *o = &c->options;
    stele_trace *trace;
    if (!option_given(o, OPTION_BLOB) &&
        (option_given(o, OPTION_OUTPUT) || option_given(o, OPTION_FORCE))) {
        cli_usage(c, "--output and --force belong to --blob");
        return;
    }
    trace = cli_open(c, 0);
    if (trace != NULL && option_given(o, OPTION_BLOB))
        blob_extract(c, trace, option_value(o, OPTION_BLOB));
    else if (trace != NULL)
        dump_trace(c, trace);
    cli_conclude(c, o->arguments[0], NULL);
    stele_trace_close(trace);
}
