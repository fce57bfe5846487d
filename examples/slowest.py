#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows the ten longest spans of a trace, with their fields."""
import heapq
import sys

import stele

with stele.open(sys.argv[1]) as trace:
    spans = ((event.dur_ns, at, str(event))  # an event is gone with its batch, its text is not
             for at, event in enumerate(trace.events(kinds=["complete"])))
    for dur_ns, _, line in heapq.nlargest(10, spans):
        print(f"{dur_ns:12} ns  {line}")
