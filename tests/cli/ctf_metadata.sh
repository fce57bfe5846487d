#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
. "$SOURCE/tests/cli/lib.sh"

mkdir trace
cat >trace/metadata <<'END'
/* CTF 1.8 */
typealias integer { size = 8; } := u8;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u8 stream_id; }; };
clock { name = c; freq = 1000; };
stream { id = 0; event.header := struct { u8 id; integer { size = 32; map = clock.c.value; } timestamp; }; };
event { name = "a:b"; id = 7; fields := struct { u8 _len; u8 x[_len]; string s; }; };
END

# Normalized, from the file, its directory and an archive; what is printed reads the same.
expect 0 ctf metadata trace/metadata
says out '^/\* CTF 1.8 \*/$'
says out 'integer { size = 8; align = 8; } x\[_len\];'
says out '^	name = "a:b";$'
silent err
mv out first
expect 0 ctf metadata trace
cmp -s out first || complain "a directory gives another text" out
mkdir again && cp first again/metadata
expect 0 ctf metadata again
cmp -s out first || complain "the printed text prints differently" out
tar cf trace.tar trace
expect 0 ctf metadata trace.tar
cmp -s out first || complain "an archive gives another text" out

# To CTF 2 and back.
expect 0 ctf metadata --to 2 trace
says out '"preamble"'
mkdir two && mv out two/metadata
expect 0 ctf metadata --to 1.8 two
says out '^	name = "a:b";$'
says out 'string s;'
says_not err .

# By way of the RFC, whose packet header has more than that of CTF 2 may mean.
expect 1 ctf metadata --to rfc trace
mv out two/metadata
expect 1 ctf metadata --to 2 two
says err 'not said: what fields of packet headers mean'
mv out two/metadata
expect 0 ctf metadata two

# Options by the names of labels; one that no label names is never in a record, and is not said.
cat >two/metadata <<'END'
trace { major = 1; minor = 8; byte_order = le; };
typealias integer { size = 8; } := u8;
event { name = e; fields := struct {
    enum : u8 { A, _q, "struct" = 3 ... 9 } t;
    variant <t> { u8 A; u8 _q; u8 _struct; u8 other; } v;
}; };
END
expect 1 ctf metadata --to 2 two
says err '^not said: options that no label selects: 1'
says out '"selector-field-ranges": \[\[3, 9\]\]'
says_not out '"selector-field-ranges": \[\]'
mv out two/metadata
expect 1 ctf metadata --to 1.8 two
says err '^not said: names of labels: 1'
says_not err 'options'
says out '"_struct" = 3 ... 9,'
says out '} _struct;'
mv out two/metadata
expect 0 ctf metadata two

# Some readers compare labels and options letter by letter, as LTTng writes them: with the escape in
# both. What begins with a character that no name has needs one, too.
cat >two/metadata <<'END'
trace { major = 1; minor = 8; byte_order = le; };
typealias integer { size = 8; } := u8;
event { name = e; fields := struct {
    enum : u8 { none, "_float", "_int", int8 } __app_x_tag;
    variant <__app_x_tag> { struct {} none; u8 _float; u8 _int; u8 int8; } __app_x;
}; };
END
expect 0 ctf metadata two
mv out before
expect 0 ctf metadata --to 2 two
sed 's/_app_x/$app.x/g' out >two/metadata
expect 1 ctf metadata --to 1.8 two
says err 'not said: characters of names: 6'
says_not err 'labels'
cmp -s before out || complain "an option or a field has another name" out

# What a generation cannot say is counted.
printf '\036{"type": "preamble", "version": 2, "uuid": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]}\n\036{"type": "trace-class"}\n\036{"type": "data-stream-class", "payload-field-class": {}}\n\036{"type": "event-record-class", "payload-field-class": {"type": "structure", "member-classes": [{"name": "v", "field-class": {"type": "variable-length-unsigned-integer"}}]}}\n' |
    sed 's/, "payload-field-class": {}//' >two/metadata
expect 1 ctf metadata --to 1.8 two
says err 'not said: integers of variable length: nothing instead: 1'
expect 0 ctf metadata two

