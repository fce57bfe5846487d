/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xtrace: AArch64 instruction traces, as tokens and snapshots, without any of the common model. The
 * instructions are a plain run of tokens (xinsndata); the register snapshots (xsnapshot) are a file
 * of their own. The caller holds the bytes:
 *
 *     stele_xtrace_tokens_make(&dialect, &tokens);                       (once)
 *     size = stele_xtrace_token_size(&tokens, bytes, left);
 *     if (size != 0 && size <= left)
 *         stele_xtrace_token_decode(&tokens, bytes, size, &token);
 *
 * Nothing here allocates or keeps state. What a decoder gives points into the caller's bytes and
 * holds as long as they do. No function reads outside of what it was given.
 * All may be called from any thread.
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

/* ---- Tokens ---------------------------------------------------------------------------------- */

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
    STELE_XTRACE_SKIPPED /* a code without description whose size the dialect gives */
} stele_xtrace_kind;

/* What the format's description leaves open. Zeros are not the standard dialect. */
typedef struct stele_xtrace_dialect {
    uint8_t time_size;   /* payload of TIME: 8, 4, 16 or 0 bytes */
    uint8_t svcarg_size; /* payload of SVCARG: 8, or 56 with all seven values in one token */
    uint16_t
        misc0_size; /* payload of the tokens 04 and 14, STELE_XTRACE_MISC_MAX at most; 0: not */
    uint16_t misc2_size; /* known, so that they cannot be stepped over */
    bool has_levels;     /* VAL, MISC and TIME have the exception level in their upper two bits */
} stele_xtrace_dialect;

#define STELE_XTRACE_STANDARD_DIALECT    \
    {                                    \
        .time_size = 8, .svcarg_size = 8 \
    }

#define STELE_XTRACE_GPR_COUNT  32u /* X0 to X30, and the stack pointer */
#define STELE_XTRACE_MISC_MAX   4096u
#define STELE_XTRACE_IOVECS_MAX 1024u /* of one token: what Linux takes */
#define STELE_XTRACE_VALUE_MAX  256u  /* bytes of one access: a vector of 2048 bits */

/* By a token's first byte: its whole size (of SYSCALL_VEC without its vectors) and its kind. */
typedef struct stele_xtrace_tokens {
    uint16_t sizes[256]; /* 0: no token */
    uint8_t kinds[256];
} stele_xtrace_tokens;

typedef struct stele_xtrace_token {
    stele_xtrace_kind kind;
    uint8_t level;          /* INST, PCINST: exception level, 0 to 3 */
    uint32_t opcode;        /* INST, PCINST */
    uint64_t pc;            /* PCINST */
    uint64_t address;       /* LOAD, STORE */
    uint64_t value;         /* of the kinds with one value; LOAD, STORE: its first 8 bytes;
                               SYSCALL_VEC: how many vectors */
    const uint8_t *payload; /* LOAD, STORE: value; ALLGPR, SVCARG: registers; SYSCALL_VEC: pairs of
                               base and length; all little-endian */
    size_t payload_size;
} stele_xtrace_token;

STELE_API void stele_xtrace_tokens_make(const stele_xtrace_dialect *dialect,
                                        stele_xtrace_tokens *tokens);

/* The size of the token that begins here, or, with less than 9 bytes of a SYSCALL_VEC, that of its
   head. 0: no token begins here, or one that cannot be (too many vectors, a PC that is none). */
STELE_API size_t stele_xtrace_token_size(const stele_xtrace_tokens *tokens, const void *bytes,
                                         size_t left);

/* Decodes a token of which all `size` bytes are there. */
STELE_API void stele_xtrace_token_decode(const stele_xtrace_tokens *tokens, const void *bytes,
                                         size_t size, stele_xtrace_token *token);

/* The longest token: SYSCALL_VEC with all vectors that it can have. */
#define STELE_XTRACE_TOKEN_MAX (9u + STELE_XTRACE_IOVECS_MAX * 16u)

/*
 * Encodes a token of the standard dialect and gives its size, STELE_XTRACE_TOKEN_MAX at most. 0 for
 * what cannot be: a payload of another size than the kind's, NONE and SKIPPED.
 */
