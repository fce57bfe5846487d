#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: spdx.sh ROOT
# Every file that can hold a comment names its licence in its first three lines: that of Stele, or
# in tools/xtrace-qemu that of QEMU. Data cannot: samples, corpora and golden files.
set -eu
cd "$1"

missing=$(find . \( -path ./.git -o -path './build*' -o -path '*/good' -o -path '*/bad' \
        -o -path ./tests/samples -o -path ./tests/golden -o -path ./tests/fuzz/corpus \) -prune -o \
    -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.in' -o -name '*.md' -o -name '*.sh' \
        -o -name '*.cmake' -o -name '*.py' -o -name CMakeLists.txt -o -name Makefile \
        -o -name .clang-format -o -path ./setup -o -path ./.ci/run \) -print |
    sort | while IFS= read -r file; do
        case $file in
        ./tools/xtrace-qemu/*) licence='GPL-2\.0-or-later' ;;
        *) licence='Apache-2\.0' ;;
        esac
        head -n 3 "$file" | grep -q "SPDX-License-Identifier: $licence" || echo "$file"
    done)
if [ -n "$missing" ]; then
    echo "these files do not name their licence (SPDX-License-Identifier) at their top:"
    echo "$missing"
    exit 1
fi
