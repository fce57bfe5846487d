/* SPDX-License-Identifier: Apache-2.0 */
#include "core/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/hash.h"

const stele_code core_codes[CORE_CODE_COUNT] = {
#define STELE_CODE DIAG_CODE_ENTRY
#include "core/codes.def"
#undef STELE_CODE
};

const char *stele_severity_text(stele_severity severity)
{
    static const char *const texts[] = {"note", "warning", "error"};
    return (unsigned)severity < 3 ? texts[severity] : "error";
}

/* Nouns after counts in what findings say that they found. */
static const char *const counted[] = {"bytes",     "events",  "packets",  "records", "instructions",
                                      "values",    "fields",  "elements", "frames",  "lines",
                                      "members",   "streams", "threads",  "tracks",  "files",
                                      "snapshots", "times",   "calls",    "names"};

/* Whether a word or number, or what a trace says, in quotes, goes on with this character. */
static bool is_joined(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '\'' || c == '"';
}

/* Whether "1" after this character is not a count, but the end of "0.1", "2,001" or "-1". */
static bool continues_number(char c)
{
    return is_joined(c) || c == '.' || c == ',' || c == '-';
}

/* Makes "1 byte" of "1 bytes" everywhere in a text. */
static void singular(char *text)
{
    for (char *at = text; (at = strstr(at, "1 ")) != NULL; at += 2) {
        if (at != text && continues_number(at[-1]))
            continue;
        for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
            const size_t size = strlen(counted[i]);
            char *end = at + 2 + size;
            if (strncmp(at + 2, counted[i], size) != 0 || is_joined(*end))
                continue;
            memmove(end - 1, end, strlen(end) + 1);
            break;
        }
    }
}

/* Passes a finding on with "1 byte" where its text has "1 bytes". */
static __attribute__((noinline)) void emit_singular(const diag_sink *sink, const stele_diag *diag)
{
    stele_diag own = *diag;
    char text[512];
    if (strlen(diag->found) < sizeof text) {
        strcpy(text, diag->found);
        singular(text);
        own.found = text;
    }
    sink->fn(sink->user, &own);
}

/* Whether a text has "1 ". Most texts have few digits 1, if any. */
static bool has_one(const char *text)
{
    while ((text = strchr(text, '1')) != NULL) {
        if (*++text == ' ')
            return true;
    }
    return false;
}

static uint64_t digest(const char *text)
{
    return text != NULL ? hash_bytes(text, strlen(text)) : 0;
}

/* Remembers a finding. Returns false if the same was reported of its place just before. */
static bool remember(diag_recent *recent, const stele_diag *diag)
{
    const uint32_t kept = recent->count < DIAG_RECENT_MAX ? recent->count : DIAG_RECENT_MAX;
    const uint64_t source = digest(diag->source), text = digest(diag->found);
    const uint32_t next = recent->count % DIAG_RECENT_MAX;
    for (uint32_t i = 0; i < kept; i++) {
        if (recent->at[i].code == diag->code && recent->at[i].offset == diag->offset &&
            recent->at[i].size == diag->size && recent->at[i].bit == diag->bit &&
            recent->at[i].source == source && recent->at[i].text == text)
            return false;
    }
    recent->at[next].code = diag->code;
    recent->at[next].source = source;
    recent->at[next].text = text;
    recent->at[next].offset = diag->offset;
    recent->at[next].size = diag->size;
    recent->at[next].bit = diag->bit;
    recent->count++;
    return true;
}

static uint64_t end_of(uint64_t offset, uint64_t size)
{
    size += size == 0;
    return size <= UINT64_MAX - offset ? offset + size : UINT64_MAX;
}

bool diag_is_explained(const diag_sink *sink, stele_severity severity, const char *source,
                       uint64_t offset, uint64_t size)
{
    const diag_recent *recent = sink->recent;
    const uint32_t kept = recent == NULL                    ? 0
                          : recent->count < DIAG_RECENT_MAX ? recent->count
                                                            : DIAG_RECENT_MAX;
    const uint64_t from = digest(source), end = end_of(offset, size);
    for (uint32_t i = 0; i < kept; i++) {
        const uint64_t recent_end = end_of(recent->at[i].offset, recent->at[i].size);
        const stele_severity known = recent->at[i].code->severity;
        if (recent->at[i].source != from || recent->at[i].offset >= end || offset >= recent_end)
            continue;
        if (known == STELE_ERROR ||
            (recent->at[i].offset <= offset && recent_end >= end && known >= severity))
            return true;
    }
    return false;
}

void diag_emit(diag_sink *sink, const stele_diag *diag)
{
    if (sink->fn != NULL && sink->recent != NULL && diag->offset != STELE_NO_OFFSET &&
        diag->lost_count == 0 && !remember(sink->recent, diag))
        return;
    sink->counts[diag->code->severity]++;
    if (sink->fn == NULL)
        return;
    if (diag->found != NULL && has_one(diag->found))
        emit_singular(sink, diag);
    else
        sink->fn(sink->user, diag);
}

void diag_report(diag_sink *sink, const stele_code *code, const char *source, uint64_t offset,
                 uint64_t size, const char *expected, const char *found, ...)
{
    char text[256];
    va_list args;
    if (sink->fn == NULL) {
        sink->counts[code->severity]++;
        return;
    }
    va_start(args, found);
    vsnprintf(text, sizeof text, found, args);
    va_end(args);
    diag_emit(sink, &(stele_diag){.code = code,
                                  .source = source,
                                  .offset = offset,
                                  .size = size,
                                  .expected = expected,
                                  .found = text});
}
