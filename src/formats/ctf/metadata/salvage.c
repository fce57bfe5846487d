/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each block of CTF 1.8 and the RFC, and each fragment of CTF 2, stands alone. One with an error is
 * blanked out in the text, which is then parsed again: what needs it has an error now, and goes the
 * same way; all else is as it was. Smaller things go alone where nothing else needs them: an entry
 * of the environment, a description, an offset.
 */
#include "formats/ctf/metadata/salvage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/guess.h"

#define RECORD_SEPARATOR '\x1e'

/* Every pass takes one thing away, and reads all text again: a second in all. */
#define PASSES_MIN 16u
#define PASSES_MAX 1024u
#define BYTES_MAX  ((uint64_t)64 << 20)

typedef struct range {
    size_t from, to;
} range;

static bool is_one_of(const char *at, size_t size, const char *const *words)
{
    while (*words != NULL && (strlen(*words) != size || memcmp(*words, at, size) != 0))
        words++;
    return *words != NULL;
}

static size_t word_size(const char *at)
{
    return strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.");
}

/* Words with which blocks and declarations begin, in CTF 1.8 and in the RFC. */
static const char *const blocks[] = {"trace", "env", "clock", "stream", "event", "callsite", NULL};
static const char *const declarations[] = {"typealias", "typedef", "struct",        "variant",
                                           "enum",      "type",    "abstract_type", "section",
                                           "integer",   NULL};

/* Whether a block seems to begin at a place: a line does, with one of the words. */
static bool begins_block(const metadata *m, size_t at)
{
    const size_t size = word_size(m->text + at);
    return at > 0 && m->text[at - 1] == '\n' && size != 0 &&
           (is_one_of(m->text + at, size, blocks) || is_one_of(m->text + at, size, declarations));
}

/* The end of a text in quotes, or that of its line, where it is missing. */
static size_t quoted_end(const metadata *m, size_t at)
{
    for (at++; at < m->size && m->text[at] != '"' && m->text[at] != '\n'; at++)
        at += m->text[at] == '\\' && at + 1 < m->size;
    return at;
}

/* ---- CTF 1.8 and the RFC ---- */

/* From the start of a block to its semicolon, or to where the next one seems to begin. */
static range block_range(const metadata *m, size_t from)
{
    uint32_t depth = 0;
    for (size_t at = from; at < m->size; at++) {
        const char byte = m->text[at];
        if (at > from && begins_block(m, at))
            return (range){from, at};
        if (byte == '"')
            at = quoted_end(m, at);
        else if (byte == '{')
            depth++;
        else if (byte == '}')
            depth -= depth > 0;
        else if (byte == ';' && depth == 0)
            return (range){from, at + 1};
    }
    return (range){from, m->size};
}

/* The attribute of the block that the place is in, with its semicolon; empty: it is in none. */
static range attribute_range(const metadata *m, range block, size_t place)
{
    uint32_t depth = 0;
    size_t from = block.to;
    for (size_t at = block.from; at < block.to; at++) {
        const char byte = m->text[at];
        if (byte == '"')
            at = quoted_end(m, at);
        else if (byte == '}')
            depth -= depth > 0;
        if (byte == ';' && depth == 1 && at >= place && from <= place)
            return (range){from, at + 1};
        if (depth == 0 && byte == '}')
            break;
        depth += byte == '{';
        if (depth == 1 && (byte == '{' || byte == ';'))
            from = at + 1 + strspn(m->text + at + 1, " \t\r\n");
    }
    return (range){block.to, block.to};
}

/* Attributes that a block can do without: what they say is missed, and nothing else. */
static bool is_spare(const metadata *m, range block, range attribute)
{
    static const char *const of_trace[] = {"uuid", "major", "minor", "byte_order", NULL};
    static const char *const of_clock[] = {"uuid",     "description", "freq",     "precision",
                                           "offset_s", "offset",      "absolute", NULL};
    static const char *const of_event[] = {"loglevel", "model.emf.uri", NULL};
    const char *kind = m->text + block.from, *name = m->text + attribute.from;
    const size_t kind_size = word_size(kind), name_size = word_size(name);
    if (m->generation != CTF_1)
        return false;
    if (kind_size == 3 && memcmp(kind, "env", 3) == 0)
        return true;
    if (kind_size == 5 && memcmp(kind, "trace", 5) == 0)
        return is_one_of(name, name_size, of_trace);
    if (kind_size == 5 && memcmp(kind, "clock", 5) == 0)
        return is_one_of(name, name_size, of_clock);
    return kind_size == 5 && memcmp(kind, "event", 5) == 0 && is_one_of(name, name_size, of_event);
}

