#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands of docs/questions.md, and their answers computed again.
. "$SOURCE/tests/cli/lib.sh"
grep -q '^| 68 | ' "$SOURCE/docs/questions.md" || complain "docs/questions.md has fewer questions"
if ! have python3; then
    echo "SKIP: answers are computed again by python3, which is missing"
    exit 77
fi
python3 "$SOURCE/tests/docs/questions.py" "$STELE" "$SOURCE" >answers 2>&1 ||
    complain "answers" answers
finish
