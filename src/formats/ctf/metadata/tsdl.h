/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of TSDL: one pass over the tokens, which makes classes at once, without a syntax tree.
 * Things that may be declared after their use (clocks, streams, the environment) are looked up at
 * the end.
 *
 *    tsdl_lex.c     tokens, words
 *    tsdl_scope.c   what names stand for: types, fields, clocks
 *    tsdl_scalar.c  integer, floating_point, string, enum
 *    tsdl_type.c    struct, variant, arrays, references; typedef and typealias
 *    tsdl_block.c   trace, env, clock, stream, event, callsite
 *    tsdl_value.c   attributes and values of these
 *    tsdl_finish.c  what is known only once all of the text is read
 *    tsdl_role.c    what fields mean by their reserved names
 */
#ifndef CTF_TSDL_H
#define CTF_TSDL_H

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/tsdl_lex.h"
#include "formats/ctf/schema/class_pool.h"

/* A meaning of a name in one scope. Scope 0 is the root; blocks, and the bodies of structures and
   variants, are one deeper than what is around them. */
typedef struct symbol {
    const ctf_class *type;
    uint32_t number; /* of a label: number of its mapping */
    uint32_t word;
    uint32_t shadowed; /* 1 + number of the symbol that this one hides; 0 for none */
    uint32_t scope;
    symbol_kind kind;
} symbol;

/* What a type that is read is used for. */
typedef enum type_use { USE_MEMBER, USE_TYPEDEF, USE_ALIAS, USE_ASSIGN, USE_ROOT } type_use;

/* An open structure or variant. They are kept in a table, as they may nest deeper than the stack
   allows. */
typedef struct body {
    uint32_t place;
    uint32_t name;         /* number of the word that names it; UINT32_MAX if it has no name */
    uint32_t first_member; /* index in tsdl.members */
    uint32_t scope;
    const ctf_location *selector; /* of variants: the field that selects */
    const ctf_class *tag;         /* type of the field that selects; NULL if it is not known yet */
    bool is_variant, is_reusable; /* `is_reusable`: a type with a name may be used elsewhere, too */
    type_use use;                 /* use of the type that is read inside of it */
} body;

/* An array whose length is an entry of the environment, which may be declared later. */
typedef struct env_length {
    ctf_class *array;
    uint32_t word, place;
} env_length;

/* State of each clock of the schema: the place where it is declared, or else where it is first
   referred to. */
typedef struct clock_state {
    uint32_t place;
    bool is_declared;
} clock_state;

/* One pair of brackets after a name. */
typedef struct dimension {
    uint64_t length;
    const ctf_location *length_at; /* NULL: the length is `length`, or that of `env` */
    uint32_t env;                  /* word of the environment's entry; UINT32_MAX if it is none */
    uint32_t place;
} dimension;

/* A timestamp in a header whose type names no clock: the clock is only known at the end. */
typedef struct timestamp {
    ctf_stream_class *stream;
    ctf_class *type;
    uint32_t place;
} timestamp;

/* An event whose stream has not been declared yet. */
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
    table symbols; /* symbols; those of the innermost scope last */
    uint32_t scope;
    table bodies;      /* bodies; the innermost last */
    table members;     /* ctf_members of all open bodies */
    table mappings;    /* ctf_mappings of the open enumeration */
    table ranges;      /* label_ranges of the open enumeration */
    table dimensions;  /* dimensions of the open declarator */
    table clocks;      /* clock_states, by number of the clock */
    table path;        /* path_steps of the reference that is read */
    table env_lengths; /* env_lengths */
    table timestamps;  /* timestamps */
    table late_events; /* late_events */
    /* Place of the first event without a stream_id; UINT32_MAX if there is none. */
    uint32_t homeless_place;
    table key;               /* characters: the words of a type's name, joined */
    ctf_scope assigned;      /* Scope whose type is read; CTF_SCOPE_COUNT if it is none. */
    uint32_t assigned_scope; /* Number of the scope of that type's structure; 0 if none is open. */
    uint32_t reusable_count; /* open types with a name, inside of that structure */
    /* The variant that was read last, if no label selects any of its options. */
    const ctf_class *unselectable;
    bool is_defined; /* the type that was read last has a body of its own */
    bool has_trace;
    uint32_t role_work; /* fields that were searched for roles, against ROLE_WORK_MAX */
    class_pool classes;
} tsdl;

