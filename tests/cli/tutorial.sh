#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The commands of docs/tutorial.md and README.md show what stands there.
. "$SOURCE/tests/cli/lib.sh"
if ! have python3; then
    echo "SKIP: the documents are read by python3, which is missing"
    exit 77
fi
python3 "$SOURCE/tests/docs/console.py" "$STELE" "$TRACES" "$SOURCE/docs/tutorial.md" \
    "$SOURCE/README.md" >told 2>&1 || complain "tests/docs/console.py --write makes it anew" told
finish
