#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the events of a trace by their names, the most frequent first."""
import collections
import sys

import stele

counts = collections.Counter()
with stele.open(sys.argv[1]) as trace:
    for event in trace.events(order="none"):
        counts[event.name] += 1
    for name, count in counts.most_common():
        print(f"{count:8}  {name}")
    for finding in trace.findings:
        print(finding, file=sys.stderr)
