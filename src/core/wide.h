/* SPDX-License-Identifier: Apache-2.0 */
/* 128-bit integers, which gcc and clang have on every 64-bit target. */
#ifndef CORE_WIDE_H
#define CORE_WIDE_H

#include <stdint.h>

__extension__ typedef unsigned __int128 wide_u128;
__extension__ typedef __int128 wide_i128;

#endif
