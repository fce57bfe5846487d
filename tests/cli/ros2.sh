#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ROS 2: callbacks are called by what they serve, and messages are flows.
. "$SOURCE/tests/cli/lib.sh"
if ! have python3; then
    echo "SKIP: the trace is made by python3, which is missing"
    exit 77
fi
python3 "$SOURCE/tests/cli/ros2_made.py" || complain "the trace is not made"

# Two processes have different callbacks at one address.
expect 0 profile --csv ros2
says out '^timer 100 ms,3,150,150,'
says out '^subscription /chatter,3,300,300,'
says out '^subscription /echo,3,93,93,'
says out '^Listener::on_set_parameters(),1,5,5,'
says out '^callback,1,1,1,'
lines out 6
expect 0 profile --by-thread --csv --track 200 ros2
says_not out 'timer'

# What was not taken is no message.
expect 0 stats --spans --csv --by name,ended --of dur --where 'source == "flow"' ros2
says out '^/chatter,returned,3,3,243,80,82,'
says out '^/echo,returned,3,3,420,140,140,'
lines out 3

# From a publication to the callback that it leads to, in another process.
expect 0 latency ros2:rmw_publish ros2:callback_start --by flow --json ros2
says out '"count": 6,'
says out '"min_ns": 90,'
says out '"max_ns": 150,'

# Without pairs they are moments.
expect 0 profile --no-pairs ros2
says_not out 'chatter'
expect 0 calls --no-pairs ros2
says out '^No spans'
finish