#define TABLE_AT(table, type, index) ((type *)(table).items + (index))
#define TABLE_LAST(table, type)      TABLE_AT(table, type, (table).count - 1)

/* Makes room for one more element, not zeroed. Returns NULL if out of memory. */
void *tsdl_add(table *t, size_t size);

/* ---- Findings: these functions always return false ---- */

__attribute__((format(printf, 5, 6))) bool tsdl_fail(tsdl *p, ctf_code code, uint32_t place,
                                                     const char *expected, const char *found, ...);

/* Reports that the current token is not what is expected. */
bool tsdl_unexpected(tsdl *p, const char *expected);

/* ---- The current token ---- */

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

/* Whether the current token is a word that may be a name, not a keyword. */
static inline bool tsdl_is_name(const tsdl *p)
{
    return p->lex.token.kind == TOKEN_WORD && p->lex.token.word >= WORD_KEYWORD_COUNT;
}

static inline ctf_text tsdl_text(const tsdl *p, uint32_t word)
{
    return p->lex.words[word].text;
}

/* Steps over the mark, which must be the current token. Returns false after reporting. */
bool tsdl_take_mark(tsdl *p, char mark);

/* Reads words joined by dots. Gives the number of the joined word ("event.header") and the steps in
   p->path. */
bool tsdl_take_path(tsdl *p, uint32_t *word);

/* Appends to p->key. Returns false if out of memory. */
bool tsdl_key_add(tsdl *p, ctf_text text);

/* ---- Scopes (tsdl_scope.c) ---- */

void scope_push(tsdl *p);
void scope_pop(tsdl *p);

/* Returns NULL if the name stands for nothing of this kind. */
const symbol *scope_find(const tsdl *p, symbol_kind kind, uint32_t word);

/* Gives a name a meaning in the current scope. Returns false if it has one there already, which was
   reported, or if out of memory. */
bool scope_define(tsdl *p, symbol_kind kind, uint32_t word, const ctf_class *type, uint32_t place);

/* ---- Attributes of blocks: NAME = VALUE; ---- */

typedef enum value_kind { VALUE_INTEGER, VALUE_TEXT, VALUE_WORD, VALUE_TYPE } value_kind;

typedef struct attribute {
    uint32_t name; /* number of the word */
    uint32_t place, value_place;
    value_kind kind;
    bool is_negative;
    uint64_t magnitude;
    ctf_text text;         /* of VALUE_TEXT and VALUE_WORD */
    uint32_t word;         /* of VALUE_WORD: including its dots */
    const ctf_class *type; /* of VALUE_TYPE, which follows := */
    uint32_t path_count;   /* of VALUE_WORD: number of steps in p->path */
} attribute;

typedef enum attribute_result { ATTRIBUTE_DONE, ATTRIBUTE_BAD, ATTRIBUTE_UNKNOWN } attribute_result;

typedef attribute_result attribute_fn(tsdl *p, const attribute *a, void *user);

/*
 * Reads { ... } from the opening brace on. `name` is that of the block, for findings. Attributes
 * that `fn` knows may occur once, others give a warning. Blocks with `is_open` may also declare
 * types.
 */
typedef struct block {
    const char *name;
    attribute_fn *fn;
    void *user;
    bool is_open;
    uint64_t seen; /* result: bit WORD_... of each known attribute that was read */
} block;

bool tsdl_block(tsdl *p, block *b);

static inline bool block_has(const block *b, uint32_t word)
{
    return b->seen >> word & 1;
}

