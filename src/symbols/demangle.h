/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOLS_DEMANGLE_H
#define SYMBOLS_DEMANGLE_H

/* Returns the demangled form of a C++ name (Itanium ABI), to be freed. Returns NULL if the name is
   not mangled, if out of memory, or if the C++ runtime library is missing. The library is loaded
   when first needed, so that programs without C++ names never load it. */
char *demangle(const char *mangled);

#endif