# Options that ranges and Booleans select become options that labels select: a label of the field
# with these ranges, or one that is made; under another name where it would mean something else.
int() {
    printf '{"type": "fixed-length-%s", "length": 8, "byte-order": "little-endian"%s}' "$1" "${2:-}"
}
member() {
    printf '{"name": "%s", "field-class": %s}' "$1" "$2"
}
u8=$(int unsigned-integer)
{
    printf '\036{"type": "preamble", "version": 2}\n\036{"type": "data-stream-class"}\n'
    printf '\036{"type": "event-record-class", "payload-field-class": {"type": "structure", "member-classes": [%s, %s, %s, %s, %s, %s]}}\n' \
        "$(member t "$(int signed-integer ', "mappings": {"A": [[-3, 3]], "é": [[4, 5]]}')")" \
        "$(member b "$(int boolean)")" \
        "$(member v '{"type": "variant", "selector-field-location": {"path": ["t"]}, "options": ['"
            $(member A "$u8" | sed 's/}$/, "selector-field-ranges": [[-3, 3]]}/;s/}, "sel/}, "sel/'), $(
            member é "$u8" | sed 's/}$/, "selector-field-ranges": [[4, 5]]}/'), {\"selector-field-ranges\": [[100, 127]], \"field-class\": $u8}]}")" \
        "$(member w '{"type": "variant", "selector-field-location": {"path": ["t"]}, "options": ['"
            $(member A "$u8" | sed 's/}$/, "selector-field-ranges": [[0, 127]]}/')]}")" \
        "$(member o '{"type": "optional", "selector-field-location": {"path": ["b"]}, "field-class": '"$u8}")" \
        "$(member l '{"type": "static-length-array", "length": 2, "minimum-alignment": 32, "element-field-class": '"$u8}")"
} >two/metadata
expect 1 ctf metadata --to 1.8 two
says err 'not said: fields that select (labels are added): 2'
says err 'not said: names of options: 1'
says err 'not said: optional fields (shown as variants): 1'
says err 'not said: alignment of arrays (shown as structures): 1'
says out '"option" = 100 ... 127,'
says out '"A_1" = 0 ... 127,'
says out '"absent" = 0,'
says out '"present" = 1 ... 255,'
says out '} align(32) l;'
mv out two/metadata
expect 0 ctf metadata two
printf '\003\001\002\003\004\000\000\000\005\006' >two/stream
expect 0 cat two
says out 't=3 (A_1, A) b=1 (present) v={A=2} w={A_1=3} o={present=4} l={elements=.5 6.}'
rm two/stream

# A name of CTF 1.8 means the innermost field; CTF 2 can mean one further out.
u8='{"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian"}'
hidden() {
    printf '\036{"type": "preamble", "version": 2}\n\036{"type": "trace-class"}\n\036{"type": "data-stream-class"}\n'
    printf '\036{"type": "event-record-class", "payload-field-class": {"type": "structure", "member-classes": [{"name": "n", "field-class": %s}, {"name": "s", "field-class": {"type": "structure", "member-classes": [{"name": "%s", "field-class": %s}, {"name": "a", "field-class": {"type": "dynamic-length-array", "element-field-class": %s, "length-field-location": {"path": [null, "n"]}}}]}}]}}\n' "$u8" "$1" "$u8" "$u8"
}
hidden m >two/metadata
expect 0 ctf metadata --to 1.8 two
says out ' a\[n\];'
hidden n >two/metadata
expect 1 ctf metadata --to 1.8 two
says err 'not said: fields that others of their name hide: 1'

# What is wrong is shown where it is.
echo 'trace { major = 1; minor = 8; byte_order = le; }; event { fields := struct { u8 x; }; };' >trace/metadata
expect 3 ctf metadata trace
says err 'metadata:77: error CTF104 .*: line 1, column 78: .*u8'
says err '^    .*struct { u8 x; '
says err '^     *^$'

echo 'trace { major = 1; minor = 8; byte_order = le; }; typealias integer { size = 8; } := u8; event { fields := struct { u8 x[n]; }; };' >trace/metadata
expect 3 ctf metadata trace
says err "error CTF050 .*: line 1, column 122: .*no 'n'"

