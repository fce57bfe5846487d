/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each block of CTF 1.8 and the RFC, and each fragment of CTF 2, can be read on its own. One with
 * an error is blanked out in the text, which is then parsed again: blocks that need it now have an
 * error and are blanked out, too; all others are as before. If nothing else needs them, smaller
 * parts are blanked out alone: an entry of the environment, a description, an offset.
 */
#include "formats/ctf/metadata/salvage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/guess.h"
#include "formats/ctf/metadata/sizes.h"
#include "formats/ctf/metadata/spelling.h"

#define RECORD_SEPARATOR '\x1e'

/* Every pass removes one part and parses the whole text again; these bounds keep all passes
   together near a second. */
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

/* Words with which blocks of CTF 1.8 and the RFC begin. */
static const char *const blocks[] = {"trace", "env", "clock", "stream", "event", "callsite", NULL};
static const char *const declarations[] = {"typealias", "typedef", "struct",        "variant",
                                           "enum",      "type",    "abstract_type", "section",
                                           "integer",   NULL};

/* Whether a block seems to begin at a place: at the begin of a line with one of the words. */
static bool begins_block(const metadata *m, size_t at)
{
    const size_t size = word_size(m->text + at);
    return at > 0 && m->text[at - 1] == '\n' && size != 0 &&
           (is_one_of(m->text + at, size, blocks) || is_one_of(m->text + at, size, declarations));
}

/* Returns the end of a text in quotes, or of its line if the quote at the end is missing. */
static size_t quoted_end(const metadata *m, size_t at)
{
    for (at++; at < m->size && m->text[at] != '"' && m->text[at] != '\n'; at++)
        at += m->text[at] == '\\' && at + 1 < m->size;
    return at;
}

/* ---- Parts of CTF 1.8 and the RFC ---- */

/* Returns the block that begins at `from`, up to its semicolon, or to the place where the next
   block seems to begin. */
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

/* Returns the attribute of the block that contains the place, including its semicolon; an empty
   range if none does. */
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

/* Whether the block can be read without the attribute, and only the attribute's own value is
   lost. */
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

static bool is_stream(const metadata *m, range block)
{
    return word_size(m->text + block.from) == 6 && memcmp(m->text + block.from, "stream", 6) == 0;
}

/* Whether the block can be read without the attribute, if perhaps not as it was meant. */
static bool is_dispensable(const metadata *m, range block, range attribute)
{
    static const char *const of_type[] = {"base",       "encoding", "map", "align",
                                          "byte_order", "signed",   NULL};
    static const char *const of_stream[] = {"id", NULL};
    const char *name = m->text + attribute.from;
    const size_t size = word_size(m->text + block.from), name_size = word_size(name);
    if (size == 9 && memcmp(m->text + block.from, "typealias", 9) == 0)
        return is_one_of(name, name_size, of_type);
    return is_stream(m, block) && is_one_of(name, name_size, of_stream);
}

/* Corrects a block's keyword if one of its characters is wrong. Returns false if it is not a
   keyword. */
static bool mend_keyword(metadata *m, size_t at)
{
    const size_t size = strcspn(m->text + at, " \t\r\n{;");
    const char *brace = m->text + at + size;
    brace += strspn(brace, " \t\r\n");
    if (size == 0 || *brace != '{' || is_one_of(m->text + at, size, blocks) ||
        is_one_of(m->text + at, size, declarations))
        return false;
    for (size_t i = 0; blocks[i] != NULL; i++) {
        size_t wrong = 0, place = 0;
        for (size_t k = 0; k < size && strlen(blocks[i]) == size; k++) {
            const bool is_wrong = blocks[i][k] != m->text[at + k];
            place = is_wrong ? k : place;
            wrong += is_wrong;
        }
        if (wrong != 1)
            continue;
        metadata_take_byte(m, at + place, blocks[i][place]);
        return true;
    }
    return false;
}

/* ---- Parts of CTF 2 ---- */

/* Restores a separator that is missing before a fragment which begins its line. */
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

#define LEVELS_MAX 32u

/* Returns the property that contains the place, with one comma: of the fragment itself, or of the
   innermost object if `is_inner`. An empty range if there is none. */
