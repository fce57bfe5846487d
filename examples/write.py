#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a trace of a format: write.py OUT FORMAT."""
import sys

import stele

with stele.create(sys.argv[1], sys.argv[2]) as writer:
    process = writer.track("process", 1, "server")
    thread = writer.track("thread", 10, "work", parent=process)
    for i in range(100):
        writer.event("complete", i * 1000, "request", track=thread, end_ns=i * 1000 + 10 * i,
                     fields={"size": 512 * i, "path": "/index"})
    for loss in writer.losses:  # what the format could not carry
        print(loss, file=sys.stderr)