STELE_API size_t stele_xtrace_token_encode(const stele_xtrace_token *token, void *bytes);

/* "PCINST", "LOAD", ...; "" for NONE. */
STELE_API const char *stele_xtrace_kind_text(stele_xtrace_kind kind);

/* ---- Snapshots ------------------------------------------------------------------------------- */

typedef enum stele_xtrace_division { /* what the distance of snapshots counts */
                                     STELE_XTRACE_BY_USER = 0, /* instructions of user mode */
                                     STELE_XTRACE_BY_TOTAL = 1
} stele_xtrace_division;

/* 24 bytes as a rule; of the packed layout (19 bytes) and with no header at all the same. */
typedef struct stele_xtrace_header {
    uint32_t flag;
    uint32_t global_snapshot; /* number of the snapshot at which all threads start together */
    uint64_t version;
    uint8_t division;  /* stele_xtrace_division */
    uint8_t is_core;   /* 0: a thread's stream, 1: a core's */
    uint8_t has_order; /* TIME tokens are there */
} stele_xtrace_header;

/* Where the parts of a snapshot lie, in bytes. */
typedef struct stele_xtrace_layout {
    uint32_t header_size; /* 24, 19, 32, or 0 */
    uint32_t vl_bits;     /* vector length: 128 to 2048 */
    uint32_t z, z_stride; /* offset in the snapshot; from register to register */
    uint32_t p, p_stride, p_count;
    uint32_t ffr;
    uint32_t za, za_size;
    uint32_t system, fp_size; /* fpcr, fpsr and nzcv have fp_size bytes each, the others 8 */
    uint32_t fp_padding;      /* bytes between nzcv and tpidr_el0: 0, or 4 where a C structure with
                                 registers of 4 bytes was written as it lies in memory */
    uint32_t size;
} stele_xtrace_layout;

enum { STELE_XTRACE_SYSTEM_COUNT = 11 };

/* "fpcr", "fpsr", "nzcv", "tpidr_el0", ... "daif"; NULL past the end. */
STELE_API const char *stele_xtrace_system_text(size_t index);

typedef struct stele_xtrace_snapshot {
    uint64_t file_number;
    uint64_t index;                      /* offset in xinsndata of the next instruction's token */
    uint64_t user_count, total_count;    /* of the instructions before it */
    const uint8_t *x, *z, *p, *ffr, *za; /* as the layout says */
    uint64_t system[STELE_XTRACE_SYSTEM_COUNT];
    uint64_t vl_bits; /* as written */
} stele_xtrace_snapshot;

/* Decodes a header of `header_size` bytes: 19, 24 or 32. */
STELE_API void stele_xtrace_header_decode(const void *bytes, stele_xtrace_header *header);

/* Encodes a header of `header_size` bytes: 0, 19, 24 or 32, of which the last are zeros. */
STELE_API void stele_xtrace_header_encode(const stele_xtrace_header *header, uint32_t header_size,
                                          void *bytes);

/* The layout that this format's description is taken to mean, for a vector length in bits. */
STELE_API stele_xtrace_layout stele_xtrace_layout_standard(uint32_t header_size, uint32_t vl_bits);

/* The fixed sizes that QEMU keeps registers in, whatever the vector length is. */
STELE_API stele_xtrace_layout stele_xtrace_layout_qemu(uint32_t header_size, uint32_t vl_bits);

#define STELE_XTRACE_ANY UINT32_MAX

/*
 * Finds the layout of a snapshot file by its first bytes and, where `file_size` is not 0, by its
 * size: snapshots end with their vector length, and counts rise; or else two of three end so.
 * The more snapshots are there the better. What is known beforehand (header_size, vl_bits,
 * z_stride, p_stride, p_count, za_size, fp_size, fp_padding) is not STELE_XTRACE_ANY in `known`,
 * which may be NULL; with vl_bits among it and `file_size` 0 a layout is taken even when none fits,
 * with what is usual for the rest. False: none.
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

/* The layout with the sizes and numbers given, its parts in their places. */
STELE_API stele_xtrace_layout stele_xtrace_layout_place(const stele_xtrace_layout *sizes);

#ifdef __cplusplus
}
#endif
#endif
