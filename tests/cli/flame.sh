#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele flame: call paths as folded stacks, for speedscope, and as a picture.
. "$SOURCE/tests/cli/lib.sh"
xray=$SOURCE/src/formats/xray/good
trace=$heph/heph_tracing_example.bin.log

sum() { # of the last word of each line of ./out
    awk '{ sum += $NF } END { printf "%d", sum }' out
}

# Folded stacks. Their sum is the time of the outermost calls.
expect 0 flame "$xray/exc.14.fdr5.tsc.xray"
golden flame_exceptions
check "no time is counted twice" test "$(sum)" -eq 268990
expect 0 flame --by-count "$xray/exc.14.fdr5.tsc.xray"
check "each call is there once" test "$(sum)" -eq 369
expect 0 flame "$xray/threads.14.profile.tsc.xray"
golden flame_sampled
expect 0 flame --by-thread "$trace"
says out '^substream 0 in stream 1;Running thread-local process;'
expect 0 flame "$trace"
mv out wanted
expect 0 flame -o x.folded "$trace"
silent out
same x.folded wanted
expect 0 flame --format folded -o x.svg "$trace"
same x.svg wanted
expect 4 flame -o x.svg "$trace"
same x.svg wanted
expect 0 flame --name 'sending*' "$trace"
check "only chosen calls count" test -z "$(grep -v ';*sending message [0-9]*$' out)"

# Speedscope: each track has its samples, as many as weights, which end at its end.
expect 0 flame -o x.json "$trace"
says x.json '"\$schema":"https://www.speedscope.app/file-format-schema.json"'
if have jq; then
    jq -e '(.profiles | length) == 3 and (.shared.frames | length) == 17 and
        all(.profiles[]; .type == "sampled" and .unit == "nanoseconds" and
            (.samples | length) == (.weights | length) and (.weights | add) == .endValue)' \
        x.json >jq.out || complain "not as speedscope wants it" jq.out
    frames=$(jq '.shared.frames | length' x.json)
    check "frames are there" test "$(jq '[.profiles[].samples[][]] | max' x.json)" -lt "$frames"
else
    skip "speedscope is not checked in depth: no jq"
fi

# The picture says what it left out, and is XML.
expect 0 flame -o p.svg "$trace"
says p.svg '<title>all$'
says p.svg '28 frames below 0.1 % of the width are not drawn'
says_not p.svg 'href'
says_not p.svg 'src='
frames=$(grep -c '<g class="f"' p.svg)
expect 0 flame "$trace" --by-thread --format svg
check "with tracks there are more" test "$(grep -c '<g class="f"' out)" -gt "$frames"
if have xmllint; then
    check "well-formed" xmllint --noout p.svg
elif have rsvg-convert; then
    check "well-formed" rsvg-convert p.svg -o p.png
else
    skip "the picture is not parsed: neither xmllint nor rsvg-convert"
fi
expect 0 flame --name 'no such' --format svg "$trace"
says out '</svg>'
expect 0 flame --name 'no such' "$trace"
silent out
expect 3 flame no-such-file -o none.svg
check "nothing is written for nothing" test ! -e none.svg
expect 2 flame --format png "$trace"
# As a page of HTML: the same picture, with the name of the trace as the page's.
"$STELE" flame --format svg "$trace" >picture
expect 0 flame -o p.html "$trace"
sed -n '/^<svg/,/^<.svg>/p' p.html >shown
tail -n +2 picture >wanted
same shown wanted
check "it is a page" test "$(head -n 1 p.html)" = '<!DOCTYPE html>'
says p.html '^<title>.*bin.log</title>$'
# Instructions are no time.
insns=$SOURCE/src/formats/xtrace/good/levels.xinsndata.bin
expect 0 flame --format svg "$insns"
says out 'Width: instructions\.'
expect 0 flame --format svg "$trace"
says out 'Width: time\.'
expect 2 flame -o x.png "$trace"
says err "'x.png' does not tell the form"
check "nothing is written" test ! -e x.png

# As wide as asked for, the outermost at the top.
expect 0 flame --width 2000 -o w.svg "$trace"
says w.svg '<svg [^>]* width="2000"'
says w.svg '<g class="f" data-x="10.000" data-w="1980.000" data-d="0"'
expect 2 flame --width 10 -o w.svg "$trace"


# Labels show C++ names without the arguments of templates and the parameters of functions; the whole
# name is in the tooltip. word NUMBER: 8 bytes, the lowest first
word() {
    number=$1
    for _ in 1 2 3 4 5 6 7 8; do
        printf '%b' "\\0$(printf %o $((number & 255)))"
        number=$((number >> 8))
    done
}

# named NAME...: an FXT trace of one span for each name, one after the other, without bytes to spare
named() {
    printf '\020\000\004\106\170\124\026\000' # the magic number
    begin=0
    for name in "$@"; do
        size=${#name}
        words=$(((size + 7) / 8))
        # A complete event, of a thread and a name that are in it.
        word $((4 | (5 + words) << 4 | 4 << 16 | (32768 | size) << 48))
        word $begin
        word 1
        word 2
        printf %s "$name"
        [ $((size % 8)) -eq 0 ] || head -c $((8 - size % 8)) /dev/zero
        begin=$((begin + 1000))
        word $begin
    done
}

named 'std::map<int, std::vector<char>>::find(int const&) const' 'operator<<(std::ostream&, int)' \
    'Functor::operator()(int, char)' 'bool a::operator< <a::b>(a::b const&)' \
    'auto f()::{lambda(int)#1}::operator()(int) const' 'T::operator->() const' 'main' 'i < limit' \
    '(anonymous namespace)::run(int)' 'unbalanced<int' 'read (1)' '~Owner()' \
    >names.fxt
expect 0 flame --format svg --width 20000 names.fxt
label() {
    grep -qF -e ">$1</text>" out || complain "no label '$1'" out
}
label 'std::map&lt;..&gt;::find() const'
label 'operator&lt;&lt;()'
label 'Functor::operator()()'
label 'T::operator-&gt;() const'
label 'main'
label 'i &lt; limit'
label '(anonymous namespace)::run()'
label 'unbalanced&lt;int'
label 'read (1)'
label '~Owner()'
says out '<title>std::map&lt;int, std::vector&lt;char&gt;&gt;::find(int const&amp;) const'
expect 0 flame names.fxt
says out '^std::map<int, std::vector<char>>::find(int const&) const 1000$'

# A picture of nothing is not written.
expect 2 flame -o nothing.svg "$SOURCE/src/formats/ctf/good/small_18"
says err 'no calls'
check "there is no empty picture" test ! -e nothing.svg

# Calls that a stretch cuts are counted at both sides.
expect 0 profile --json --begin 20us --end 100us "$SOURCE/src/formats/xray/good/tail.14.fdr5.tsc.xray"
says out '"carried_count": 1,'
says out '"open_count": 1,'

finish
