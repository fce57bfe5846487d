/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/xtrace/records/dialect.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/xtrace/records/scan.h"

#define NUMBERS_MAX 4u

/* A word of the text: where its number is stored, and which numbers are allowed. */
typedef struct dialect_key {
    const char *name;
    /* The place of the number in xtrace_wish. */
    size_t at;
    uint32_t max;
    uint32_t choices[NUMBERS_MAX];
    /* The number of choices; with 0, any number up to `max` is allowed. */
    unsigned choice_count;
} dialect_key;

#define WISH(member) offsetof(xtrace_wish, member)

static const dialect_key keys[] = {
    {"time", WISH(time_size), 16, {0, 4, 8, 16}, 4},
    {"svcarg", WISH(svcarg_size), 56, {8, 56}, 2},
    {"misc0", WISH(misc0_size), STELE_XTRACE_MISC_MAX, {0}, 0},
    {"misc2", WISH(misc2_size), STELE_XTRACE_MISC_MAX, {0}, 0},
    {"levels", WISH(has_levels), 1, {0}, 0},
    {"header", WISH(layout.header_size), 32, {0, 19, 24, 32}, 4},
    {"vl", WISH(layout.vl_bits), 2048, {0}, 0},
    {"z", WISH(layout.z_stride), 256, {0}, 0},
    {"p", WISH(layout.p_stride), 64, {0}, 0},
    {"p-count", WISH(layout.p_count), 17, {16, 17}, 2},
    {"za", WISH(layout.za_size), 2048 * 2048, {0}, 0},
    {"fp", WISH(layout.fp_size), 8, {4, 8}, 2},
    {"fp-padding", WISH(layout.fp_padding), 4, {0, 4}, 2},
};

#define KEY_COUNT (sizeof keys / sizeof *keys)

xtrace_wish xtrace_wish_none(void)
{
    xtrace_wish wish;
    memset(&wish, 0xff, sizeof wish);
    return wish;
}

/* ---- Text ---- */

static bool key_takes(const dialect_key *key, uint32_t number)
{
    if (key->at == WISH(layout.vl_bits) && (number == 0 || number % 128 != 0))
        return false;
    for (unsigned i = 0; i < key->choice_count; i++) {
        if (key->choices[i] == number)
            return true;
    }
    return key->choice_count == 0 && number <= key->max;
}

/* Takes a word "key=number" of `size` characters. */
static bool wish_parse_word(xtrace_wish *wish, const char *word, size_t size)
{
    for (size_t i = 0; i < KEY_COUNT; i++) {
        const size_t length = strlen(keys[i].name);
        unsigned long number;
        uint32_t value;
        char *end;
        if (length + 1 >= size || memcmp(word, keys[i].name, length) != 0 || word[length] != '=')
            continue;
        if (word[length + 1] < '0' || word[length + 1] > '9')
            return false;
        number = strtoul(word + length + 1, &end, 10);
        value = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
        if (end != word + size || !key_takes(&keys[i], value))
            return false;
        memcpy((char *)wish + keys[i].at, &value, sizeof value);
        return true;
    }
    return false;
}

bool xtrace_wish_parse(xtrace_wish *wish, const char *text)
{
    for (;;) {
        const size_t size = strcspn(text, ",");
        if (!wish_parse_word(wish, text, size))
            return false;
        if (text[size] == '\0')
            return true;
        text += size + 1;
    }
}

void xtrace_dialect_text(const stele_xtrace_dialect *dialect, const stele_xtrace_layout *layout,
                         char text[XTRACE_DIALECT_TEXT_SIZE])
{
    xtrace_wish all = {.time_size = dialect->time_size,
                       .svcarg_size = dialect->svcarg_size,
                       .misc0_size = dialect->misc0_size != 0 ? dialect->misc0_size : UINT32_MAX,
                       .misc2_size = dialect->misc2_size != 0 ? dialect->misc2_size : UINT32_MAX,
                       .has_levels = dialect->has_levels ? 1 : UINT32_MAX,
                       .layout = layout != NULL ? *layout : xtrace_wish_none().layout};
    size_t size = 0;
    if (all.layout.fp_padding == 0)
        all.layout.fp_padding = UINT32_MAX;
    for (size_t i = 0; i < KEY_COUNT; i++) {
        uint32_t value;
        memcpy(&value, (const char *)&all + keys[i].at, sizeof value);
        if (value != UINT32_MAX)
            size += (size_t)snprintf(text + size, XTRACE_DIALECT_TEXT_SIZE - size, "%s%s=%u",
                                     size != 0 ? "," : "", keys[i].name, value);
    }
}

/* ---- Detection ---- */

static bool is_wished(uint32_t wish, uint32_t value)
{
    return wish == UINT32_MAX || wish == value;
}

static uint32_t wish_or(uint32_t wish, uint32_t value)
{
    return wish != UINT32_MAX ? wish : value;
}

/* Tells whether a token of seven arguments is really a run of tokens with one argument each, in
   which one may be damaged: most of them begin where those would. */
static bool is_run_of_arguments(const uint8_t *token, size_t size)
{
    unsigned count = 0;
    for (size_t at = 9; at < size; at += 9)
        count += token[at] == token[0];
    return count >= 4;
}

static bool has_run_of_arguments(const stele_xtrace_tokens *tokens, const uint8_t *head,
                                 size_t size)
{
    size_t token;
    for (size_t at = 0; at < size; at += token) {
        token = xtrace_token_size(tokens, head + at, size - at);
        if (token == 0 || token > size - at)
            return false;
        if (tokens->kinds[head[at]] == STELE_XTRACE_SVCARG && is_run_of_arguments(head + at, token))
            return true;
    }
    return false;
}

bool xtrace_dialect_fits(const stele_xtrace_dialect *dialect, const uint8_t *head, size_t size)
{
    stele_xtrace_tokens tokens;
    size_t end;
    stele_xtrace_tokens_make(dialect, &tokens);
    xtrace_tokens_count(&tokens, head, size, SIZE_MAX, &end);
    if (dialect->svcarg_size > 8 && has_run_of_arguments(&tokens, head, size))
        return false;
    return end == size || xtrace_token_size(&tokens, head + end, size - end) != 0;
}

stele_xtrace_dialect xtrace_dialect_detect(const xtrace_wish *wish, const uint8_t *head,
                                           size_t size)
{
    static const struct {
        uint8_t time_size, svcarg_size;
    } known[] = {{8, 8}, {8, 56}, {4, 8}, {16, 8}, {0, 8}};
    stele_xtrace_dialect dialect = {
        .time_size = (uint8_t)wish_or(wish->time_size, 8),
        .svcarg_size = (uint8_t)wish_or(wish->svcarg_size, 8),
        .misc0_size = (uint16_t)wish_or(wish->misc0_size, 0),
        .misc2_size = (uint16_t)wish_or(wish->misc2_size, 0),
        .has_levels = wish->has_levels == 1,
    };
    const stele_xtrace_dialect first = dialect;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        dialect.time_size = known[i].time_size;
        dialect.svcarg_size = known[i].svcarg_size;
        if (is_wished(wish->time_size, known[i].time_size) &&
            is_wished(wish->svcarg_size, known[i].svcarg_size) &&
            xtrace_dialect_fits(&dialect, head, size))
            return dialect;
    }
    return first;
}