# Also where the text is long, and what was read of it is not kept.
mkdir long
{
    echo 'trace { major = 1; minor = 8; byte_order = le; }; typealias integer { size = 8; } := u8;'
    echo 'event { fields := struct { u8 x[stream.event.context.n]; }; };'
    awk 'BEGIN { for (i = 0; i < 60000; i++) printf "typealias integer { size = 8; } := alias_%d;\n", i }'
} >long/metadata
expect 3 ctf metadata long
says err "error CTF050 .*: line 2, column 33: .*no 'n'"
says err '^    event { fields := struct { u8 x'

# However deep types may nest, there is a limit that the stack can bear: sanitizers need more of it.
ulimit -s 65536 2>/dev/null || :
mkdir deep
awk 'BEGIN {
    print "trace { major = 1; minor = 8; byte_order = le; }; typealias integer { size = 8; } := u8;"
    printf "event { fields := struct {"
    for (i = 0; i < 30000; i++) printf "struct {"
    printf "u8 x;"
    for (i = 0; i < 30000; i++) printf "} s;"
    print "}; };" }' >deep/metadata
expect 3 ctf metadata --max depth=1M deep
says err 'error CTF052 .*fields nest deeper than 20000'

mkdir nothing
expect 3 ctf metadata nothing
says err CTF001
expect 0 ctf --help
says out '^  metadata '
expect 2 ctf metadata --to 3 trace
# `a` and `_a` are two names of CTF 1.8 that look the same: CTF 2 gets them as they are written.
mkdir alike alike_2
cat >alike/metadata <<'END'
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; };
typealias integer { size = 8; } := u8;
event { name = e; fields := struct { u8 a; u8 _a; u8 _b[_a]; u8 __a; }; };
END
printf '\1\2\3\4\5' >alike/s
expect 1 ctf metadata --to 2 alike
says err 'not said: names that differ by an escape alone: 1'
cp out alike_2/metadata
cp alike/s alike_2
expect 0 cat alike_2
says out ' a=1 _a=2 _b=.3 4. __a=5$'

# Entries of the environment that no word of CTF 1.8 can be called.
printf '\036{"type":"preamble","version":2}\036{"type":"trace-class","environment":' >odd
printf '{"1st":"a","":"b","int":"c"}}\036{"type":"data-stream-class"}' >>odd
expect 1 ctf metadata --to 1.8 odd
says out '_1st = "a";'
cp out odd_18
expect 0 ctf metadata odd_18
says out 'int = "c";'

# LTTng 2.16 gives tags by their whole way, which babeltrace2 does not read in CTF 1.8.
mkdir tagged
cat >tagged/metadata <<'END'
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; uuid = "01234567-89ab-cdef-0123-456789abcdef"; };
typealias integer { size = 8; } := u8;
stream { event.header := struct {
    u8 id;
    enum : u8 { a = 1, b = 2 } t;
    variant <stream.event.header.t> { u8 a; u8 b; } v;
}; };
event { name = e; fields := struct { struct { u8 n; } in; u8 x[stream.event.header.id]; }; };
END
expect 0 ctf metadata tagged
says out 'variant <stream.event.header.t> {$'
expect 0 ctf metadata --to 2 tagged
# The UUID tells which directories are one trace; in CTF 2 name and UID do.
says out '"name": "",$'
says out '"uid": "01234567-89ab-cdef-0123-456789abcdef"'
cp out two/metadata
expect 0 ctf metadata --to 1.8 two
says out 'variant <t> {$'
says out 'x\[stream.event.header.id\];$'

# Names do not steer the terminal, neither with ESC nor with CSI in one character.
printf '\036{"type":"preamble","version":2}\036{"type":"data-stream-class"}' >odd
printf '\036{"type":"event-record-class","name":"\\u001b[1m","attributes":{}}' >>odd
expect 1 ctf metadata --to 1.8 odd
says err "(of '.x1b\[1m')"
printf '\036{"type":"event-record-class","id":1,"payload-field-class":"\302\2331m"}' >>odd
expect 3 ctf metadata odd
says err 'found ".xc2.x9b1m"'

finish
