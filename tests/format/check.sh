#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: check.sh ROOT [CLANG-FORMAT]
# All C code is formatted as .clang-format says. Other versions of clang-format lay out some lines
# differently, so only the one of Debian 12 judges. `make format` mends.
set -eu
root=$1
tool=${2:-}
case ${tool:+$("$tool" --version 2>/dev/null)} in
*version\ 14.*) ;;
*)
    echo "SKIP: no clang-format 14 (package clang-format): the formatting is not checked"
    exit 77
    ;;
esac
cd "$root"
find src include tests bench examples tools -name '*.[ch]' -print 2>/dev/null |
    xargs "$tool" --dry-run --Werror
