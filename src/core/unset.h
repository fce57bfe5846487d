/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Marks a local variable that a function fills as a whole before anything reads it, where this runs
 * for each event. Variables without it are cleared (cmake/Hardening.cmake), which costs more than
 * to fill them.
 */
#ifndef CORE_UNSET_H
#define CORE_UNSET_H

#ifdef __has_attribute
#if __has_attribute(uninitialized)
#define UNSET __attribute__((uninitialized))
#endif
#endif
#ifndef UNSET
#define UNSET
#endif

#endif
