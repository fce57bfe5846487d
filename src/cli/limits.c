/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct limit {
    const char *name;
    size_t offset; /* offset of the member in stele_limits */
    bool is_size;  /* the member is a size_t; otherwise a uint32_t */
    uint64_t least, most;
    const char *help;
} limit;

/* Whether a member is a size_t. On 32-bit machines both types have the same size, so the answer
   does not matter. */
#define IS_SIZE(member) (sizeof(((stele_limits *)NULL)->member) == sizeof(size_t))

static const limit limit_table[] = {
#define STELE_LIMIT(name, member, least, most, help) \
    {name, offsetof(stele_limits, member), IS_SIZE(member), least, most, help},
#include "cli/options.def"
#undef STELE_LIMIT
};
static const size_t limit_count = sizeof limit_table / sizeof limit_table[0];

/* Parses a whole number, optionally with a unit of a power of 1024 such as "64M". A number
   beyond 64 bits becomes the largest one, which no limit allows. */
static bool parse_number(const char *text, uint64_t *number)
{
    static const char units[] = "KMG";
    char *end;
    const char *unit;
    *number = strtoull(text, &end, 10);
    unit = *end != 0 ? strchr(units, *end) : NULL;
    if (unit != NULL && end[1] == 0 &&
        __builtin_mul_overflow(*number, UINT64_C(1) << 10 * (unit - units + 1), number))
        *number = UINT64_MAX;
    return text[0] >= '0' && text[0] <= '9' && (*end == 0 || (unit != NULL && end[1] == 0));
}

static bool set(cli *c, const limit *l, const char *text, stele_limits *limits)
{
    uint8_t *member = (uint8_t *)limits + l->offset;
    uint64_t number;
    if (!parse_number(text, &number) || number == 0 || number > l->most)
        return cli_usage(c, "--max %s cannot be '%s'", l->name, text);
    if (number < l->least)
        return cli_usage(c, "--max %s takes %" PRIu64 " or more, not '%s'", l->name, l->least,
                         text);
    if (l->is_size)
        memcpy(member, &(size_t){(size_t)number}, sizeof(size_t));
    else
        memcpy(member, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
    return true;
}

bool limit_parse(cli *c, const char *text, stele_limits *limits)
{
    const size_t size = strcspn(text, "=");
    for (size_t i = 0; i < limit_count && text[size] != 0; i++) {
        const limit *l = &limit_table[i];
        if (strlen(l->name) == size && memcmp(l->name, text, size) == 0)
            return set(c, l, text + size + 1, limits);
    }
    return cli_usage(c, "no limit '%s'; see 'stele help limits'", text);
}

void limit_list(char *text, size_t size)
{
    size_t at = 0;
    for (size_t i = 0; i < limit_count && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s  %-11s  %s", i == 0 ? "" : "\n",
                               limit_table[i].name, limit_table[i].help);
}
