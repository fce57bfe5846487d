/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of TSDL: one pass over the tokens, which makes classes at once (there is no syntax
 * tree). What may be said after its use (clocks, streams, the environment) is looked up at the
 * end.
 *
 *     tsdl_lex.c     tokens, words
 *     tsdl_scope.c   what names stand for: types, fields, clocks
 *     tsdl_scalar.c  integer, floating_point, string, enum
 *     tsdl_type.c    struct, variant, arrays, references; typedef and typealias
 *     tsdl_block.c   trace, env, clock, stream, event, callsite
 *     tsdl_value.c   attributes and values of these
 *     tsdl_finish.c  what is known only once all of them are read
 *     tsdl_role.c    what fields mean by their reserved names
 */
#ifndef CTF_TSDL_H
#define CTF_TSDL_H

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/tsdl_lex.h"
#include "formats/ctf/schema/class_pool.h"

/* A meaning of a name, in the scope with this number: 0 is the root, blocks and bodies of
   structures and variants are one deeper than what is around them. */
typedef struct symbol {
    const ctf_class *type;
    uint32_t number; /* of labels: their mapping */
    uint32_t word;
    uint32_t shadowed; /* symbol + 1 that it hides */
    uint32_t scope;
    symbol_kind kind;
} symbol;

/* What becomes of a type when it is read. */
typedef enum type_use { USE_MEMBER, USE_TYPEDEF, USE_ALIAS, USE_ASSIGN, USE_ROOT } type_use;

/* An open structure or variant. They may nest deeper than a stack is, so they lie on a heap. */
typedef struct body {
    uint32_t place;
    uint32_t name;         /* word; UINT32_MAX: none */
    uint32_t first_member; /* in tsdl.members */
    uint32_t scope;
    const ctf_location *selector; /* of variants, and ... */
    const ctf_class *tag;         /* ... the type of that field; NULL: not known yet */
    bool is_variant, is_reusable; /* a type with a name may be used elsewhere, too */
    type_use use;                 /* of the type that is being read within */
} body;

/* A length that is an entry of the environment. */
typedef struct env_length {
    ctf_class *array;
    uint32_t word, place;
} env_length;

/* Of each clock of the schema: where it is declared, or first referred to. */
typedef struct clock_state {
    uint32_t place;
    bool is_declared;
} clock_state;

/* One pair of brackets after a name. */
typedef struct dimension {
    uint64_t length;
    const ctf_location *length_at; /* NULL: it is `length`, or `env` */
    uint32_t env;                  /* word; UINT32_MAX: none */
    uint32_t place;
} dimension;

/* A timestamp in a header: its clock, when none was said, is known at the end. */
typedef struct timestamp {
    ctf_stream_class *stream;
    ctf_class *type;
    uint32_t place;
} timestamp;

/* An event whose stream is not known yet. */
typedef struct late_event {
    ctf_event_class event;
    uint64_t stream_id;
    bool has_stream_id;
} late_event;

typedef struct path_step {
    uint32_t word, place;
} path_step;

/* A growing table. */
typedef struct table {
    void *items;
    uint32_t count, capacity;
} table;

typedef struct tsdl {
    lexer lex;
    metadata *m;
    ctf_schema *schema;
    table symbols; /* symbol; innermost last */
    uint32_t scope;
    table bodies;                  /* body; innermost last */
    table members;                 /* ctf_member of all open bodies */
    table mappings;                /* ctf_mapping of the open enumeration, and ... */
    table ranges;                  /* ... its label_range */
    table dimensions;              /* dimension, of the open declarator */
    table clocks;                  /* clock_state */
    table path;                    /* path_step of the reference that is being read */
    table env_lengths;             /* env_length */
    table timestamps;              /* timestamp */
    table late_events;             /* late_event */
    uint32_t homeless_place;       /* of the first event without a stream_id; UINT32_MAX: none */
    table key;                     /* char: the words of a type's name, joined */
    ctf_scope assigned;            /* the scope whose type is being read; CTF_SCOPE_COUNT: none */
    uint32_t assigned_scope;       /* number of the scope of its structure; 0: none is open */
    uint32_t reusable_count;       /* open types with a name, below that structure */
    const ctf_class *unselectable; /* the variant that was read last, when no label selects it */
    bool is_defined;               /* the type that was read last has a body of its own */
    bool has_trace;
    uint32_t role_work; /* fields that roles were looked for in */
    class_pool classes;
} tsdl;

