/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xtrace: AArch64 instruction traces, as tokens and snapshots; the headers of events are not
 * needed. The instructions are a sequence of tokens (xinsndata); the register snapshots (xsnapshot)
 * are in a file of their own. The caller holds the bytes:
 *
 *     stele_xtrace_tokens_make(&dialect, &tokens);                       (once)
 *     size = stele_xtrace_token_size(&tokens, bytes, left);
 *     if (size != 0 && size <= left)
 *         stele_xtrace_token_decode(&tokens, bytes, size, &token);
 *
 * Nothing here allocates or keeps state. Pointers that a decoder returns point into the caller's
 * bytes. No function reads outside of what it was given. All may be called from any thread.
 */
#ifndef STELE_XTRACE_H
#define STELE_XTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stele/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tokens of instructions ------------------------------------------------------------------ */

/* Kinds of tokens. */
typedef enum stele_xtrace_kind {
    STELE_XTRACE_NONE = 0, /* no token begins with this byte */
    STELE_XTRACE_INST,
    STELE_XTRACE_PCINST,
    STELE_XTRACE_LOAD,
    STELE_XTRACE_STORE,
    STELE_XTRACE_STXR,
    STELE_XTRACE_MRS,
    STELE_XTRACE_SVCARG,
    STELE_XTRACE_SVCRET,
    STELE_XTRACE_DC,
    STELE_XTRACE_TARGET_B,
    STELE_XTRACE_ALLGPR,
    STELE_XTRACE_MISC_FLAGS,
    STELE_XTRACE_SYSCALL_VEC,
    STELE_XTRACE_TIME,
    /* A code that the format does not describe, and whose size the dialect gives. */
    STELE_XTRACE_SKIPPED
} stele_xtrace_kind;

/* What the format's description leaves open. The standard dialect is STELE_XTRACE_STANDARD_DIALECT,
   not zeros. */
typedef struct stele_xtrace_dialect {
    uint8_t time_size; /* bytes of the payload of TIME: 8, 4, 16 or 0 */
    /* Bytes of the payload of SVCARG: 8, or 56 with all seven values in one token. */
    uint8_t svcarg_size;
    /* Bytes of the payload of the token 04, STELE_XTRACE_MISC_MAX at most; 0: not known, so that
       the token cannot be skipped. */
    uint16_t misc0_size;
    uint16_t misc2_size; /* the same of the token 14 */
    bool has_levels;     /* VAL, MISC and TIME have the exception level in their upper two bits */
} stele_xtrace_dialect;

#define STELE_XTRACE_STANDARD_DIALECT \
    {                                 \
        8, 8, 0, 0, false             \
    }

#define STELE_XTRACE_GPR_COUNT 32u /* registers of ALLGPR: X0 to X30, and the stack pointer */
/* Bytes that the payload of the tokens 04 and 14 can have. */
#define STELE_XTRACE_MISC_MAX   4096u
#define STELE_XTRACE_IOVECS_MAX 1024u /* vectors of one SYSCALL_VEC: as many as Linux takes */
#define STELE_XTRACE_VALUE_MAX  256u  /* bytes of one access: a vector of 2048 bits */

/* By a token's first byte: the token's size (of SYSCALL_VEC without its vectors) and its kind. */
typedef struct stele_xtrace_tokens {
    uint16_t sizes[256]; /* in bytes; 0: no token begins with this byte */
    uint8_t kinds[256];
} stele_xtrace_tokens;

/* A decoded token; the comments say which kinds have a member. */
typedef struct stele_xtrace_token {
    stele_xtrace_kind kind;
    uint8_t level;    /* INST, PCINST: exception level, 0 to 3 */
    uint32_t opcode;  /* INST, PCINST */
    uint64_t pc;      /* PCINST */
    uint64_t address; /* LOAD, STORE */
    /* The value of kinds with one value; LOAD, STORE: the first 8 bytes that were transferred;
       SYSCALL_VEC: the number of vectors. */
    uint64_t value;
    /* LOAD, STORE: the bytes that were transferred; ALLGPR, SVCARG: registers; SYSCALL_VEC: pairs
       of base and length. All are little-endian. */
    const uint8_t *payload;
    size_t payload_size;
} stele_xtrace_token;

/* Makes the tables that the functions below need, once for a dialect. */
STELE_API void stele_xtrace_tokens_make(const stele_xtrace_dialect *dialect,
                                        stele_xtrace_tokens *tokens);

/* Returns the size in bytes of the token that begins at `bytes`; if less than 9 bytes of a
   SYSCALL_VEC are there, the size of its head. 0: no token begins here, or the token is not valid
   (too many vectors, a PC that cannot be). */
STELE_API size_t stele_xtrace_token_size(const stele_xtrace_tokens *tokens, const void *bytes,
                                         size_t left);

/* Decodes a token whose `size` bytes are all there. */
STELE_API void stele_xtrace_token_decode(const stele_xtrace_tokens *tokens, const void *bytes,
                                         size_t size, stele_xtrace_token *token);

/* Bytes of the longest token: SYSCALL_VEC with as many vectors as it can have. */
#define STELE_XTRACE_TOKEN_MAX (9u + STELE_XTRACE_IOVECS_MAX * 16u)

/* Encodes a token of the standard dialect and returns its size, STELE_XTRACE_TOKEN_MAX at most.
   Returns 0 if the token is not valid: its payload has another size than its kind requires, or the
   kind is NONE or SKIPPED. */
