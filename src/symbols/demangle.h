/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

/*
 * The C++ name after a mangled one (Itanium ABI), to be freed by the caller; NULL when it is none,
 * memory is exhausted, or the C++ runtime library is not there: it is loaded when first needed,
 * so that programs without C++ names never do.
 */
char *demangle(const char *mangled);

#endif