#define TABLE_AT(table, type, index) ((type *)(table).items + (index))
#define TABLE_LAST(table, type)      TABLE_AT(table, type, (table).count - 1)

/* Room for one more, not cleared; NULL if out of memory. */
void *tsdl_add(table *t, size_t size);

/* ---- Findings; always false ---- */

__attribute__((format(printf, 5, 6))) bool tsdl_fail(tsdl *p, ctf_code code, uint32_t place,
                                                     const char *expected, const char *found, ...);

/* The current token is not what is expected. */
bool tsdl_unexpected(tsdl *p, const char *expected);

/* ---- Tokens ---- */

static inline const token *tsdl_token(const tsdl *p)
{
    return &p->lex.token;
}

static inline bool tsdl_next(tsdl *p)
{
    return lexer_next(&p->lex);
}

static inline bool tsdl_is_mark(const tsdl *p, char mark)
{
    return p->lex.token.kind == TOKEN_MARK && p->lex.token.mark == mark;
}

static inline bool tsdl_is_word(const tsdl *p, tsdl_word word)
{
    return p->lex.token.kind == TOKEN_WORD && p->lex.token.word == word;
}

/* A word that may be a name: no keyword. */
static inline bool tsdl_is_name(const tsdl *p)
{
    return p->lex.token.kind == TOKEN_WORD && p->lex.token.word >= WORD_KEYWORD_COUNT;
}

static inline ctf_text tsdl_text(const tsdl *p, uint32_t word)
{
    return p->lex.words[word].text;
}

/* Steps over the mark, which must be there. */
bool tsdl_take_mark(tsdl *p, char mark);

/* Words joined by dots: their word ("event.header") and the steps in p->path. */
bool tsdl_take_path(tsdl *p, uint32_t *word);

/* Appends to p->key. Returns false if out of memory. */
bool tsdl_key_add(tsdl *p, ctf_text text);

/* ---- Scopes (tsdl_scope.c) ---- */

void scope_push(tsdl *p);
void scope_pop(tsdl *p);

/* NULL: the name stands for nothing of this kind. */
const symbol *scope_find(const tsdl *p, symbol_kind kind, uint32_t word);

/* False: it has a meaning in this very scope, which was reported; or memory. */
bool scope_define(tsdl *p, symbol_kind kind, uint32_t word, const ctf_class *type, uint32_t place);

/* ---- Attributes: NAME = VALUE; ---- */

typedef enum value_kind { VALUE_INTEGER, VALUE_TEXT, VALUE_WORD, VALUE_TYPE } value_kind;

typedef struct attribute {
    uint32_t name; /* word */
    uint32_t place, value_place;
    value_kind kind;
    bool is_negative;
    uint64_t magnitude;
    ctf_text text;         /* of TEXT and WORD */
    uint32_t word;         /* of WORD: with its dots */
    const ctf_class *type; /* of TYPE, which follows := */
    uint32_t path_count;   /* of WORD: steps in p->path */
} attribute;

typedef enum attribute_result { ATTRIBUTE_DONE, ATTRIBUTE_BAD, ATTRIBUTE_UNKNOWN } attribute_result;

typedef attribute_result attribute_fn(tsdl *p, const attribute *a, void *user);

/*
 * Reads { ... } from the opening brace on. `name` is of the block, for findings. Attributes that
 * `fn` knows may come once, others are warned of. `open` blocks may also declare types.
 */
typedef struct block {
    const char *name;
    attribute_fn *fn;
    void *user;
    bool is_open;
    uint64_t seen; /* out: bit WORD of each known attribute that was there */
} block;

bool tsdl_block(tsdl *p, block *b);

static inline bool block_has(const block *b, uint32_t word)
{
    return b->seen >> word & 1;
}

