# SPDX-License-Identifier: Apache-2.0
"""Figures of traces: where the time goes by name, and statistics by expressions."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union

from . import _library as c
from ._library import library

if TYPE_CHECKING:
    from ._trace import Trace, Track

PROFILE_ORDERS = ("self", "total", "count", "max", "mean", "name")
_PROFILE_KINDS = sum(1 << c.KINDS.index(kind)
                     for kind in ("begin", "end", "tail-exit", "complete", "sample"))

#: A value of an expression; None if the event does not have it.
Value = Union[int, float, str, None]


@dataclass(frozen=True)
class ProfileRow:
    """Figures of all calls of one name. `total_ns` leaves out calls inside of a call of the same
    name, the other figures do not, so that it can be less than `count` times `mean_ns`. `self_ns`
    is the time without the calls that were made by them. Percentiles are at most 3.2 % too
    large."""

    name: str
    track: "Optional[Track]"  #: None: the row is of all tracks
    count: int  #: calls with a known duration
    total_ns: int
    self_ns: int
    mean_ns: int
    min_ns: int
    p50_ns: int
    p90_ns: int
    p99_ns: int
    max_ns: int
    unended_count: int  #: calls that an exception or the end of the trace left open
    lost_count: int  #: ends without a begin; in no other figure
    is_sampled: bool  #: from samples of the tracer: only count, self_ns and total_ns are known


@dataclass(frozen=True)
class Figures:
    """Figures of the values that one expression has in one group. Percentiles are at most 3.2 %
    too large where they are not exact, and None where there was no room for them."""

    count: int  #: rows for which the expression gives a number
    sum: Value
    min: Value
    max: Value
    mean: Optional[float]
    stddev: Optional[float]
    p50: Value
    p90: Value
    p99: Value
    p999: Value
    distinct: Optional[int]  #: number of different values; None unless it was asked for


@dataclass(frozen=True)
class Group:
    """Rows that have the same values of all expressions `by`."""

    keys: Tuple[Value, ...]
    count: int  #: number of rows
    of: Tuple[Figures, ...]  #: figures of each expression in `of`
    is_other: bool  #: stands for all groups beyond the limit


def profile(trace: "Trace", request: c.Request, order: str, by_track: bool) -> List[ProfileRow]:
    if order not in PROFILE_ORDERS:
        raise ValueError(f"no order {order!r}; there are {', '.join(PROFILE_ORDERS)}")
    handle = ctypes.c_void_p()
    only = c.Request.from_buffer_copy(request)
    options = c.ProfileOptions(struct_size=ctypes.sizeof(c.ProfileOptions), by_track=by_track,
                               only=ctypes.pointer(only))
    check = trace._context.check
    check(library.stele_profile_new(trace._context.handle, ctypes.byref(options),
                                    ctypes.byref(handle)))
    try:
        _leave_choice(request, _PROFILE_KINDS, library.stele_profile_columns(handle))
        _feed(trace, request, handle, library.stele_profile_set_window, library.stele_profile_add)
        check(library.stele_profile_finish(handle))
        rows, count = ctypes.POINTER(c.ProfileRow)(), ctypes.c_size_t()
        check(library.stele_profile_rows(handle, PROFILE_ORDERS.index(order), ctypes.byref(rows),
                                         ctypes.byref(count)))
        return [_profile_row(trace, rows[at]) for at in range(count.value)]
    finally:
        library.stele_profile_free(handle)


def _profile_row(trace: "Trace", row: c.ProfileRow) -> ProfileRow:
    return ProfileRow(trace._context.name(row.name), trace.track(row.track), row.count,
                      row.total_ns, row.self_ns, row.sum_ns // row.count if row.count else 0,
                      row.min_ns, row.p50_ns, row.p90_ns, row.p99_ns, row.max_ns,
                      row.unended_count, row.lost_count, row.is_sampled)


def stats(trace: "Trace", request: c.Request, by: Optional[str], of: Optional[str],
          distinct: bool) -> List[Group]:
    handle = ctypes.c_void_p()
    only = c.Request.from_buffer_copy(request)
    options = c.StatsOptions(struct_size=ctypes.sizeof(c.StatsOptions),
                             by=None if by is None else by.encode(),
                             of=None if of is None else of.encode(),
                             only=ctypes.pointer(only), has_distinct=distinct)
    check = trace._context.check
    check(library.stele_stats_new(trace._context.handle, ctypes.byref(options),
                                  ctypes.byref(handle)))
    try:
        _leave_choice(request, library.stele_stats_kinds(handle),
                      library.stele_stats_columns(handle))
        request.order = library.stele_stats_request_order(handle)
        _feed(trace, request, handle, library.stele_stats_set_window, library.stele_stats_add)
        check(library.stele_stats_finish(handle))
        return [_group(handle, at) for at in range(library.stele_stats_group_count(handle))]
    finally:
        library.stele_stats_free(handle)


def _leave_choice(request: c.Request, kinds: int, columns: int) -> None:
    """Leaves it to the analysis to choose among the events, since it must see all of them."""
    request.kinds, request.columns, request.where = kinds, columns, None
    request.names = request.categories = c.Globs()
    request.from_start = True


def _feed(trace: "Trace", request: c.Request, handle: Any, set_window: Any, add: Any) -> None:
    from ._trace import _Reader
    check, segment = trace._context.check, c.Segment()
    reader = _Reader(trace, request)
    try:
        about = c.Stats(struct_size=ctypes.sizeof(c.Stats))
        library.stele_reader_get_stats(reader.handle, ctypes.byref(about))
        check(set_window(handle, about.range_begin_ns, about.range_end_ns))
        while True:
            status = library.stele_reader_next(reader.handle, ctypes.byref(segment))
            if status == c.END:
                return
            check(status)
            check(add(handle, ctypes.byref(segment)))
    finally:
        reader.close()


def _value(value: c.Value) -> Value:
    if value.type == c.VALUE_INT:
        return value.u.i
    if value.type == c.VALUE_UINT:
        return value.u.u
    if value.type == c.VALUE_FLOAT:
        return value.u.f
    if value.type == c.VALUE_TEXT:
        return str(value.u.text)
    if value.type == c.VALUE_WIDE:
        return (value.u.wide.high << 64) | value.u.wide.low
    return None


def _group(handle: Any, at: int) -> Group:
    group = library.stele_stats_get_group(handle, at).contents
    keys = tuple(str(key.label) if key.label.size else _value(key)
                 for key in group.keys[:library.stele_stats_by_count(handle)])
    figures = []
    raw = c.StatsFigures(struct_size=ctypes.sizeof(c.StatsFigures))
    for of in range(library.stele_stats_of_count(handle)):
        library.stele_stats_get_figures(handle, at, of, ctypes.byref(raw))
        figures.append(Figures(
            raw.count, _value(raw.sum), _value(raw.min), _value(raw.max),
            raw.mean if raw.count else None, raw.stddev if raw.count else None,
            _value(raw.p50), _value(raw.p90), _value(raw.p99), _value(raw.p999),
            raw.distinct_count if raw.has_distinct else None))
    return Group(keys, group.row_count, tuple(figures), group.is_other)
