#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Slips of whoever writes metadata by hand: each is reported where it stands, and what needs the
# slipped words alone is lost.
. "$SOURCE/tests/cli/lib.sh"

slips=$SOURCE/src/formats/ctf/slips
for path in "$slips"/*/; do
    name=$(basename "$path")
    wanted=0
    grep -q "^$name CTF[0-9]* " "$slips/EXPECT" && wanted=1
    case $name in
    byte_order_wrong | attribute_typo | letters_turned | scope_typo) wanted=0 ;; # warnings alone
    ctf2_bad_json | ctf2_cut | ctf2_missing_rs) wanted=3 ;; # what every packet needs is gone
    esac
    expect "$wanted" check --all "$slips/$name"
    sed -n -E "s#^.*/${name}[^ :]*:([0-9]+): (error|warning|note) ([A-Z0-9]+) .*#$name \3 \1#p" err out |
        sort >found
    grep "^$name " "$slips/EXPECT" | sort >wanted_findings
    check "findings of $name" diff wanted_findings found
done

# The messages name what slipped: the class, the field, the word.
while read -r wanted name words; do
    expect "$wanted" check --all "$slips/$name"
    cat out >>err
    says err "$words"
done <<END
1 typo_keyword the type 'intger'
1 typo_keyword 'intger' is taken as 'integer'
1 block_typo 'evnt' is taken as 'event'
0 letters_turned 'event.haeder' is taken as 'event.header'
1 path_typo 'clok' is taken as 'clock'
1 no_size taken as 'size = 32;', by the name of the type
1 alignment an attribute of 10 bytes: align = 3;
1 two_traces a block of 49 bytes: trace {
1 comma taken as ';'
1 ctf2_letters_turned 'feild-class' is taken as 'field-class'
1 ctf2_own_property a property of 17 bytes: "comment":"mine",
1 ctf2_unknown_role expected a role of unsigned integers, found "my-role"
1 missing_semicolon expected ';', found 'uint32_t'
1 missing_brace the end of the metadata
1 unknown_type the type 'uint16_t'
1 unknown_clock the clock 'monotonic'
1 seq_len_missing found there is no 'len'
1 stream_id_undefined a block of .* event { name = "sched_switch"
3 ctf2_bad_json expected a name in quotes
1 ctf2_unknown_prop_type fixed-length-unsigned-integr
1 ctf3 found 1.9
1 wrong_event_layout found 1001
END

# What does not need the slipped words is read.
for name in missing_semicolon alias_semicolon typo_keyword block_typo type_typo path_typo comma \
    quote no_size alignment two_traces ctf3 ctf2_no_comma ctf2_no_colon \
    ctf2_single_quotes ctf2_letters_turned ctf2_unknown_role ctf2_alignment \
    ctf2_own_property; do
    expect 1 cat "$slips/$name"
    check "all five events of $name" test "$(grep -c . out)" -eq 5
done
for name in no_comment attribute_typo letters_turned scope_typo; do
    expect 0 cat "$slips/$name"
    check "all five events of $name" test "$(grep -c . out)" -eq 5
done

# Metadata with an attribute that is not known, and without a stream, are no lack of memory.
mkdir no_stream
printf '/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\nclock { name = c; d = 0; };\n' \
    >no_stream/metadata
: >no_stream/stream_0
"$STELE" info no_stream >out 2>err || :
says_not err 'out of memory'
finish
