#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele replay: calls as a tree, as they ran.
. "$SOURCE/tests/cli/lib.sh"
. "$SOURCE/tests/cli/lib_ctf_made.sh"
xray=$SOURCE/src/formats/xray/good

ctf_made user context <<END
1000 0 7 app:main_entry 1
1100 0 7 app:read_entry 3
1200 1 8 app:main_entry 2
1500 0 7 app:read_exit 0
1510 0 7 app:step_entry 1
1520 0 7 app:step_exit 1
1530 0 7 app:step_entry 2
1540 0 7 app:step_exit 1
1550 0 7 app:step_entry 3
1560 0 7 app:step_exit 1
1600 0 7 app:read_entry 4
1610 0 7 app:step_entry 4
1620 0 7 app:step_exit 1
1900 1 7 app:read_exit 1
2000 1 8 app:main_exit 0
2100 0 7 app:late_exit 0
2500 0 7 app:main_exit 0
2600 0 7 app:late_entry 0
END
expect 0 replay user
golden replay_text
expect 0 replay --fold user
golden replay_fold
expect 0 replay --fold --min-duration 300ns user
golden replay_short
expect 0 replay --no-arguments --depth 1..1 user
golden replay_depth
# One number is how far down the tree goes.
expect 0 replay --depth 0..1 user
cp out down
expect 0 replay --depth 1 user
check "--depth 1 is not 0..1" cmp -s out down
says out ' main('
says out ' read('
says_not out ' step(id=4'
expect 2 replay --depth 3..1 user
expect 0 replay "$xray/exc.14.fdr5.tsc.xray"
says out 'ended by what is around it'
# One thread after another says the same in another order.
expect 0 replay user
grep -v '^-- ' out | sort >sorted
expect 0 replay --by-thread user
check "two titles" test "$(grep -c '^-- ' out)" -eq 2
grep -v '^-- ' out | sort >by_thread
check "the same lines" cmp -s sorted by_thread
for track in 7 8; do
    expect 0 replay --track "$track" user
    grep -v '^-- ' out >"alone$track"
done
expect 0 replay --by-thread user
grep -v '^-- ' out >by_thread
cat alone7 alone8 >alone
check "one after another" cmp -s alone by_thread

expect 0 replay --no-pairs user
says out '^No calls'

# What is opened is closed, whatever the format.
for trace in "$xray"/*.xray "$heph"/*.bin.log "$fxt"/*.fxt; do
    expect 0 replay --no-arguments "$trace"
    opened=$(grep -c ' {$' out)
    closed=$(grep -c '^ *[^ ]* [^ ]*  *} ' out)
    check "$opened opened, $closed closed in $trace" test "$opened" -eq "$closed"
done
# A name that has brackets itself is shown whole where it ends, too.
expect 0 replay "$xray/events.fdr2.xray"
says out ' 112 µs  } @(1)$'
finish
