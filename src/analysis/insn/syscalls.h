/* SPDX-License-Identifier: Apache-2.0 */
/* Names of system calls, arguments and errors of Linux on AArch64. */
#ifndef ANALYSIS_INSN_SYSCALLS_H
#define ANALYSIS_INSN_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

#define SYSCALL_ARGUMENTS_MAX 6u

typedef struct syscall_info {
    uint32_t number;
    const char *name;
    const char *arguments; /* the format is described in syscalls.def */
    char result;           /* type of the result: 'd' or 'p' */
} syscall_info;

/* Finds a system call by its number. Returns NULL if it is not known. */
const syscall_info *syscall_find(uint64_t number);

/* The argument with this index: its name, of `*size` bytes, and its type. Returns NULL if the
   call has fewer arguments. */
const char *syscall_argument(const syscall_info *info, size_t index, size_t *size, char *type);

/* The name of an error, such as "ENOENT" for 2. Returns NULL if it is not known. */
const char *syscall_error(uint64_t number);

#endif
