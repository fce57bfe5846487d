/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/metadata/tsdl_lex.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/text.h"
#include "formats/ctf/codes.h"

/* ---- The table of words ---- */

uint32_t lexer_word(lexer *l, const char *bytes, size_t size)
{
    uint32_t hash;
    ctf_text text;
    if (!hash_table_reserve(&l->numbers))
        return UINT32_MAX;
    hash = hash_table_hash_bytes(&l->numbers, bytes, size);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&l->numbers, hash, &at)) != HASH_NONE;) {
        text = l->words[number].text;
        if (text.size == size && memcmp(text.bytes, bytes, size) == 0)
            return number;
    }
    if (l->word_count == l->word_capacity) {
        word_entry *words = array_grow(l->words, sizeof *words, &l->word_capacity, 1024);
        if (words == NULL)
            return UINT32_MAX;
        l->words = words;
    }
    text = schema_text(l->schema, bytes, size);
    if (text.bytes == NULL)
        return UINT32_MAX;
    l->words[l->word_count] = (word_entry){.text = text};
    hash_table_put(&l->numbers, hash, l->word_count);
    return l->word_count++;
}

bool lexer_init(lexer *l, metadata *m, ctf_schema *schema)
{
    static const char *const known[] = {
#define TSDL_WORD(id, text) text,
        TSDL_KEYWORDS(TSDL_WORD) TSDL_ATTRIBUTES(TSDL_WORD)
#undef TSDL_WORD
    };
    *l = (lexer){.m = m, .schema = schema};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (lexer_word(l, known[i], strlen(known[i])) == UINT32_MAX)
            return false;
    return true;
}

void lexer_free(lexer *l)
{
    free(l->words);
    hash_table_free(&l->numbers);
}

void lexer_rewind(lexer *l, bool is_silent)
{
    l->token = (token){.kind = TOKEN_END};
    l->is_silent = is_silent;
}

/* ---- Findings ---- */

__attribute__((format(printf, 4, 5))) static bool
lexer_fail(lexer *l, size_t offset, const char *expected, const char *found, ...)
{
    char text[128];
    va_list args;
    if (l->is_silent)
        return false;
    va_start(args, found);
    vsnprintf(text, sizeof text, found, args);
    va_end(args);
    metadata_report(l->m, &ctf_codes[CTF100], (ctf_place){(uint32_t)offset}, expected, "%s", text);
    return false;
}

/* ---- Kinds of characters ---- */

enum { IS_SPACE = 1, IS_WORD = 2, IS_DIGIT = 4, IS_MARK = 8 };

/* clang-format off */
static const uint8_t character_kinds[256] = {
    ['\t'] = IS_SPACE, ['\n'] = IS_SPACE, ['\v'] = IS_SPACE, ['\f'] = IS_SPACE, ['\r'] = IS_SPACE,
    [' '] = IS_SPACE,
#define WORD(c) [c] = IS_WORD, [(c) | 0x20] = IS_WORD
    WORD('A'), WORD('B'), WORD('C'), WORD('D'), WORD('E'), WORD('F'), WORD('G'), WORD('H'),
    WORD('I'), WORD('J'), WORD('K'), WORD('L'), WORD('M'), WORD('N'), WORD('O'), WORD('P'),
    WORD('Q'), WORD('R'), WORD('S'), WORD('T'), WORD('U'), WORD('V'), WORD('W'), WORD('X'),
    WORD('Y'), WORD('Z'), ['_'] = IS_WORD,
#undef WORD
#define DIGIT(c) [c] = IS_WORD | IS_DIGIT
    DIGIT('0'), DIGIT('1'), DIGIT('2'), DIGIT('3'), DIGIT('4'), DIGIT('5'), DIGIT('6'),
    DIGIT('7'), DIGIT('8'), DIGIT('9'),
#undef DIGIT
    ['{'] = IS_MARK, ['}'] = IS_MARK, ['['] = IS_MARK, [']'] = IS_MARK, ['('] = IS_MARK,
    [')'] = IS_MARK, ['<'] = IS_MARK, ['>'] = IS_MARK, [';'] = IS_MARK, [':'] = IS_MARK,
    [','] = IS_MARK, ['.'] = IS_MARK, ['='] = IS_MARK, ['*'] = IS_MARK, ['+'] = IS_MARK,
    ['-'] = IS_MARK,
};
/* clang-format on */

static bool character_is(char c, unsigned kind)
{
    return (character_kinds[(uint8_t)c] & kind) != 0;
}

/* ---- Blanks and comments between tokens ---- */

/* Returns the offset of the next character that is not a blank. A zero follows the text. */
static size_t skip_blanks(const char *text, size_t at)
{
    while (character_is(text[at], IS_SPACE))
        at++;
    return at;
}

/* Returns where the next token begins, given the offset of a slash, or SIZE_MAX if a comment has no
   end, which was reported. */
