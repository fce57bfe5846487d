/* SPDX-License-Identifier: Apache-2.0 */
/* The tokens of TSDL (CTF 1.8.3, appendix C), and a table that gives each word a number. */
#ifndef CTF_TSDL_LEX_H
#define CTF_TSDL_LEX_H

#include "formats/ctf/metadata/front.h"

/* Words that the parser knows. First those that cannot be names of fields and types ... */
/* clang-format off */
#define TSDL_KEYWORDS(X) \
    X(BOOL, "_Bool") X(CHAR, "char") X(COMPLEX, "_Complex") X(DOUBLE, "double") \
    X(FLOAT, "float") X(IMAGINARY, "_Imaginary") X(INT, "int") X(LONG, "long") \
    X(SHORT, "short") X(SIGNED, "signed") X(UNSIGNED, "unsigned") X(VOID, "void") \
    X(CALLSITE, "callsite") X(CLOCK, "clock") X(CONST, "const") X(ENUM, "enum") X(ENV, "env") \
    X(EVENT, "event") X(FLOATING_POINT, "floating_point") X(INTEGER, "integer") \
    X(STREAM, "stream") X(STRING, "string") X(STRUCT, "struct") X(TRACE, "trace") \
    X(TYPEALIAS, "typealias") X(TYPEDEF, "typedef") X(VARIANT, "variant") X(ALIGN, "align")

/* ... then those that can: attributes. */
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
    WORD_LAST_C_TYPE = WORD_VOID, /* words of C's types are the first ones */
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
    char mark;       /* of MARK: the character, or one of the above */
    uint32_t word;   /* of WORD */
    uint32_t offset; /* first byte in the metadata text, and ... */
    uint32_t end;    /* ... first byte after it */
    uint64_t value;  /* of INTEGER and CHARACTER */
    ctf_text text;   /* of TEXT: unescaped, in the schema's arena */
} token;

/* What a name stands for; tables of the parser hang on words by these. */
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
    ctf_text text;                       /* in the schema's arena */
    uint32_t symbols[SYMBOL_KIND_COUNT]; /* number + 1 of the innermost; 0: none */
    uint32_t clock, env;                 /* number + 1 in the schema; 0: none */
} word_entry;

typedef struct lexer {
    metadata *m;
    ctf_schema *schema;
    token token; /* the current one */
    bool is_silent;
    word_entry *words;
    uint32_t word_count, word_capacity;
    uint32_t *slots; /* open addressing: word + 1 */
    uint32_t slot_mask;
    hash_key key;
} lexer;

/* Returns false if out of memory. */
bool lexer_init(lexer *l, metadata *m, ctf_schema *schema);
void lexer_free(lexer *l);

/* Starts at the front of the text; the first token is read by lexer_next(). */
void lexer_rewind(lexer *l, bool is_silent);

/* Returns false after reporting, or if out of memory. */
bool lexer_next(lexer *l);

/* The number of a word; UINT32_MAX: memory. */
uint32_t lexer_word(lexer *l, const char *bytes, size_t size);

#endif
