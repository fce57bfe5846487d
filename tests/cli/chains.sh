#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stele chains: what leads to what over flows, messages, threads.
. "$SOURCE/tests/cli/lib.sh"
formats=$SOURCE/src/formats

expect 0 chains "$formats/fxt/good/events.fxt"
expect 0 chains "$formats/heph/good/heph_tracing_example.bin.log"
says out '^No chains'
expect 2 chains --json --csv "$formats/fxt/good/events.fxt"

if ! have python3; then
    echo "SKIP: the trace is made by python3, which is missing"
    exit 77
fi
python3 "$SOURCE/tests/cli/ros2_made.py" || complain "the trace is not made"

# A timer publishes, a callback takes that and publishes, another one takes that.
expect 0 chains --stages ros2
golden chains
expect 0 chains --json ros2
documented out
# The stages of a chain follow each other without a gap, but for what waits after it was taken, and
# what works on after it has published.
check 'stages' [ "$(sed -n 's/^ *"name": "\(.*\)",$/\1/p' out | tr '\n' ';')" = \
    'timer 100 ms;/chatter;subscription /chatter;/echo;subscription /echo;' ]
expect 0 chains --csv ros2
lines out 2
says out '^3,1023,341,340,342,342,342,342,3000,5,timer 100 ms > /chatter > subscription /chatter > /echo'
expect 0 chains --csv ros2 ros2
says out '^6,2046,341,'
finish