static size_t skip_comments(lexer *l, size_t at)
{
    const char *text = l->m->text;
    const size_t size = l->m->size;
    for (; text[at] == '/' && size - at >= 2; at = skip_blanks(text, at)) {
        if (text[at + 1] == '/') {
            const char *end = memchr(text + at, '\n', size - at);
            at = end != NULL ? (size_t)(end - text) : size;
        } else if (text[at + 1] == '*') {
            const size_t start = at;
            for (at += 2; size - at >= 2 && !(text[at] == '*' && text[at + 1] == '/');)
                at++;
            if (size - at < 2) {
                lexer_fail(l, start, "the end of the comment, */", "the end of the metadata");
                return SIZE_MAX;
            }
            at += 2;
        } else {
            break;
        }
    }
    return at;
}

/* Ends a token whose begin is set already. */
static bool token_end(lexer *l, token_kind kind, size_t end)
{
    l->token.kind = kind;
    l->token.end = (uint32_t)end;
    return true;
}

/* ---- Integers of C, and binary integers ---- */

static int digit_value(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 99;
}

static bool continues_word(char c)
{
    return character_is(c, IS_WORD);
}

/* Returns the size of a suffix u, l or ll, in any order and case. */
static size_t suffix_size(const char *at)
{
    size_t size = (*at | 0x20) == 'u';
    if ((at[size] | 0x20) == 'l') {
        size += at[size + 1] == at[size] ? 2 : 1;
        if ((*at | 0x20) != 'u')
            size += (at[size] | 0x20) == 'u';
    }
    return size;
}

static bool lex_integer(lexer *l, size_t start)
{
    const char *text = l->m->text;
    size_t at = start, digits;
    int base = 10;
    uint64_t value = 0;
    if (text[at] == '0') {
        const char mark = (char)(text[at + 1] | 0x20);
        base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
        at += base == 8 ? 0 : 2;
    }
    for (digits = at; digit_value(text[at]) < base; at++) {
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_value(text[at]), &value))
            return lexer_fail(l, start, "an integer of at most 64 bits", "a larger one");
    }
    if (at == digits)
        return lexer_fail(l, at, "a digit", "'%.2s'", text + start);
    at += suffix_size(text + at);
    if (continues_word(text[at]))
        return lexer_fail(l, at, "the end of the integer", "'%c'", text[at]);
    l->token.value = value;
    return token_end(l, TOKEN_INTEGER, at);
}

/* ---- Escape sequences of C ---- */

/* Converts \uXXXX or \UXXXXXXXX at `*at` to UTF-8, which is never longer, and steps over it. */
static bool lex_universal(lexer *l, size_t *at, char *to, size_t *size)
{
    const char *text = l->m->text;
    const unsigned count = text[*at + 1] == 'u' ? 4 : 8;
    uint32_t code = 0;
    for (unsigned i = 0; i < count; i++) {
        const int digit = digit_value(text[*at + 2 + i]);
        if (digit > 15)
            return lexer_fail(l, *at,
                              count == 4 ? "\\u and 4 hexadecimal digits"
                                         : "\\U and 8 hexadecimal digits",
                              "fewer");
        code = code << 4 | (uint32_t)digit;
    }
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return lexer_fail(l, *at, "the number of a Unicode character", "0x%x", (unsigned)code);
    *size += (size_t)(text_put_utf8(to, code) - to);
    *at += 2 + count;
    return true;
}

/* Reads the digits of a numeric escape, as many as a byte can hold. */
static uint8_t lex_byte(const char *text, size_t *at, int base, unsigned digits_max)
{
    unsigned value = 0;
    for (unsigned i = 0; i < digits_max && digit_value(text[*at]) < base; i++) {
        const unsigned next = value * (unsigned)base + (unsigned)digit_value(text[*at]);
        if (next > 0xff)
            break;
        value = next;
        (*at)++;
    }
    return (uint8_t)value;
}

static bool has_universal_digits(const char *from, unsigned count)
{
    while (count > 0 && digit_value(*from) < 16)
        from++, count--;
    return count == 0;
}

/* Converts the escape sequence at `*at` and steps over it. The character of a sequence that C does
   not have stands for itself, as in C compilers. */
static bool lex_escape(lexer *l, size_t *at, char *to, size_t *size)
{
    static const char letters[] = "abfnrtv\\'\"?", bytes[] = "\a\b\f\n\r\t\v\\'\"?";
    const char *text = l->m->text;
    const char c = text[*at + 1];
    const char *letter = c != 0 ? strchr(letters, c) : NULL;
    if ((c == 'u' || c == 'U') && has_universal_digits(text + *at + 2, c == 'u' ? 4 : 8))
        return lex_universal(l, at, to, size);
    if (letter != NULL) {
        *to = bytes[letter - letters];
        *at += 2;
    } else if (c == 'x' && digit_value(text[*at + 2]) < 16) {
        *at += 2;
        *to = (char)lex_byte(text, at, 16, UINT32_MAX);
    } else if (c >= '0' && c <= '7') {
        *at += 1;
        *to = (char)lex_byte(text, at, 8, 3);
    } else {
        if (!l->is_silent)
            metadata_report(l->m, &ctf_codes[CTF113], (ctf_place){(uint32_t)*at},
                            "an escape sequence of C", "'%.2s'", text + *at);
        *to = c;
        *at += 2;
    }
    *size += 1;
    return true;
}