/* Whether a block's keyword has one wrong character; it is mended then. */
static bool mend_keyword(metadata *m, size_t at)
{
    const size_t size = strcspn(m->text + at, " \t\r\n{;");
    const char *brace = m->text + at + size;
    brace += strspn(brace, " \t\r\n");
    if (size == 0 || *brace != '{' || is_one_of(m->text + at, size, blocks) ||
        is_one_of(m->text + at, size, declarations))
        return false;
    for (size_t i = 0; blocks[i] != NULL; i++) {
        size_t wrong = 0;
        for (size_t k = 0; k < size && strlen(blocks[i]) == size; k++)
            wrong += blocks[i][k] != m->text[at + k];
        if (wrong != 1)
            continue;
        memcpy(m->text + at, blocks[i], size);
        return true;
    }
    return false;
}

/* ---- CTF 2 ---- */

/* A separator that is missing in front of a fragment, which begins its line, is put back. */
static bool mend_separator(metadata *m, range fragment)
{
    for (size_t at = fragment.from + 1; at < fragment.to; at++) {
        const char *text = m->text + at;
        if (*text != '{' || (text[-1] != '\n' && (at < 2 || text[-2] != '\n')))
            continue;
        m->text[at - 1] = RECORD_SEPARATOR;
        return true;
    }
    return false;
}

static range fragment_range(const metadata *m, size_t from)
{
    const char *next = memchr(m->text + from, RECORD_SEPARATOR, m->size - from);
    return (range){from, next != NULL ? (size_t)(next - m->text) : m->size};
}

/* The property of the fragment that the place is in, with one comma; empty: it is in none. */
static range property_range(const metadata *m, range fragment, size_t place)
{
    uint32_t depth = 0;
    size_t from = fragment.to, comma = fragment.to;
    for (size_t at = fragment.from; at < fragment.to; at++) {
        const char byte = m->text[at];
        const bool ends = depth == 1 && (byte == ',' || byte == '}');
        if (byte == '"')
            at = quoted_end(m, at);
        if (ends && from <= place && at > place)
            return byte == ',' ? (range){from, at + 1} : (range){comma, at};
        if (depth == 1 && byte == ',') {
            comma = at;
            from = at + 1 + strspn(m->text + at + 1, " \t\r\n");
        }
        depth += byte == '{' || byte == '[';
        depth -= (byte == '}' || byte == ']') && depth > 0;
        if (byte == '{' && depth == 1)
            comma = from = at + 1 + strspn(m->text + at + 1, " \t\r\n");
    }
    return (range){fragment.to, fragment.to};
}

static bool is_spare_property(const metadata *m, range property)
{
    static const char *const spare[] = {
        "\"environment\"", "\"attributes\"",  "\"namespace\"", "\"name\"",
        "\"uid\"",         "\"description\"", "\"origin\"",    "\"offset-from-origin\"",
        "\"precision\"",   "\"accuracy\"",    "\"uuid\"",      NULL};
    const char *at = m->text + property.from + strspn(m->text + property.from, ", \t\r\n");
    return *at == '"' && is_one_of(at, strcspn(at + 1, "\"\n") + 2, spare);
}

/* ---- Both ---- */

static bool contains(const metadata *m, range r, const char *text)
{
    const size_t size = strlen(text);
    for (size_t at = r.from; at + size <= r.to; at++)
        if (memcmp(m->text + at, text, size) == 0)
            return true;
    return false;
}

/* Nothing can be read without it. */
static bool is_vital(const metadata *m, range r)
{
    const size_t size = word_size(m->text + r.from);
    if (m->generation == CTF_2)
        return contains(m, r, "trace-class") || contains(m, r, "packet-header");
    return size == 5 && memcmp(m->text + r.from, "trace", 5) == 0;
}

static void blank(metadata *m, range r)
{
    for (size_t at = r.from; at < r.to; at++)
        if (m->text[at] != '\n')
            m->text[at] = ' ';
}

static void report_left_out(metadata *m, range r, const char *what)
{
    const size_t shown = strcspn(m->text + r.from, "\r\n");
    const size_t size = r.to - r.from < shown ? r.to - r.from : shown;
    metadata_report_skipped(m, &ctf_codes[CTF005], r.from, r.to, "%s of %zu bytes: %.*s", what,
                            r.to - r.from, (int)(size < 80 ? size : 80), m->text + r.from);
}

static bool remove_range(metadata *m, range r, const char *what)
{
    if (r.from >= r.to)
        return false;
    report_left_out(m, r, what);
    blank(m, r);
    return true;
}

