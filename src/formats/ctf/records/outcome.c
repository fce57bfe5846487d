/* SPDX-License-Identifier: Apache-2.0 */
/* Reports or notes what ends decoding before the batch is full. */
#include <stdarg.h>
#include <stdio.h>

#include "formats/ctf/records/decoder.h"

uint64_t decoder_exhausted(ctf_decoder *r)
{
    r->outcome = DECODE_MEMORY;
    return POS_FAILED;
}

uint64_t decoder_bad(ctf_decoder *r, ctf_code code, uint64_t pos, const char *expected,
                     const char *found, ...)
{
    decoder_problem *problem = &r->problem;
    va_list arguments;
    problem->code = code;
    problem->offset_bits = r->file_offset * 8 + r->data_at + pos;
    snprintf(problem->expected, sizeof problem->expected, "%s", expected != NULL ? expected : "");
    va_start(arguments, found);
    vsnprintf(problem->found, sizeof problem->found, found, arguments);
    va_end(arguments);
    r->outcome = DECODE_BAD;
    if (!r->defers)
        diag_emit(&r->context->diag, &(stele_diag){.code = &ctf_codes[code],
                                                   .source = r->source,
                                                   .offset = problem->offset_bits / 8,
                                                   .bit = (uint8_t)(problem->offset_bits % 8),
                                                   .expected = expected,
                                                   .found = problem->found});
    return POS_FAILED;
}

/*
 * Whether the rest of the content is padding. The RFC does not say whether the content's size
 * includes the padding before the position at which the next event would begin; both is accepted.
 */
static bool is_padding(const ctf_decoder *r)
{
    const ctf_class *header = r->head == NULL ? r->stream_class->event_header : NULL;
    return r->programs->schema->generation == CTF_RFC && header != NULL &&
           align_up(r->data_at + r->event_at, header->alignment) >= r->content_bits;
}

uint64_t decoder_past_end(ctf_decoder *r, uint64_t pos, uint64_t bits)
{
    const uint64_t at = r->data_at + pos;
    char expected[48];
    uint64_t want;
    if (is_padding(r)) {
        r->outcome = DECODE_END;
        return POS_FAILED;
    }
    if (at <= r->content_bits && bits <= r->content_bits - at) {
        r->outcome = DECODE_MORE;
        if (__builtin_add_overflow(at, bits, &want))
            want = UINT64_MAX;
        r->want_size = (want / 8 + (want % 8 != 0)) - (r->data_at + r->event_at) / 8;
        return POS_FAILED;
    }
    snprintf(expected, sizeof expected, "%llu more bits", (unsigned long long)bits);
    if (at > r->content_bits)
        return decoder_bad(r, CTF450, pos, NULL,
                           "alignment leads %llu bits past the end of the content",
                           (unsigned long long)(at - r->content_bits));
    return decoder_bad(r, CTF450, pos, bits < UINT64_MAX ? expected : "very many more bits",
                       "the content of the packet has %llu",
                       (unsigned long long)(r->content_bits - at));
}

bool decoder_count_elements(ctf_decoder *r, uint64_t pos, uint64_t count)
{
    if (count > r->loops_left) {
        decoder_bad(r, CTF456, pos, NULL, "%llu elements are more than the limit of %u fields",
                    (unsigned long long)count, (unsigned)r->context->limits.fields_max);
        return false;
    }
    r->loops_left -= count;
    return true;
}

void decoder_unsound(ctf_decoder *r, const uint8_t *text)
{
    diag_report(&r->context->diag, &ctf_codes[CTF458], r->source,
                r->file_offset + r->data_at / 8 + (uint64_t)(text - r->data), 0,
                "characters of the encoding", "something else, shown as U+FFFD");
}

void decoder_time_back(ctf_decoder *r, uint64_t event_at, uint64_t ticks)
{
    const uint64_t at = r->data_at + event_at;
    diag_report(&r->context->diag, &ctf_codes[CTF455], r->source, r->file_offset + at / 8, 0, NULL,
                "clock value %llu after %llu", (unsigned long long)ticks,
                (unsigned long long)r->last_ticks);
}
