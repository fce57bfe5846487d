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
    byte_order_wrong) wanted=0 ;;                       # a warning alone
    ctf2_* | ctf3 | typo_keyword) wanted=3 ;;           # what every packet needs is gone
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
3 typo_keyword the type 'intger'
1 missing_semicolon expected ';', found 'uint32_t'
1 missing_brace the end of the metadata
1 unknown_type the type 'uint16_t'
1 unknown_clock the clock 'monotonic'
1 seq_len_missing found there is no 'len'
1 stream_id_undefined a block of .* event { name = "sched_switch"
3 ctf2_bad_json expected a name in quotes
3 ctf2_unknown_prop_type fixed-length-unsigned-integr
3 ctf3 found 1.9
1 wrong_event_layout found 1001
END

# What does not need the slipped words is read.
expect 1 cat "$slips/missing_semicolon"
check "all five events" test "$(grep -c . out)" -eq 5
expect 0 cat "$slips/no_comment"
check "all five events" test "$(grep -c . out)" -eq 5
finish
