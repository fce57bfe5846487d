#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: json.sh ROOT
# JSON is written by <stele/json.h>, which sees to commas, brackets and what must be escaped. Those
# that compose it by hand are the ones of this list, each for what its first comment says.
set -eu
cd "$1"
by_hand='
src/analysis/events/spans_otlp.c
src/sinks/chrome.c
src/sinks/chrome_end.c
src/sinks/chrome_put.c
src/sinks/chrome_spans.c
src/sinks/chrome_tracks.c
src/sinks/json.c
src/sinks/json_fields.c
src/sinks/json_sink.h
'
# Within a string a key ends with \":, also in what looks for a key in JSON that was written.
found=$(grep -rnF '\":' --include='*.[ch]' src | grep -vE ':[0-9]+: *(/\*|\*)' | grep -vF 'find_text(' |
    cut -d : -f 1 | sort -u)
status=0
for file in $found; do
    case $by_hand in
    *"
$file
"*) ;;
    *)
        echo "$file writes JSON by hand; <stele/json.h> does it"
        status=1
        ;;
    esac
done
for file in $by_hand; do
    grep -qF '\":' "$file" 2>/dev/null || {
        echo "$file is in the list of $0, and writes no JSON"
        status=1
    }
done
[ $status -ne 0 ] || echo "ok: no JSON is written by hand but where events are many"
exit $status