static range property_range(const metadata *m, range fragment, size_t place, bool is_inner)
{
    size_t from[LEVELS_MAX], comma[LEVELS_MAX];
    range found = {fragment.to, fragment.to};
    bool is_object[LEVELS_MAX] = {false};
    uint32_t depth = 0;
    for (size_t at = fragment.from; at < fragment.to; at++) {
        const char byte = m->text[at];
        const bool ends = byte == ',' || byte == '}' || byte == ']';
        const bool is_known = depth != 0 && depth < LEVELS_MAX && is_object[depth];
        if (byte == '"')
            at = quoted_end(m, at);
        if (ends && is_known && from[depth] <= place && at > place && found.from == found.to &&
            (is_inner || depth == 1))
            found = byte == ',' ? (range){from[depth], at + 1} : (range){comma[depth], at};
        if (byte == ',' && is_known) {
            comma[depth] = at;
            from[depth] = at + 1 + strspn(m->text + at + 1, " \t\r\n");
        }
        depth -= (byte == '}' || byte == ']') && depth > 0;
        if ((byte == '{' || byte == '[') && ++depth < LEVELS_MAX) {
            is_object[depth] = byte == '{';
            comma[depth] = from[depth] = at + 1 + strspn(m->text + at + 1, " \t\r\n");
        }
    }
    return found;
}

static bool is_property_of(const metadata *m, range property, const char *const *names)
{
    const char *at = m->text + property.from + strspn(m->text + property.from, ", \t\r\n");
    return *at == '"' && is_one_of(at, strcspn(at + 1, "\"\n") + 2, names);
}

static bool is_spare_property(const metadata *m, range property)
{
    static const char *const spare[] = {
        "\"environment\"", "\"attributes\"",  "\"namespace\"", "\"name\"",
        "\"uid\"",         "\"description\"", "\"origin\"",    "\"offset-from-origin\"",
        "\"precision\"",   "\"accuracy\"",    "\"uuid\"",      NULL};
    return is_property_of(m, property, spare);
}

/* Whether a field class can be read without the property, or the property is unknown or repeated:
   CTF201 and CTF203 are at the property itself. */
static bool is_dispensable_property(const metadata *m, range property, size_t place)
{
    static const char *const known[] = {"\"alignment\"",
                                        "\"minimum-alignment\"",
                                        "\"attributes\"",
                                        "\"preferred-display-base\"",
                                        "\"extensions\"",
                                        "\"bit-order\"",
                                        "\"encoding\"",
                                        "\"roles\"",
                                        NULL};
    const size_t name = property.from + strspn(m->text + property.from, ", \t\r\n");
    if (property.from >= property.to)
        return false;
    return is_property_of(m, property, known) ||
           (name == place && (m->error_code == CTF201 || m->error_code == CTF203));
}

/* ---- Parts of any generation ---- */

static bool contains(const metadata *m, range r, const char *text)
{
    const size_t size = strlen(text);
    for (size_t at = r.from; at + size <= r.to; at++)
        if (memcmp(m->text + at, text, size) == 0)
            return true;
    return false;
}

/* Whether nothing can be read without the part. */
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

/* Returns where the block or fragment begins that contains the place, or SIZE_MAX if none does. */
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

/* Returns where a block ends for guesses: where the next one seems to begin, since a damaged brace
   or semicolon may end it too early. */
static size_t guess_end(const metadata *m, range block)
{
    size_t at = block.to + strspn(m->text + block.to, " \t\r\n");
    if (at >= m->size || begins_block(m, at))
        return block.to;
    while (at < m->size && !begins_block(m, at))
        at++;
    return at;
}

/* Replaces a damaged byte. The result is doubtful: what the byte belongs to may still be something
   else. */
static bool guess(metadata *m, size_t from, size_t to)
{
    if (!metadata_guess_word(m, from, to) && !metadata_guess(m, from, to))
        return false;
    m->is_doubtful = true;
    return true;
}

/* Corrects a misspelled word at the error, or else the attribute with an unknown name that led to
   the error. */
static bool mend_spelling(metadata *m, range whole)
{
    return metadata_mend_spelling(m, m->error_place, whole.from, whole.to) ||
           metadata_mend_spelling(m, m->misnamed_place, whole.from, whole.to);
}

/* Ends a comment whose end is damaged with its line, as it would hide the rest of the text; or
   removes text before the first block that can be read. */
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

/* Corrects the size of an integer if it is the only one that its name contradicts: everything that
   uses it cannot be read. */
