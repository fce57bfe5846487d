/* SPDX-License-Identifier: Apache-2.0 */
/* Names of system calls, their arguments and errors, of Linux on AArch64. */
#ifndef ANALYSIS_INSN_SYSCALLS_H
#define ANALYSIS_INSN_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

#define SYSCALL_ARGUMENTS_MAX 6u

typedef struct syscall_info {
    uint32_t number;
    const char *name;
    const char *arguments; /* as in syscalls.def */
    char result;           /* 'd' or 'p' */
} syscall_info;

/* Returns NULL if it is not known. */
const syscall_info *syscall_find(uint64_t number);

/* The argument with this index: its name (`*size` bytes) and its type; NULL past the last. */
const char *syscall_argument(const syscall_info *info, size_t index, size_t *size, char *type);

/* "ENOENT" for 2; NULL if it is not known. */
const char *syscall_error(uint64_t number);

#endif
