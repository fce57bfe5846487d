# SPDX-License-Identifier: Apache-2.0
"""Execution traces of every format that libstele knows: read, asked, written.

    import stele

    with stele.open("trace.fxt") as trace:
        for event in trace.events(order="time", where="dur > 1ms"):
            print(event, event.fields.get("len"))

    with stele.open("trace.fxt") as trace:
        table = trace.table(kinds=["complete"])        # numpy: a structured array of all events
        print((table["id"] - table["time_ns"]).max())  # the longest of them, in ns
        for row in trace.profile()[:3]:
            print(row.name, row.self_ns, row.count)
        print(trace.statistics(by="name", of="dur")[0].of[0].p99)
        print(trace.table("slice").pandas().groupby("name")["dur"].describe())

A pure Python package over ctypes: nothing is compiled; numpy is needed for arrays only, pandas and
pyarrow where they are named. Times are in nanoseconds of the trace's clock unless a name says
otherwise. An object belongs to one thread at a time; traces that are opened apart share nothing.
"""

from ._analysis import Figures, Group, ProfileRow
from ._library import KINDS
from ._table import Table, table_columns, tables
from ._trace import (Batch, Event, Finding, Format, Loss, SteleError, Trace, Track, Writer, create,
                     event_dtype, formats, open, version)

__all__ = ["KINDS", "Batch", "Event", "Figures", "Finding", "Format", "Group", "Loss", "ProfileRow",
           "SteleError", "Table", "Trace", "Track", "Writer", "create", "event_dtype", "formats",
           "open", "table_columns", "tables", "version"]
__version__ = version()