static bool mend_only_size(metadata *m)
{
    range found = {0, 0};
    for (size_t i = 0; i < m->root_count; i++) {
        const range declared = block_range(m, m->roots[i]);
        if (!metadata_size_differs(m, declared.from, declared.to))
            continue;
        if (found.to != 0)
            return false;
        found = declared;
    }
    return found.to != 0 && metadata_mend_size(m, found.from, found.to);
}

/* Returns the block that contains the error, or that begins there, after the last one that could be
   read. */
static range block_of(const metadata *m, size_t place, size_t root)
{
    const range whole = block_range(m, root);
    const size_t next = whole.to + strspn(m->text + whole.to, " \t\r\n");
    return place >= next && place < m->size && m->text[whole.to - 1] == ';' ? block_range(m, next)
                                                                            : whole;
}

static bool take_block(metadata *m, size_t place, size_t root)
{
    const range whole = block_of(m, place, root);
    const range part = attribute_range(m, whole, place);
    const bool has_part = part.from < part.to && m->generation == CTF_1;
    bool is_needed;
    if (m->generation == CTF_1 &&
        (mend_keyword(m, whole.from) || metadata_mend_idiom(m, whole.from, guess_end(m, whole))))
        return true;
    if (has_part && is_spare(m, whole, part))
        return remove_range(m, part, "an attribute");
    if (guess(m, whole.from, guess_end(m, whole)) || mend_spelling(m, whole))
        return true;
    m->is_doubtful = true;
    if (metadata_mend_size(m, whole.from, whole.to))
        return true;
    if (has_part && is_dispensable(m, whole, part))
        return remove_range(m, part, "an attribute");
    /* CTF103 is about another trace block. */
    is_needed = is_vital(m, whole) && m->error_code != CTF103;
    if ((is_needed || is_stream(m, whole)) && mend_only_size(m))
        return true;
    return !is_needed && remove_range(m, whole, "a block");
}

static bool take_fragment(metadata *m, size_t place, size_t root)
{
    range whole, part;
    if (place == 0 && m->text[0] != '{' &&
        m->text[0] != RECORD_SEPARATOR) { /* the separator of the first fragment is damaged */
        m->text[0] = RECORD_SEPARATOR;
        return true;
    }
    whole = fragment_range(m, root);
    if (mend_separator(m, whole))
        return true;
    if (m->error_code == CTF200 && guess(m, whole.from, whole.to))
        return true;
    part = property_range(m, whole, place, false);
    if (part.from < part.to && is_spare_property(m, part))
        return remove_range(m, part, "a property");
    if (guess(m, whole.from, whole.to) || mend_spelling(m, whole))
        return true;
    m->is_doubtful = true;
    part = property_range(m, whole, place, true);
    if (is_dispensable_property(m, part, place))
        return remove_range(m, part, "a property");
    part = property_range(m, whole, place, false);
    if (is_vital(m, whole) && m->error_code == CTF201 && remove_range(m, part, "a property"))
        return true;
    return !is_vital(m, whole) && remove_range(m, whole, "a fragment");
}

/* Removes or corrects the part that contains the last error. Returns false if nothing would be
   left. */
static bool take_away(metadata *m)
{
    const size_t place = m->error_place, root = root_of(m, place);
    if (place == SIZE_MAX)
        return false;
    if (m->generation != CTF_2 && place < m->size && mend_front(m, place))
        return true;
    if (root == SIZE_MAX || root >= m->size)
        return false;
    return m->generation == CTF_2 ? take_fragment(m, place, root) : take_block(m, place, root);
}

/* Corrects an attribute with an unknown name if one byte of it is damaged. Otherwise, if it is a
   type, what that describes is missing, and the fields after it may be read wrongly. */
static bool mend_name(metadata *m)
{
    const size_t root = root_of(m, m->misnamed_place);
    m->error_place = m->misnamed_place;
    m->error_code = CTF107;
    if (m->generation == CTF_1 && root != SIZE_MAX && root < m->size) {
        const range whole = block_range(m, root);
        if (metadata_guess_word(m, whole.from, whole.to) || mend_spelling(m, whole)) {
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
    if ((!is_fine && m->error_count == error_count) || m->size == 0 || !metadata_hold(m))
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
    /* Metadata without errors are accepted even if they declare no stream. */
    return is_fine && (schema->stream_count != 0 || m->error_count == error_count);
}