/* Reads a text "..." or a character '...'; `start` is the begin of the token, where an L may
   precede the quote. */
static bool lex_quoted(lexer *l, size_t start, size_t at)
{
    const char *text = l->m->text, quote = text[at];
    size_t size = 0, end = ++at;
    char *to;
    while (end < l->m->size && text[end] != quote && text[end] != 0)
        end += text[end] == '\\' && text[end + 1] != 0 ? 2 : 1;
    if (end >= l->m->size)
        return lexer_fail(l, start, "the end of the text in quotes", "the end of the metadata");
    if (text[end] == 0)
        return lexer_fail(l, end, "a character", "a zero byte");
    to = arena_take(&l->schema->arena, end - at + 1);
    if (to == NULL)
        return false;
    while (at < end) {
        if (text[at] != '\\')
            to[size++] = text[at++];
        else if (!lex_escape(l, &at, to + size, &size))
            return false;
    }
    to[size] = 0;
    l->token.value = size != 0 ? (uint8_t)to[0] : 0;
    l->token.text = (ctf_text){to, (uint32_t)size};
    return token_end(l, quote == '"' ? TOKEN_TEXT : TOKEN_CHARACTER, end + 1);
}

/* ---- Words and punctuation ---- */

static bool is_universal(const char *at)
{
    return at[0] == '\\' && (at[1] == 'u' || at[1] == 'U');
}

static bool word_token(lexer *l, size_t end, const char *bytes, size_t size)
{
    l->token.word = lexer_word(l, bytes, size);
    return token_end(l, TOKEN_WORD, end) && l->token.word != UINT32_MAX;
}

/* Reads a word with universal character names, which are converted. */
static bool lex_universal_word(lexer *l, size_t start)
{
    const char *text = l->m->text;
    size_t at = start, size = 0, end = start;
    char *to;
    bool done;
    while (continues_word(text[end]) || text[end] == '\\')
        end++;
    to = malloc(end - start + 1);
    if (to == NULL)
        return false;
    while (continues_word(text[at]) || is_universal(text + at)) {
        if (text[at] != '\\') {
            to[size++] = text[at++];
        } else if (!lex_universal(l, &at, to + size, &size)) {
            free(to);
            return false;
        }
    }
    done = word_token(l, at, to, size);
    free(to);
    return done;
}

static bool lex_word(lexer *l, size_t start)
{
    const char *text = l->m->text;
    size_t end = start;
    while (continues_word(text[end]))
        end++;
    if (is_universal(text + end))
        return lex_universal_word(l, start);
    return word_token(l, end, text + start, end - start);
}

static bool mark_fail(lexer *l, size_t start)
{
    const unsigned char found = (unsigned char)l->m->text[start];
    if (found == 0)
        return lexer_fail(l, start, "a character", "a zero byte");
    return found > 0x20 && found < 0x7f
               ? lexer_fail(l, start, NULL, "the character '%c', which TSDL has no use for", found)
               : lexer_fail(l, start, NULL, "the byte 0x%02x, which TSDL has no use for", found);
}

static bool lex_mark(lexer *l, size_t start)
{
    const char *at = l->m->text + start;
    char mark = *at;
    size_t size = 1;
    if (!character_is(mark, IS_MARK))
        return mark_fail(l, start);
    if (at[0] == ':' && at[1] == '=') {
        mark = MARK_ASSIGN;
        size = 2;
    } else if (at[0] == '.' && at[1] == '.' && at[2] == '.') {
        mark = MARK_DOTS;
        size = 3;
    } else if (at[0] == '-' && at[1] == '>') {
        mark = MARK_ARROW;
        size = 2;
    }
    l->token.mark = mark;
    return token_end(l, TOKEN_MARK, start + size);
}

bool lexer_next(lexer *l)
{
    const char *text = l->m->text;
    size_t at = skip_blanks(text, l->token.end);
    if (text[at] == '/')
        at = skip_comments(l, at);
    if (at == SIZE_MAX)
        return false;
    l->token.offset = (uint32_t)at;
    if (at >= l->m->size)
        return token_end(l, TOKEN_END, at);
    text += at;
    if (character_is(*text, IS_DIGIT))
        return lex_integer(l, at);
    if (*text == 'L' && (text[1] == '"' || text[1] == '\''))
        return lex_quoted(l, at, at + 1);
    if (continues_word(*text) || is_universal(text))
        return lex_word(l, at);
    if (*text == '"' || *text == '\'')
        return lex_quoted(l, at, at);
    return lex_mark(l, at);
}