/* These give the value of an attribute. Values of another kind are reported. */
bool tsdl_value_u64(tsdl *p, const attribute *a, uint64_t *value);
bool tsdl_value_i64(tsdl *p, const attribute *a, int64_t *value);
bool tsdl_value_bool(tsdl *p, const attribute *a, bool *value);
bool tsdl_value_text(tsdl *p, const attribute *a, ctf_text *text); /* a text in quotes */
bool tsdl_value_name(tsdl *p, const attribute *a, ctf_text *text); /* a text in quotes or a word */
bool tsdl_value_uuid(tsdl *p, const attribute *a, uint8_t uuid[16]);
bool tsdl_value_align(tsdl *p, const attribute *a, uint32_t *alignment);
attribute_result tsdl_value_wrong(tsdl *p, const attribute *a, const char *expected);

static inline attribute_result tsdl_value_done(bool good)
{
    return good ? ATTRIBUTE_DONE : ATTRIBUTE_BAD;
}

/* Reads the type of a scope, such as "fields := struct { ... }". */
bool tsdl_scope_type(tsdl *p, const attribute *a, ctf_stream_class *stream, const ctf_class **type);

/* Writes the value of an attribute as findings show it. */
#define FOUND_SIZE 80
const char *tsdl_value_shown(const attribute *a, char text[FOUND_SIZE]);

/* Reads le, be, network or native. Returns false if the text is something else. */
bool tsdl_byte_order(const tsdl *p, ctf_text text, bool allows_native, bool *is_big_endian);

/* ---- Types: the current token is the first of the type ---- */

/* The current token is the keyword of the type; each function steps over the type. */
bool tsdl_integer(tsdl *p, const ctf_class **type);
bool tsdl_float(tsdl *p, const ctf_class **type);
bool tsdl_string(tsdl *p, const ctf_class **type);
bool tsdl_enum(tsdl *p, const ctf_class **type);

/* Reads a type named by words, such as "unsigned long" or "my_type", and the stars after it. */
bool tsdl_named_type(tsdl *p, const ctf_class **type);

/* Returns the type for a pointer to `type`: integers are shown as addresses. Returns NULL if out of
   memory. */
const ctf_class *tsdl_pointer(tsdl *p, const ctf_class *type);

/* Reads one type, including all types that nest in it, up to what follows it. */
bool tsdl_type(tsdl *p, type_use use, const ctf_class **type);

/* Reads a typedef, a typealias or a type that stands alone, and its semicolon. */
bool tsdl_declaration(tsdl *p);
bool tsdl_is_declaration(const tsdl *p);

/* Whether the environment says that LTTng recorded the trace. */
bool tsdl_is_lttng(const tsdl *p);

/* Returns the clock of that name; a clock that is declared later is made now. Returns NULL if out
   of memory. */
ctf_clock *tsdl_clock(tsdl *p, uint32_t word, uint32_t place);

/* Whether the value is a power of two of at most 2^30 bits. */
bool tsdl_is_alignment(uint64_t value);

/* Reads the words of a type's name, which is one of the trace's own or of C, and the stars after
   it. */
bool tsdl_type_name(tsdl *p, uint32_t *word);

/* Returns the reference in p->path as a location; `tag` is set to the type of the field if it is
   known. Returns NULL after reporting, or if out of memory. */
const ctf_location *tsdl_location(tsdl *p, bool is_reusable, const ctf_class **tag);

/* ---- Roles of fields (tsdl_role.c) ---- */

/* Returns the type of a scope with the roles of its fields. Returns NULL after reporting, or if out
   of memory. */
const ctf_class *tsdl_with_roles(tsdl *p, const ctf_class *type, ctf_scope scope,
                                 ctf_stream_class *stream);

/* Whether a field of the structure has the role; false if `type` is NULL. */
bool tsdl_has_role(const ctf_class *type, uint16_t role);

/* ---- Blocks of the root (tsdl_block.c) ---- */

/* Reads a block of the root, or a declaration. */
bool tsdl_root(tsdl *p);

/* Adds an event class to its stream class. */
bool tsdl_event_give(tsdl *p, const ctf_event_class *event, uint64_t stream_id);

/* ---- The end of the text (tsdl_finish.c) ---- */

/* Completes what is only known once all of the text is read. */
bool tsdl_finish(tsdl *p);

#endif
