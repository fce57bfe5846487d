#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One thing at a time goes through every format: a field of each type, and what belongs to a value. What
# another loss of the same event would hide shows here.
. "$SOURCE/tests/cli/lib.sh"

# one NAME FIELDS BYTES: a trace with one event, whose payload is given as printf writes it; converted to
# each format, and back from there to CTF.
one() {
    name=$1
    rm -rf in
    mkdir in
    cat >in/metadata <<END
/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := u8;
trace { major = 1; minor = 8; byte_order = le; };
clock { name = c; freq = 1000000000; };
stream {
    event.header := struct {
        integer { size = 64; align = 8; map = clock.c.value; } t;
        u8 id;
    };
};
event { name = "e"; id = 0; fields := struct { $2 }; };
END
    # shellcheck disable=SC2059
    printf '\001\000\000\000\000\000\000\000\000'"$3" >in/stream
    for to in fxt heph xray ctf; do
        rm -rf out back
        last="$name: stele convert --verify in --to $to"
        "$STELE" convert --verify in --to $to -o out >losses 2>err
        status=$?
        [ $status -le 1 ] || complain "exit code $status" err
        grep -q ': verified: ' err || complain 'not verified' err
        cp err "losses.$name.$to"
        last="$name: stele convert --verify out --to ctf, of $to"
        "$STELE" convert --verify out --to ctf -o back >losses 2>err
        grep -q ': verified: ' err || complain 'not verified' err
    done
}

# lost NAME FORMAT TEXT: the table of losses had it.
lost() {
    grep -q "$3" "losses.$1.$2" || complain "'$3' is not in the losses" "losses.$1.$2"
}

one labels 'enum : u8 { LOW = 0 ... 9, TEN = 10, SOME = 5 ... 6 } color;' '\005'
lost labels fxt 'dropped: labels of values'
lost labels heph 'dropped: labels of values'
one signed_label 'enum : integer { size = 8; align = 8; signed = true; } { NEG = -1 } x;' '\377'
lost signed_label fxt 'dropped: labels of values'
one no_label 'enum : u8 { RED } color;' '\005'
one nested_label 'struct { enum : u8 { RED, GREEN = 5 } color; } x;' '\005'
lost nested_label heph 'dropped: labels of values'
"$STELE" convert -q in --to fxt -o text.fxt
"$STELE" cat text.fxt >out.txt
grep -q '{color=5 (GREEN)}' out.txt || complain 'the label of a nested value is gone' out.txt
one base 'integer { size = 8; align = 8; base = 16; } x;' '\005'
one bits 'integer { size = 3; align = 1; } x;' '\005'
one signed 'integer { size = 16; align = 8; signed = true; } x;' '\377\377'
one large 'integer { size = 64; align = 8; } x;' '\377\377\377\377\377\377\377\377'
one float 'floating_point { exp_dig = 8; mant_dig = 24; align = 8; } x;' '\000\000\300\077'
one string 'string x;' 'abc\000'
one empty_string 'string x;' '\000'
one nested 'struct { u8 a; u8 b; } x;' '\001\002'
one array 'u8 x[3];' '\001\002\003'
one sequence 'u8 n; u8 x[n];' '\002\001\002'
one empty_sequence 'u8 n; u8 x[n];' '\000'
one empty 'struct { } x;' ''
lost empty heph 'dropped: structures without members'
one same_name 'u8 x; struct { u8 x; } y;' '\001\002'
one text 'integer { size = 8; align = 8; encoding = UTF8; } x[4];' 'abcd'
one character 'integer { size = 8; align = 8; encoding = UTF8; } x;' 'a'
one variant 'enum : u8 { A, B } t; variant <t> { u8 A; string B; } v;' '\001abc\000'
one nothing '' ''
finish
