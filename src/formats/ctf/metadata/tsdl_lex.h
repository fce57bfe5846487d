/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of TSDL (CTF 1.8.3, appendix C), and a table that gives each word a number. */
#ifndef CTF_TSDL_LEX_H
#define CTF_TSDL_LEX_H

#include "formats/ctf/metadata/front.h"

/* Words that the parser knows and that cannot be names of fields and types. */
/* clang-format off */
#define TSDL_KEYWORDS(X) \
    X(BOOL, "_Bool") X(CHAR, "char") X(COMPLEX, "_Complex") X(DOUBLE, "double") \
    X(FLOAT, "float") X(IMAGINARY, "_Imaginary") X(INT, "int") X(LONG, "long") \
    X(SHORT, "short") X(SIGNED, "signed") X(UNSIGNED, "unsigned") X(VOID, "void") \
    X(CALLSITE, "callsite") X(CLOCK, "clock") X(CONST, "const") X(ENUM, "enum") X(ENV, "env") \
    X(EVENT, "event") X(FLOATING_POINT, "floating_point") X(INTEGER, "integer") \
    X(STREAM, "stream") X(STRING, "string") X(STRUCT, "struct") X(TRACE, "trace") \
    X(TYPEALIAS, "typealias") X(TYPEDEF, "typedef") X(VARIANT, "variant") X(ALIGN, "align")

/* Words that the parser knows as names of attributes; fields and types may have these names. */
#define TSDL_ATTRIBUTES(X) \
    X(ABSOLUTE, "absolute") X(BASE, "base") X(BYTE_ORDER, "byte_order") X(CONTEXT, "context") \
    X(DESCRIPTION, "description") X(EMF_URI, "model.emf.uri") X(ENCODING, "encoding") \
    X(EVENT_CONTEXT, "event.context") X(EVENT_HEADER, "event.header") X(EXP_DIG, "exp_dig") \
    X(FIELDS, "fields") X(FILE, "file") X(FREQ, "freq") X(FUNC, "func") X(ID, "id") \
    X(IP, "ip") X(LINE, "line") X(LOGLEVEL, "loglevel") X(MAJOR, "major") \
    X(MANT_DIG, "mant_dig") X(MAP, "map") X(MINOR, "minor") X(NAME, "name") \
    X(OFFSET, "offset") X(OFFSET_S, "offset_s") X(PACKET_CONTEXT, "packet.context") \
    X(PACKET_HEADER, "packet.header") X(PRECISION, "precision") X(SIZE, "size") \
    X(STREAM_ID, "stream_id") X(UUID, "uuid")
/* clang-format on */

typedef enum tsdl_word {
#define TSDL_WORD(id, text) WORD_##id,
    TSDL_KEYWORDS(TSDL_WORD) TSDL_ATTRIBUTES(TSDL_WORD)
#undef TSDL_WORD
        WORD_COUNT,
    WORD_LAST_C_TYPE = WORD_VOID, /* the words of C's types come first */
    WORD_KEYWORD_COUNT = WORD_ALIGN + 1
} tsdl_word;

typedef enum token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_INTEGER,
    TOKEN_TEXT,
    TOKEN_CHARACTER,
    TOKEN_MARK /* punctuation */
} token_kind;

#define MARK_ASSIGN 'A' /* := */
#define MARK_DOTS   'D' /* ... */
#define MARK_ARROW  'R' /* -> */

typedef struct token {
    token_kind kind;
    char mark;       /* of TOKEN_MARK: the character, or MARK_ASSIGN, MARK_DOTS or MARK_ARROW */
    uint32_t word;   /* number of the word, of TOKEN_WORD */
    uint32_t offset; /* of the token's first byte in the metadata text */
    uint32_t end;    /* offset after the token's last byte */
    uint64_t value;  /* of TOKEN_INTEGER and TOKEN_CHARACTER */
    ctf_text text;   /* of TOKEN_TEXT: without escapes, in the schema's arena */
} token;

/* The kinds of meanings that a name can have at the same time. */
typedef enum symbol_kind {
    SYMBOL_ALIAS,
    SYMBOL_STRUCT,
    SYMBOL_VARIANT,
    SYMBOL_ENUM,
    SYMBOL_FIELD,
    SYMBOL_OPTION,
    SYMBOL_KIND_COUNT
} symbol_kind;

typedef struct word_entry {
    ctf_text text; /* in the schema's arena */
    /* 1 + number of the innermost symbol of each kind; 0 if the word has no such meaning. */
    uint32_t symbols[SYMBOL_KIND_COUNT];
    /* 1 + number of the clock and of the environment's entry of this name; 0 for none. */
    uint32_t clock, env;
} word_entry;

typedef struct lexer {
    metadata *m;
    ctf_schema *schema;
    token token;    /* the current token */
    bool is_silent; /* nothing is reported */
    word_entry *words;
    uint32_t word_count, word_capacity;
    hash_table numbers; /* numbers of words, by their text */
} lexer;

/* Returns false if out of memory. */
bool lexer_init(lexer *l, metadata *m, ctf_schema *schema);
void lexer_free(lexer *l);

/* Returns to the begin of the text; lexer_next() then reads the first token. */
void lexer_rewind(lexer *l, bool is_silent);

/* Reads the next token. Returns false after reporting, or if out of memory. */
bool lexer_next(lexer *l);

/* Returns the number of a word, or UINT32_MAX if out of memory. */
uint32_t lexer_word(lexer *l, const char *bytes, size_t size);

#endif