/* Where the block or fragment begins that the place is in; SIZE_MAX: in none. */
static size_t root_of(const metadata *m, size_t place)
{
    size_t low = 0, high = m->root_count;
    if (high == 0 || m->roots[0] > place)
        return SIZE_MAX;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (m->roots[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return m->roots[low];
}

/* Where a block ends for guesses: where the next one seems to begin, since a damaged brace or
   semicolon may end it too soon. */
static size_t guess_end(const metadata *m, range block)
{
    size_t at = block.to + strspn(m->text + block.to, " \t\r\n");
    if (at >= m->size || begins_block(m, at))
        return block.to;
    while (at < m->size && !begins_block(m, at))
        at++;
    return at;
}

/* A byte is taken as another one; what was described so may still be something else. */
static bool guess(metadata *m, size_t from, size_t to)
{
    if (!metadata_guess_word(m, from, to) && !metadata_guess(m, from, to))
        return false;
    m->is_doubtful = true;
    return true;
}

/* A comment whose end is damaged would hide the rest of the text: it ends with its line. Text in
   front of the first block that cannot be read is left out. */
static bool mend_front(metadata *m, size_t place)
{
    const size_t line_end = place + strcspn(m->text + place, "\n");
    range front = {0, 0};
    if (m->error_code == CTF100 && m->text[place] == '/' && m->text[place + 1] == '*')
        return remove_range(m, (range){place, line_end}, "a comment");
    if (m->root_count != 0 && m->roots[0] <= place)
        return false;
    while (front.to < m->size && !begins_block(m, front.to))
        front.to++;
    if (front.to <= place || front.to >= m->size)
        return false;
    return guess(m, front.from, front.to) || remove_range(m, front, "text");
}

/* Takes away, or mends, what the last error is in. False: nothing would be left. */
static bool take_away(metadata *m)
{
    const size_t place = m->error_place, root = root_of(m, place);
    range whole, part;
    if (place == SIZE_MAX)
        return false;
    if (m->generation == CTF_1 && place < m->size && mend_front(m, place))
        return true;
    if (root == SIZE_MAX || root >= m->size)
        return false;
    if (m->generation == CTF_2) {
        if (place == 0 && m->text[0] != '{' &&
            m->text[0] != RECORD_SEPARATOR) { /* a damaged separator in front of all */
            m->text[0] = RECORD_SEPARATOR;
            return true;
        }
        whole = fragment_range(m, root);
        if (mend_separator(m, whole))
            return true;
        part = property_range(m, whole, place);
        if (part.from < part.to && is_spare_property(m, part))
            return remove_range(m, part, "a property");
        if (guess(m, whole.from, whole.to))
            return true;
        m->is_doubtful = true;
        return !is_vital(m, whole) && remove_range(m, whole, "a fragment");
    }
    whole = block_range(m, root);
    if (m->generation == CTF_1 && mend_keyword(m, root))
        return true;
    part = attribute_range(m, whole, place);
    if (part.from < part.to && is_spare(m, whole, part))
        return remove_range(m, part, "an attribute");
    if (guess(m, whole.from, guess_end(m, whole)))
        return true;
    m->is_doubtful = true;
    return !is_vital(m, whole) && remove_range(m, whole, "a block");
}

/* An attribute of an unknown name: a known one, of which a byte was damaged? Else, if it is a type,
   what that describes is missing, and all after it may be read wrongly. */
static bool mend_name(metadata *m)
{
    const size_t root = root_of(m, m->misnamed_place);
    m->error_place = m->misnamed_place;
    m->error_code = CTF107;
    if (m->generation == CTF_1 && root != SIZE_MAX && root < m->size) {
        const range whole = block_range(m, root);
        if (metadata_guess_word(m, whole.from, whole.to)) {
            m->is_doubtful = true;
            return true;
        }
    }
    m->is_doubtful |= m->is_misnamed_type;
    return false;
}

bool metadata_salvage(metadata *m, ctf_schema *schema)
{
    const uint32_t error_count = m->error_count;
    uint64_t passes = 0;
    bool is_fine;
    m->misnamed_place = SIZE_MAX;
    m->is_doubtful = false;
    is_fine = metadata_parse(m, schema);
    if (is_fine && m->misnamed_place == SIZE_MAX)
        return true;
    if ((!is_fine && m->error_count == error_count) || m->size == 0)
        return false;
    m->salvages = true;
    for (;;) {
        const uint32_t before = m->error_count;
        schema_free(schema);
        *schema = (ctf_schema){0};
        m->root_count = 0;
        m->error_place = m->misnamed_place = SIZE_MAX;
        is_fine = metadata_parse(m, schema);
        if (is_fine && (m->misnamed_place == SIZE_MAX || !mend_name(m)))
            break;
        m->is_memory_out |= !is_fine && m->error_count == before;
        if (m->is_memory_out)
            break;
        passes++;
        if (passes > PASSES_MAX || (passes > PASSES_MIN && passes * m->size > BYTES_MAX) ||
            (!is_fine && !take_away(m)))
            break;
    }
    m->salvages = false;
    free(m->roots);
    m->roots = NULL;
    m->root_count = m->root_capacity = 0;
    if (m->is_memory_out) {
        m->error_count = error_count;
        return false;
    }
    return is_fine && schema->stream_count != 0;
}