/* Values; what is something else is reported. */
bool tsdl_value_u64(tsdl *p, const attribute *a, uint64_t *value);
bool tsdl_value_i64(tsdl *p, const attribute *a, int64_t *value);
bool tsdl_value_bool(tsdl *p, const attribute *a, bool *value);
bool tsdl_value_text(tsdl *p, const attribute *a, ctf_text *text); /* in quotes */
bool tsdl_value_name(tsdl *p, const attribute *a, ctf_text *text); /* or a word */
bool tsdl_value_uuid(tsdl *p, const attribute *a, uint8_t uuid[16]);
bool tsdl_value_align(tsdl *p, const attribute *a, uint32_t *alignment);
attribute_result tsdl_value_wrong(tsdl *p, const attribute *a, const char *expected);

static inline attribute_result tsdl_value_done(bool good)
{
    return good ? ATTRIBUTE_DONE : ATTRIBUTE_BAD;
}

/* Reads the type of a scope: "fields := struct { ... }". */
bool tsdl_scope_type(tsdl *p, const attribute *a, ctf_stream_class *stream, const ctf_class **type);

/* "value" as findings show it. */
#define FOUND_SIZE 80
const char *tsdl_value_shown(const attribute *a, char text[FOUND_SIZE]);

/* le, be, network, native; false: it is none. */
bool tsdl_byte_order(const tsdl *p, ctf_text text, bool allows_native, bool *is_big_endian);

/* ---- Types ---- */

/* The token is the keyword; each steps after its type. */
bool tsdl_integer(tsdl *p, const ctf_class **type);
bool tsdl_float(tsdl *p, const ctf_class **type);
bool tsdl_string(tsdl *p, const ctf_class **type);
bool tsdl_enum(tsdl *p, const ctf_class **type);

/* A type by words: "unsigned long", "my_type"; with the stars after it. */
bool tsdl_named_type(tsdl *p, const ctf_class **type);

/* The type as one that pointers are of, whatever it says: integers are shown as addresses. Returns
 * NULL if out of memory. */
const ctf_class *tsdl_pointer(tsdl *p, const ctf_class *type);

/* One type for a use, up to what follows it; with all that nests in it. */
bool tsdl_type(tsdl *p, type_use use, const ctf_class **type);

/* typedef, typealias, or a type that stands alone; with its semicolon. */
bool tsdl_declaration(tsdl *p);
bool tsdl_is_declaration(const tsdl *p);

/* The environment says that LTTng made the trace. */
bool tsdl_is_lttng(const tsdl *p);

/* The clock of that name; one that is only declared later is made now. Returns NULL if out of
 * memory. */
ctf_clock *tsdl_clock(tsdl *p, uint32_t word, uint32_t place);

/* A power of two of at most 2^30 bits. */
bool tsdl_is_alignment(uint64_t value);

/* The words of a type's name: one of the trace's own, or C's; with the stars after it. */
bool tsdl_type_name(tsdl *p, uint32_t *word);

/* The reference in p->path as a location; `tag` is the type of the field where it is known. Returns
 * NULL after reporting, or if out of memory. */
const ctf_location *tsdl_location(tsdl *p, bool is_reusable, const ctf_class **tag);

/* ---- Roles (tsdl_role.c) ---- */

/* The type of a scope with the roles of its fields. Returns NULL after reporting, or if out of
 * memory. */
const ctf_class *tsdl_with_roles(tsdl *p, const ctf_class *type, ctf_scope scope,
                                 ctf_stream_class *stream);

/* Whether a field of the structure has the role; NULL: none has. */
bool tsdl_has_role(const ctf_class *type, uint16_t role);

/* ---- Blocks (tsdl_block.c) ---- */

/* A block of the root or a declaration. */
bool tsdl_root(tsdl *p);

/* Adds an event class to its stream class. */
bool tsdl_event_give(tsdl *p, const ctf_event_class *event, uint64_t stream_id);

/* ---- The end (tsdl_finish.c) ---- */

/* Completes what is known only once all of the metadata is read. */
bool tsdl_finish(tsdl *p);

#endif
