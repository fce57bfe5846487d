#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele report: one page that needs nothing else, whose figures are those of the other commands.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats

# The data in a page, as JSON.
data() {
    sed -n 's|.*<script type="application/json" id="report-data">\(.*\)|\1|p' "$1"
}

# Markup is balanced, nothing is asked for, nothing but what the policy names can run.
sound() {
    check "$1 is under 5 MB" test "$(wc -c <"$1")" -lt 5000000
    check "$1 begins as HTML" test "$(head -c 15 "$1")" = '<!DOCTYPE html>'
    says "$1" "default-src 'none'; script-src 'sha256-[A-Za-z0-9+/=]*'; style-src 'sha256-[A-Za-z0-9+/=]*'"
    says_not "$1" 'unsafe-inline'
    says_not "$1" '\(src\|href\)="[a-z]*://'
    says_not "$1" '@import'
    says_not "$1" ' style="'
    says_not "$1" ' on[a-z]*="'
    check "$1 has its data and its script alone" test "$(grep -o '<script' "$1" | wc -l)" -eq 2
    check "$1 ends" test "$(tail -n 1 "$1")" = '</html>'
}

cp "$formats/heph/good/heph_tracing_example.bin.log" .
expect 0 report -o report.html heph_tracing_example.bin.log
same_text() { test "$(cat out)" = "$1"; }
check "the page is named" same_text report.html
sound report.html
for part in sound activity names durations flame slowest; do
    says report.html "<h2 id=\"$part\">"
done
says report.html 'No record is lost or damaged'
says report.html '<title>heph_tracing_example.bin.log - stele report</title>'

# Figures are those of profile and info.
stele_json() { "$STELE" "$@" 2>/dev/null; }
if have python3; then
    data report.html >data.json
    stele_json profile --json heph_tracing_example.bin.log >profile.json
    stele_json info --json heph_tracing_example.bin.log >info.json
    check "figures are those of profile and info" python3 - <<'END'
import json
page = json.loads(open('data.json').read().split('</script>')[0])['traces'][0]
profile = json.load(open('profile.json'))
info = json.load(open('info.json'))['traces'][0]
rows = {row['name']: row for row in profile['functions']}
assert len(rows) == len(page['names']) > 10
for row in page['names']:
    for key in ('count', 'self_ns', 'total_ns', 'p50_ns', 'p99_ns', 'max_ns'):
        assert rows[row['name']][key] == row[key], (row, key)
assert page['events'] == info['event_count']
assert page['events'] * 0.9 < sum(t['events'] for t in page['tracks']) <= page['events']
root = page['flame']['nodes'][0]
assert root[4] == page['flame']['total'] == sum(row['self_ns'] for row in page['names'])
END
fi

# An existing page is replaced only when asked to be; other extensions cannot be written.
expect 4 report -o report.html heph_tracing_example.bin.log
expect 0 report -f -o report.html heph_tracing_example.bin.log
expect 2 report -o report.png heph_tracing_example.bin.log
says err "a report is written as .html"
check "nothing was written" test ! -e report.png
expect 2 report -o report.html a b c
expect 3 report -f -o none.html no-such-file
check "no page of nothing" test ! -e none.html
expect 0 report heph_tracing_example.bin.log
check "without a name it goes to the output" grep -q '</html>' out

# Every format.
for trace in "$formats"/*/good/*; do
    case $trace in
    *.md | */NEEDS) continue ;;
    esac
    "$STELE" report -q -f -o all.html "$trace" >out 2>err </dev/null || test $? -eq 1 ||
        complain "report of $trace" err
    sound all.html
done

# Names that hold markup or control others stay text.
expect 0 report -o hostile.html "$formats/fxt/good/hostile_names.fxt"
sound hostile.html
LC_ALL=C
check "no control characters" test "$(tr -d '\n' <hostile.html | tr -d -c '\000-\010\013-\037\177' | wc -c)" -eq 0
check "no marks of direction" test "$(grep -c "$(printf '\342\200[\216\217\252-\256]')" hostile.html)" -eq 0
LC_ALL=C.UTF-8
says_not hostile.html '<img'

# What is damaged says so, with its place and what it means.
head -c 5000 heph_tracing_example.bin.log >cut.log
expect 1 report -o cut.html cut.log
sound cut.html
says cut.html 'class="verdict bad"'
says cut.html 'What it means'
code=$("$STELE" check cut.log 2>&1 | grep -o 'error HEP[0-9]*' | head -n 1 | cut -d ' ' -f 2)
check "check finds an error" test -n "$code"
says cut.html "<code>$code</code>"

# Two traces are compared.
expect 0 report -o both.html heph_tracing_example.bin.log heph_tracing_example.bin.log
sound both.html
says both.html '<h2 id="changes">What changed</h2>'
says both.html '<h2 id="names-2">'

# Scheduling, and instructions: the calls are those of flame.
expect 0 report -o insns.html "$formats/xtrace/good/levels.xinsndata.bin"
sound insns.html
for part in flame insns; do
    says insns.html "<h2 id=\"$part\">"
done
says insns.html 'Paths with most instructions of their own'
if have python3; then
    data insns.html >data.json
    stele_json flame "$formats/xtrace/good/levels.xinsndata.bin" >folded
    check "its flame graph is that of flame" python3 - <<'END'
import json
flame = json.loads(open('data.json').read().split('</script>')[0])['traces'][0]['flame']
own = sorted(node[3] for node in flame['nodes'] if node[3] != 0)
assert own == sorted(int(line.rsplit(' ', 1)[1]) for line in open('folded')), own
assert sum(own) == flame['total'] and len(own) > 2
END
fi
expect 0 report -o sched.html "$formats/fxt/good/scheduling.fxt"
says sched.html '<h2 id="sched">'
finish
