#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: listings.sh ROOT [--write]
# The listings of docs/library.md are the files of examples/: a line `<!-- listing: FILE -->` stands
# before a fence that holds FILE without its licence line. --write puts the files into the document.
# Every example is listed, and no C program is longer than 60 lines.
set -eu
cd "$1"
document=docs/library.md
made=$(mktemp)
trap 'rm -f "$made"' EXIT

awk '
    function list(file,    line, language) {
        language = file ~ /\.py$/ ? "python" : "c"
        print "```" language
        while ((getline line < file) > 0) {
            if (line !~ /SPDX-License-Identifier/ && line !~ /^#!/)
                print line
        }
        close(file)
        print "```"
    }
    skipping { if (/^```$/) skipping = 0; next }
    { print }
    /^<!-- listing: .* -->$/ {
        list($3)
        getline # the old fence
        if (/^```/)
            skipping = 1
        else
            print
    }
' "$document" >"$made"

if [ "${2:-}" = --write ]; then
    cat "$made" >"$document"
fi
status=0
diff -u "$document" "$made" || {
    echo "$document differs from examples/: sh tests/docs/listings.sh . --write mends it"
    status=1
}
for file in examples/*.c examples/*.py; do
    grep -q "^<!-- listing: $file -->" "$document" || {
        echo "$document does not list $file"
        status=1
    }
done
for file in examples/*.c; do
    [ "$(wc -l <"$file")" -lt 60 ] || {
        echo "$file has 60 lines or more"
        status=1
    }
done
exit $status