STELE_API size_t stele_xtrace_token_encode(const stele_xtrace_token *token, void *bytes);

/* "PCINST", "LOAD", ...; "" for NONE. */
STELE_API const char *stele_xtrace_kind_text(stele_xtrace_kind kind);

/* ---- Snapshots of registers ------------------------------------------------------------------ */

/* Which instructions the distance between snapshots counts. */
typedef enum stele_xtrace_division {
    STELE_XTRACE_BY_USER = 0, /* instructions of user mode */
    STELE_XTRACE_BY_TOTAL = 1 /* all instructions */
} stele_xtrace_division;

/* The header of a snapshot file: 24 bytes as a rule. The packed header of 19 bytes has the same
   members, and a file without header has zeros. */
typedef struct stele_xtrace_header {
    uint32_t flag;
    uint32_t global_snapshot; /* number of the snapshot at which all threads start together */
    uint64_t version;
    uint8_t division;  /* stele_xtrace_division */
    uint8_t is_core;   /* 0: a thread's stream, 1: a core's */
    uint8_t has_order; /* the trace has TIME tokens */
} stele_xtrace_header;

/* Where the parts of a snapshot are, as offsets and sizes in bytes. */
typedef struct stele_xtrace_layout {
    uint32_t header_size;          /* of the file: 24, 19, 32, or 0 */
    uint32_t vl_bits;              /* length of an SVE vector in bits: 128 to 2048 */
    uint32_t z, z_stride;          /* offset of Z0, and from one Z register to the next */
    uint32_t p, p_stride, p_count; /* offset of P0, from one P register to the next, number */
    uint32_t ffr;                  /* offset of FFR */
    uint32_t za, za_size;          /* offset and size of ZA */
    /* Offset of the system registers. fpcr, fpsr and nzcv have fp_size bytes each, the others 8. */
    uint32_t system, fp_size;
    /* Bytes between nzcv and tpidr_el0: 0, or 4 in a C structure with registers of 4 bytes that was
       written as it lies in memory. */
    uint32_t fp_padding;
    uint32_t size; /* of a snapshot */
} stele_xtrace_layout;

/* System registers of a snapshot. */
enum { STELE_XTRACE_SYSTEM_COUNT = 11 };

/* "fpcr", "fpsr", "nzcv", "tpidr_el0", ... "daif"; NULL if there is no such register. */
STELE_API const char *stele_xtrace_system_text(size_t index);

/* A decoded snapshot. */
typedef struct stele_xtrace_snapshot {
    uint64_t file_number;
    uint64_t index;                   /* offset in xinsndata of the next instruction's token */
    uint64_t user_count, total_count; /* instructions before the snapshot: of user mode, and all */
    const uint8_t *x, *z, *p, *ffr, *za; /* bytes of the registers, arranged as in the layout */
    uint64_t system[STELE_XTRACE_SYSTEM_COUNT];
    uint64_t vl_bits; /* as written in the snapshot */
} stele_xtrace_snapshot;

/* Decodes a header of 19, 24 or 32 bytes. */
STELE_API void stele_xtrace_header_decode(const void *bytes, stele_xtrace_header *header);

/* Encodes a header of `header_size` bytes: 0, 19, 24 or 32, where the rest is filled with zeros. */
STELE_API void stele_xtrace_header_encode(const stele_xtrace_header *header, uint32_t header_size,
                                          void *bytes);

/* The layout that the format's description is understood to define, for a vector length in bits. */
STELE_API stele_xtrace_layout stele_xtrace_layout_standard(uint32_t header_size, uint32_t vl_bits);

/* The layout of snapshots in which registers have the fixed sizes that QEMU uses, regardless of the
   vector length. */
STELE_API stele_xtrace_layout stele_xtrace_layout_qemu(uint32_t header_size, uint32_t vl_bits);

/* In members of `known` of stele_xtrace_layout_detect(): to be found. */
#define STELE_XTRACE_ANY UINT32_MAX

/*
 * Finds the layout of a snapshot file by its first bytes and, if `file_size` is not 0, by its size.
 * In the right layout each snapshot ends with its vector length and the counts rise, or two of
 * three snapshots end so; the more snapshots are given, the surer is the result. Members of
 * `known`, which may be NULL, that are not STELE_XTRACE_ANY are taken as they are: header_size,
 * vl_bits, z_stride, p_stride, p_count, za_size, fp_size, fp_padding. If `known` has vl_bits and
 * `file_size` is 0, a layout is returned even if none fits, with usual values for the rest. Returns
 * false if no layout was found.
 */
STELE_API bool stele_xtrace_layout_detect(const void *bytes, size_t size, uint64_t file_size,
                                          const stele_xtrace_layout *known,
                                          stele_xtrace_layout *layout);

/* Decodes a snapshot of layout->size bytes. */
STELE_API void stele_xtrace_snapshot_decode(const stele_xtrace_layout *layout, const void *bytes,
                                            stele_xtrace_snapshot *snapshot);

/* Encodes a snapshot to layout->size bytes; x, z, p, ffr and za have the sizes of the layout. */
STELE_API void stele_xtrace_snapshot_encode(const stele_xtrace_layout *layout,
                                            const stele_xtrace_snapshot *snapshot, void *bytes);

/* Computes the offsets of a layout from its sizes and numbers. */
STELE_API stele_xtrace_layout stele_xtrace_layout_place(const stele_xtrace_layout *sizes);

#ifdef __cplusplus
}
#endif
#endif
