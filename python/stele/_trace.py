# SPDX-License-Identifier: Apache-2.0
"""Traces, their events, and writing them."""

from __future__ import annotations

import collections
import ctypes
import mmap
import numbers
import operator
import os
import weakref
from dataclasses import dataclass
from typing import (TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple,
                    Union, overload)

from . import _analysis
from . import _library as c
from ._analysis import Group, ProfileRow
from ._library import library
from ._table import Table

if TYPE_CHECKING:
    import numpy

_SEVERITIES = ("note", "warning", "error")
_SCALARS = {c.TYPE_UINT, c.TYPE_POINTER, c.TYPE_KOID}
_ARRAYS = {c.TYPE_UINTS: ("Q", ctypes.c_uint64), c.TYPE_INTS: ("q", ctypes.c_int64),
           c.TYPE_FLOATS: ("d", ctypes.c_double)}
_COLUMN_TYPES = {"int": (c.TYPE_INT, "int64"), "uint": (c.TYPE_UINT, "uint64"),
                 "float": (c.TYPE_FLOAT, "float64")}
_ROOM_STEP = 1 << 16  # elements that an array has room for at first


class SteleError(Exception):
    """A call of the library failed. `findings` says what was wrong, and where."""

    def __init__(self, message: str, findings: Sequence["Finding"] = ()):
        errors = [f.text for f in findings if f.severity == "error"]
        super().__init__("; ".join([message] + errors[-1:]))
        self.findings = list(findings)


@dataclass(frozen=True)
class Finding:
    """What was wrong in an input: a stable code, and where (`offset` None: at no place)."""

    code: str
    severity: str
    title: str
    source: Optional[str]
    offset: Optional[int]
    size: int
    expected: Optional[str]
    found: str
    lost_count: int
    text: str


@dataclass(frozen=True)
class Loss:
    """A loss: what a format could not carry, or only in another form (`is_form`: nothing is lost).
    `kind` is that of the events concerned, or "none"."""

    kind: str
    what: str
    is_dropped: bool
    count: int
    is_form: bool = False


@dataclass(frozen=True)
class Format:
    """A format that the library was built with."""

    name: str
    title: str
    extensions: Tuple[str, ...]
    can_read: bool
    can_write: bool
    can_copy: bool
    versions: Tuple[str, ...]  # what `version` of create() can be; (): there is only one
    write_settings: Tuple[str, ...]  # keys that `settings` of create() can have


def version() -> str:
    """The version of the library that was loaded, as "0.1.0"."""
    return library.stele_version().decode()


def formats() -> List[Format]:
    """All formats of the library."""
    found = []
    info = c.FormatInfo(struct_size=ctypes.sizeof(c.FormatInfo))
    while library.stele_format_get(len(found), ctypes.byref(info)):
        found.append(Format(info.name.decode(), info.title.decode(),
                            tuple(info.extensions.decode().split()), info.can_read, info.can_write,
                            info.can_copy,
                            tuple(filter(None, info.versions.decode().split(", "))),
                            tuple(info.write_settings.decode().split())))
    return found


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8", "backslashreplace")


def _settings(given: Optional[Dict[str, str]]):
    """An array of settings for the library, and its length."""
    given = given or {}
    made = (c.Setting * max(len(given), 1))()
    for at, (key, value) in enumerate(given.items()):
        made[at].key, made[at].value = key.encode(), str(value).encode()
    return made, len(given)


def _integer(what: str, value: Any, first: int, end: int) -> int:
    """The value as an integer of [first, end); raises TypeError for what is none, as a float."""
    number = operator.index(value)
    if not first <= number < end:
        raise ValueError(f"{what}: {number} is not from {first} to {end - 1}")
    return number


class _Context:
    """A context of the library, and the findings that were reported to it."""

    def __init__(self, findings_max: int = 1000):
        self.findings: List[Finding] = []
        self.finding_count = 0
        # The last findings that came with no error that was raised.
        self._recent: "collections.deque[Finding]" = collections.deque(maxlen=100)
        self._findings_max = findings_max
        self._handler = c.DIAG_FN(self._take)  # kept alive as long as the library may call it
        options = c.ContextOptions(struct_size=ctypes.sizeof(c.ContextOptions), diag=self._handler)
        handle = ctypes.c_void_p()
        self.handle = None
        self.check(library.stele_context_new(ctypes.byref(options), ctypes.byref(handle)))
        self.handle = handle

    def _take(self, _user, pointer):
        self.finding_count += 1
        diag = pointer.contents
        code = diag.code.contents
        line = ctypes.create_string_buffer(4096)
        library.stele_diag_line(pointer, False, line, len(line))
        finding = Finding(
            code.code.decode(), _SEVERITIES[code.severity], code.title.decode(),
            _text(diag.source), None if diag.offset == 2**64 - 1 else diag.offset, diag.size,
            _text(diag.expected), _text(diag.found), diag.lost_count, _text(line.value))
        self._recent.append(finding)
        if len(self.findings) < self._findings_max:
            self.findings.append(finding)

    def check(self, status: int) -> None:
        """Raises an error with the findings since the last one."""
        if status != c.OK:
            since = list(self._recent)
            self._recent.clear()
            raise SteleError(library.stele_status_text(status).decode(), since)

    def name(self, number: int, batch=None) -> str:
        return str(library.stele_name_text(self.handle, batch, number))

    def intern(self, text: str) -> int:
        raw = text.encode("utf-8", "surrogateescape")
        number = library.stele_name_intern(self.handle, raw, len(raw))
        if number == 2**32 - 1:
            raise SteleError("the pool of names is full")
        return number

    def close(self) -> None:
        if self.handle is not None:
            library.stele_context_free(self.handle)
            self.handle = None


class Track:
    """A line of time that events are on: a thread, a CPU, a process, a stream."""

    __slots__ = ("number", "kind", "name", "parent")

    def __init__(self, number: int, kind: str, name: str, parent: Optional["Track"]):
        self.number, self.kind, self.name, self.parent = number, kind, name, parent

    def __str__(self) -> str:
        return f"{self.name} ({self.number})" if self.name else f"{self.kind} {self.number}"

    def __repr__(self) -> str:
        return f"<Track {self}>"


class Event:
    """One event. Its numbers hold for good; its name, category, fields and text until the next
    batch is taken, after which they raise SteleError. `keep()` copies all of them."""

    __slots__ = ("_batch", "_raw", "_at")

    def __init__(self, batch: "Batch", raw, at: int):
        self._batch, self._raw, self._at = batch, raw, at

    @property
    def kind(self) -> str:
        """The kind of the event: one of stele.KINDS."""
        return c.KINDS[self._raw.kind]

    @property
    def time_ns(self) -> Optional[int]:
        """Time in ns on the scale of the clock; None if the record has no time."""
        return None if self._raw.flags & c.FLAG_NO_TIME else self._raw.time_ns

    @property
    def end_ns(self) -> Optional[int]:
        """End of a complete event in ns; None for other events."""
        if self._raw.kind != 1:
            return None
        end = self._raw.id
        return end - 2**64 if end >= 2**63 else end

    @property
    def dur_ns(self) -> Optional[int]:
        """Duration of a complete event in ns; None for other events."""
        return None if self._raw.kind != 1 else self.end_ns - self._raw.time_ns

    @property
    def name(self) -> str:
        """Name of the event: what happened; "" if it has no name."""
        return self._batch._name(self._raw.name)

    @property
    def category(self) -> str:
        """Category that the tracer gave the event; "" for none."""
        return self._batch._category(self._raw.category)

    @property
    def track(self) -> Optional[Track]:
        """Track that the event is on; None for no track."""
        return self._batch._trace.track(self._raw.track)

    @property
    def cpu(self) -> Optional[int]:
        """Number of the CPU on which the event happened; None if the record does not say."""
        return self._raw.cpu if self._raw.flags & c.FLAG_HAS_CPU else None

    @property
    def ticks(self) -> int:
        """Time as the record has it, in ticks of its clock."""
        return self._raw.ticks

    @property
    def value(self) -> int:
        """A number whose meaning depends on the kind: see <stele/event.h>."""
        return self._raw.value

    @property
    def id(self) -> int:
        """A number whose meaning depends on the kind: see <stele/event.h>."""
        return self._raw.id

    @property
    def offset(self) -> int:
        """Offset of the record's first byte in its input."""
        return self._raw.offset

    @property
    def size(self) -> int:
        """Size of the record in bytes."""
        return self._raw.size

    @property
    def fields(self) -> Dict[str, Any]:
        """The event's fields by name, with those of its contexts: numbers, strings, bytes, lists,
        dicts. Of several fields with one name the first counts."""
        return self._batch._event_fields(self._raw)

    def keep(self) -> Dict[str, Any]:
        """Copies all properties of the event into a dict."""
        return {"kind": self.kind, "time_ns": self.time_ns, "end_ns": self.end_ns,
                "name": self.name, "category": self.category, "track": self.track,
                "cpu": self.cpu, "ticks": self.ticks, "value": self.value, "id": self.id,
                "offset": self.offset, "size": self.size, "fields": self.fields}

    def __str__(self) -> str:
        return self._batch._line(self._at)

    def __repr__(self) -> str:
        return f"<Event {self}>"


class Batch:
    """A run of events of one stream. It can be used until the next batch is taken or the trace is
    closed; after that it raises SteleError."""

    __slots__ = ("_trace", "_context", "_reader", "_turn", "_segment", "_first", "_count")

    def __init__(self, reader: "_Reader", segment: c.Segment):
        self._trace, self._context = reader.trace, reader.trace._context
        self._reader, self._turn = reader, reader.turn
        self._segment, self._first, self._count = segment, segment.first, segment.count

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Event]:
        events = self._pointer.contents.events
        for at in range(self._first, self._first + self._count):
            if self._turn != self._reader.turn:
                self._pointer  # raises SteleError
            yield Event(self, c.Event.from_buffer_copy(events[at]), at)

    @property
    def _pointer(self):
        """The library's batch; raises SteleError if that was filled again."""
        if self._turn != self._reader.turn:
            raise SteleError("the batch was given back: take what you need of it before the next "
                             "one, with Event.keep() or a copy of the array")
        return self._segment.batch

    def _name(self, number: int) -> str:
        return self._context.name(number, self._pointer)

    def _category(self, number: int) -> str:
        pointer = self._pointer
        return self._context.name(library.stele_category_name(self._context.handle, number), pointer)

    def _line(self, at: int) -> str:
        pointer = self._pointer
        return str(library.stele_event_line(self._context.handle, pointer,
                                            ctypes.byref(pointer.contents.events[at])))

    @property
    def stream(self) -> int:
        """Number of the stream that the events are of."""
        return self._pointer.contents.stream

    def array(self) -> "numpy.ndarray":
        """The events as a structured numpy array (see event_dtype()), without a copy: the next
        batch reuses the memory of the array, and closing the trace frees it."""
        import numpy
        first = ctypes.addressof(self._pointer.contents.events[self._first])
        raw = (ctypes.c_char * (64 * self._count)).from_address(first)
        return numpy.frombuffer(raw, event_dtype())

    def column(self, name: str, type: str = "int") -> "Tuple[numpy.ndarray, numpy.ndarray]":
        """One field of each event as a numpy array, and which of them have it (see
        Trace.columns())."""
        import numpy
        number, dtype = _COLUMN_TYPES[type]
        self._pointer  # raises SteleError if the batch cannot be used any more
        values = numpy.zeros(self._count, dtype)
        there = numpy.zeros(self._count, bool)
        library.stele_segment_column(ctypes.byref(self._segment), self._context.intern(name),
                                     number, values.ctypes.data, there.ctypes.data)
        return values, there

    def _event_fields(self, raw) -> Dict[str, Any]:
        batch = self._pointer.contents
        first = ctypes.c_uint32()
        count = library.stele_event_fields(self._pointer, ctypes.byref(raw), ctypes.byref(first))
        made: Dict[str, Any] = {}
        self._members(made, first.value, count)
        self._members(made, batch.context_first, batch.context_count)
        return made

    def _members(self, made: Dict[str, Any], first: int, count: int) -> None:
        fields = self._pointer.contents.fields
        at, end = first, first + count
        while at < end:
            field = fields[at]
            if not field.hint & c.HINT_RAW:
                made.setdefault(self._context.name(field.name, self._pointer), self._value(at))
            at += _field_length(field)

    def _value(self, at: int) -> Any:
        batch = self._pointer.contents
        field = batch.fields[at]
        kind = field.type
        if kind in _SCALARS:
            return field.u.u
        if kind == c.TYPE_INT:
            return field.u.i
        if kind == c.TYPE_FLOAT:
            return field.u.f
        if kind == c.TYPE_BOOL:
            return field.u.u != 0
        if kind == c.TYPE_NULL:
            return None
        if kind >= c.TYPE_STRUCT:
            return self._run(at, field)
        text = library.stele_field_text(self._context.handle, self._pointer, ctypes.byref(field))
        if kind in (c.TYPE_STRING, c.TYPE_NAME):
            return str(text)
        if kind == c.TYPE_BIGINT:
            return int.from_bytes(text.raw(), "little", signed=bool(field.hint & c.HINT_SIGNED))
        if kind in _ARRAYS:
            return memoryview(text.raw()).cast(_ARRAYS[kind][0]).tolist()
        return text.raw()

    def _run(self, at: int, field) -> Any:
        first, count = at + 1 + field.label_count, field.u.run.length
        if field.type != c.TYPE_ARRAY:
            made: Dict[str, Any] = {}
            self._members(made, first, count)
            return made
        items, end = [], first + count
        while first < end:
            items.append(self._value(first))
            first += _field_length(self._pointer.contents.fields[first])
        return items


def _field_length(field) -> int:
    """Entries of a field on the tape: itself, its labels, the members of its run."""
    return 1 + field.label_count + (field.u.run.length if field.type >= c.TYPE_STRUCT else 0)


class _Room:
    """Memory for an array whose length is not known in advance: it grows without being copied, and
    new elements are zeros."""

    def __init__(self, dtype):
        import numpy
        self.dtype = numpy.dtype(dtype)
        self.memory, self.capacity, self.address = None, 0, 0

    def reserve(self, count: int) -> None:
        if count > self.capacity:
            self._resize(max(count, self.capacity * 2, _ROOM_STEP))

    def array(self, count: int):
        import numpy
        if count == 0:
            return numpy.empty(0, self.dtype)
        self._resize(count)
        return numpy.frombuffer(self.memory, self.dtype, count)

    def _resize(self, capacity: int) -> None:
        size = capacity * self.dtype.itemsize
        if self.memory is None:
            self.memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        else:
            self.memory.resize(size)
        self.capacity = capacity
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))


def event_dtype() -> "numpy.dtype":
    """The numpy type of an event, 64 bytes, as <stele/event.h> describes it."""
    import numpy
    short = {ctypes.c_int64: "i8", ctypes.c_uint64: "u8", ctypes.c_uint32: "u4",
             ctypes.c_uint16: "u2", ctypes.c_uint8: "u1"}
    return numpy.dtype([(name, short[kind]) for name, kind in c.Event._fields_])


def _kinds(kinds: Union[str, Iterable[str], None]) -> int:
    bits = 0
    for kind in (kinds,) if isinstance(kinds, str) else kinds or ():
        if kind not in c.KINDS[1:]:
            raise ValueError(f"no kind {kind!r}; there are {', '.join(c.KINDS[1:])}")
        bits |= 1 << c.KINDS.index(kind)
    return bits


def _globs(patterns: Union[str, Sequence[str], None]) -> c.Globs:
    if patterns is None:
        return c.Globs()
    if isinstance(patterns, str):
        patterns = [patterns]
    made = (ctypes.c_char_p * max(len(patterns), 1))(*[p.encode() for p in patterns])
    return c.Globs(made, len(patterns))


def _bound(text: Optional[str]) -> c.Bound:
    bound, error = c.Bound(), ctypes.c_char_p()
    if text is not None and not library.stele_bound_parse(text.encode(), ctypes.byref(bound),
                                                          ctypes.byref(error)):
        raise ValueError(f"{text!r}: {_text(error.value)}")
    return bound


def _request(kinds: Union[str, Iterable[str], None] = None,
             names: Union[str, Sequence[str], None] = None,
             categories: Union[str, Sequence[str], None] = None,
             tracks: Union[str, Sequence[str], None] = None, begin: Optional[str] = None,
             end: Optional[str] = None, where: Optional[str] = None, order: str = "time",
             check: bool = False) -> c.Request:
    if order not in c.ORDERS:
        raise ValueError(f"no order {order!r}; there are {', '.join(c.ORDERS)}")
    return c.Request(struct_size=ctypes.sizeof(c.Request), kinds=_kinds(kinds),
                     order=c.ORDERS[order], check=check, begin=_bound(begin), end=_bound(end),
                     names=_globs(names), categories=_globs(categories), tracks=_globs(tracks),
                     where=None if where is None else where.encode())


class _Reader:
    """One reading of a trace. Its batches keep it open; it is closed after the last, or with the
    trace."""

    def __init__(self, trace: "Trace", request: c.Request):
        self.trace = trace
        self.turn = 0  # number of the current batch; earlier batches cannot be used any more
        self.handle = ctypes.c_void_p()
        traces = (ctypes.c_void_p * 1)(trace._open_handle())
        trace._context.check(library.stele_reader_open(
            trace._context.handle, traces, 1, ctypes.byref(request), ctypes.byref(self.handle)))
        trace._readers.add(self)

    def batches(self) -> Iterator[Batch]:
        while self.handle:
            segment = c.Segment()
            self.turn += 1
            status = library.stele_reader_next(self.handle, ctypes.byref(segment))
            if status == c.END:
                self.take_stats()
                return
            self.trace._context.check(status)
            yield Batch(self, segment)

    def table(self):
        room, used, count = _Room(event_dtype()), 0, ctypes.c_size_t()
        while True:
            room.reserve(used + 1)
            status = library.stele_reader_read(self.handle, room.address + used * 64,
                                               room.capacity - used, ctypes.byref(count))
            if status == c.END:
                return room.array(used)
            self.trace._context.check(status)
            used += count.value

    def columns(self, fields: Dict[str, str]):
        context, segment, used, room = self.trace._context, c.Segment(), 0, 0
        handle, reference = self.handle, ctypes.byref(segment)
        read, take = library.stele_reader_next, library.stele_segment_column
        columns = [(name, context.intern(name), _COLUMN_TYPES[type][0],
                    _Room(_COLUMN_TYPES[type][1]), _Room("bool")) for name, type in fields.items()]
        places: List[Tuple[int, int, int, int]] = []
        while True:
            self.turn += 1
            status = read(handle, reference)
            if status != c.OK:
                if status == c.END:
                    break
                context.check(status)
            count = segment.count
            if used + count > room:
                for _, _, _, values, there in columns:
                    values.reserve(used + count)
                    there.reserve(used + count)
                room = min((column[3].capacity for column in columns), default=2**63)
                places = [(number, type, values.address, there.address)
                          for _, number, type, values, there in columns]
            for number, type, values_at, there_at in places:
                take(reference, number, type, values_at + used * 8, there_at + used)
            used += count
        self.take_stats()
        return {name: (values.array(used), there.array(used))
                for name, _, _, values, there in columns}

    def take_stats(self) -> None:
        stats = c.Stats(struct_size=ctypes.sizeof(c.Stats))
        library.stele_reader_get_stats(self.handle, ctypes.byref(stats))
        made = {name: getattr(stats, name) for name in
                ("event_count", "filtered_count", "late_count", "unordered_count", "lost_count",
                 "missing_count")}
        made.update({name: getattr(stats.balance, name) for name in
                     ("record_size", "padding_size", "skipped_size")})
        self.trace.stats = made

    def close(self) -> None:
        if self.handle:
            self.turn += 1
            self.take_stats()
            library.stele_reader_close(self.handle)
            self.handle = ctypes.c_void_p()

    def __del__(self):
        if getattr(self, "handle", None):
            self.close()


class Trace:
    """A trace that is open: a file, a directory (CTF), an archive, or "-" for standard input."""

    def __init__(self, path: Union[str, os.PathLike], format: Optional[str] = None,
                 settings: Optional[Dict[str, str]] = None):
        self._context = _Context()
        self._handle = ctypes.c_void_p()
        self._tracks: Dict[int, Track] = {}
        self._readers: "weakref.WeakSet[_Reader]" = weakref.WeakSet()
        self._lent_count = 0  # Arrow streams of this trace that others still read
        self._is_closed = False
        #: Counts of the last reading that ended or was left: events, losses, bytes.
        self.stats: Dict[str, int] = {}
        made, count = _settings(settings)
        options = c.TraceOptions(struct_size=ctypes.sizeof(c.TraceOptions), settings=made,
                                 setting_count=count,
                                 format=None if format is None else format.encode())
        try:
            self._context.check(library.stele_trace_open(
                self._context.handle, os.fsencode(path), ctypes.byref(options),
                ctypes.byref(self._handle)))
        except SteleError:
            self._context.close()
            raise

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *_exception) -> None:
        self.close()

    def close(self) -> None:
        """Closes the trace; its batches cannot be used afterwards."""
        self._is_closed = True
        for reader in list(self._readers):
            reader.close()
        if self._lent_count:
            return  # _give_back() closes the trace when the last stream is released
        if self._handle:
            library.stele_trace_close(self._handle)
            self._handle = ctypes.c_void_p()
        self._context.close()

    def __del__(self):
        if getattr(self, "_readers", None) is not None:
            self.close()

    def _lend(self) -> None:
        self._lent_count += 1

    def _give_back(self) -> None:
        self._lent_count -= 1
        if self._is_closed:
            self.close()

    def _open_handle(self):
        if self._is_closed or not self._handle:
            raise SteleError("the trace is closed")
        return self._handle

    @property
    def info(self) -> Dict[str, Any]:
        """Properties of the trace: path, format, title, version, reason, packing, is_big_endian,
        size (bytes as stored, None if not known)."""
        about = library.stele_trace_get_info(self._open_handle()).contents
        made = {name: _text(getattr(about, name)) for name in
                ("path", "format", "title", "version", "reason", "packing")}
        made["is_big_endian"] = about.is_big_endian
        made["size"] = about.size if about.has_size else None
        return made

    @property
    def properties(self) -> Dict[str, str]:
        """Properties that only the trace's format has, as far as the trace was read."""
        made: Dict[str, str] = {}
        key, value = ctypes.c_char_p(), ctypes.c_char_p()
        at = 0
        while library.stele_trace_property(self._open_handle(), at, ctypes.byref(key),
                                           ctypes.byref(value)):
            made[_text(key.value)] = _text(value.value)
            at += 1
        return made

    @property
    def findings(self) -> List[Finding]:
        """What was wrong in the trace, as far as it was read; the first thousand findings."""
        return self._context.findings

    @property
    def wall_ns(self) -> Optional[int]:
        """Wall-clock time at time 0 of the first stream's clock, in ns since 1970-01-01 UTC; None
        if the trace does not know it, or was not read yet."""
        for number in range(library.stele_stream_count(self._context.handle)):
            clock = library.stele_stream_get(self._context.handle, number).contents.clock
            if clock.has_wall:
                return clock.wall_ns
        return None

    def batches(self, **request: Any) -> Iterator[Batch]:
        """Gives the events in batches. The request is that of events()."""
        return _Reader(self, _request(**request)).batches()

    def events(self, **request: Any) -> Iterator[Event]:
        """Gives the events one by one.

        kinds: a name of a kind, or several; names, categories, tracks: glob patterns; begin, end:
        as the command takes them ("1.5s", "-10ms", "2024-05-01T10:00:00Z"); where: an expression
        ("dur > 1ms and arg.len >= 4096"); order: "time", "streams" (each track by time), "none" (as
        the records are stored), "window" (by time in bounded memory; what comes too late for that
        comes late) or "full" (by time, always through a temporary file); check: True judges every
        byte against the rules of the format.
        """
        for batch in self.batches(**request):
            yield from batch

    @overload
    def table(self, name: None = None, columns: None = None, fields: None = None,
              **request: Any) -> "numpy.ndarray": ...

    @overload
    def table(self, name: str, columns: Optional[Sequence[str]] = None,
              fields: Optional[Dict[str, str]] = None, **request: Any) -> Table: ...

    def table(self, name: Optional[str] = None, columns: Optional[Sequence[str]] = None,
              fields: Optional[Dict[str, str]] = None,
              **request: Any) -> "Union[Table, numpy.ndarray]":
        """With a name, that table ("event", "slice", "thread_state", ...; stele.tables() has all):
        a Table, whose numpy(), pandas() and arrow() give its columns. `columns` chooses some, and
        `fields` adds those of events: {"len": "int"} is the column "arg.len". The request is that of
        events(), without an order; tables of spans, states and tracks take begin, end and tracks.

        Without a name, all events as one structured numpy array (see event_dtype()), whose names()
        are looked up by number. The request is that of events(). Takes 64 bytes for each event."""
        if name is not None:
            return Table(self, name, columns, fields, _request(**request))
        reader = _Reader(self, _request(**request))
        try:
            return reader.table()
        finally:
            reader.close()

    def columns(self, fields: Dict[str, str],
                **request: Any) -> "Dict[str, numpy.ma.MaskedArray]":
        """Fields of all events as numpy arrays: {"len": "uint", "ratio": "float"} gives a dict with
        a masked array for each. "int" and "uint" have 64 bits; a value that is not a number, or
        does not fit exactly, is masked."""
        import numpy
        reader = _Reader(self, _request(**request))
        try:
            read = reader.columns(fields)
        finally:
            reader.close()
        return {name: numpy.ma.array(values, mask=numpy.logical_not(there, out=there), copy=False)
                for name, (values, there) in read.items()}

    def profile(self, order: str = "self", by_track: bool = False,
                **request: Any) -> List[ProfileRow]:
        """Where the time goes: a row for each name of calls, the largest first by "self",
        "total", "count", "max" or "mean", or by "name"; with `by_track`, for each name on each
        track. The request is that of events(), without an order, and says which calls count."""
        request["order"] = "streams"
        return _analysis.profile(self, _request(**request), order, by_track)

    def statistics(self, by: Optional[str] = None, of: Optional[str] = None, distinct: bool = False,
              **request: Any) -> List[Group]:
        """Groups of events, or of calls if an expression uses `dur`, and figures of each group:
        statistics(by="name, cpu", of="dur, arg.len"). `by` and `of` are expressions, separated by
        commas, as events() takes them in `where`; without `by` all are one group. `distinct` counts
        different values, up to 1,000 of them exactly. The request is that of events(), without an order."""
        request["order"] = "streams"
        return _analysis.stats(self, _request(**request), by, of, distinct)

    def check(self) -> List[Finding]:
        """Reads the whole trace, checks every byte against the rules of the format, and returns the
        findings."""
        reader = _Reader(self, _request(order="none", check=True))
        try:
            for _ in reader.batches():
                pass
        finally:
            reader.close()
        return self.findings

    def name(self, number: int) -> str:
        """The text of a name by its number, as in table()["name"]; empty for names that only their
        batch knows."""
        self._open_handle()
        return self._context.name(number)

    def track(self, number: int) -> Optional[Track]:
        """The track with a number, as in table()["track"]; None for 0."""
        if number == 0:
            return None
        self._open_handle()
        found = library.stele_track_get(self._context.handle, number)
        if not found:
            raise ValueError(f"the trace has no track {number}")
        raw = found.contents
        known = self._tracks.get(number)
        name = self._context.name(raw.name)
        if known is None or known.name != name:
            known = Track(raw.number, library.stele_track_kind_text(raw.kind).decode(), name,
                          self.track(raw.parent))
            self._tracks[number] = known
        return known


def open(path: Union[str, os.PathLike], format: Optional[str] = None,
         settings: Optional[Dict[str, str]] = None) -> Trace:
    """Opens a trace. `format` None recognises it by its content. Raises SteleError."""
    return Trace(path, format, settings)


class Writer:
    """A trace that is being written. No file has its name until it is finished."""

    def __init__(self, path: Union[str, os.PathLike], format: str, replace: bool = False,
                 version: Optional[str] = None, settings: Optional[Dict[str, str]] = None,
                 like: Optional[Trace] = None, wall_ns: Optional[int] = None):
        self._context = like._context if like is not None else _Context()
        self._owns_context = like is None
        self._handle = ctypes.c_void_p()
        self._batch = ctypes.POINTER(c.Batch)()
        self._names: Dict[str, int] = {}
        made, count = _settings(settings)
        options = c.WriterOptions(struct_size=ctypes.sizeof(c.WriterOptions), replace=replace,
                                  version=None if version is None else version.encode(),
                                  settings=made, setting_count=count)
        if wall_ns is not None:
            clock = c.Clock(domain=1, has_wall=True,
                            wall_ns=_integer("wall_ns", wall_ns, -2**63, 2**63))
            options.clock = ctypes.pointer(clock)
        try:
            self._context.check(library.stele_batch_new(0, ctypes.byref(self._batch)))
            self._context.check(library.stele_writer_open(
                self._context.handle, os.fsencode(path), format.encode(), ctypes.byref(options),
                ctypes.byref(self._handle)))
        except SteleError:
            self._free()
            raise

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, exception, *_rest) -> None:
        try:
            if exception is None:
                self.finish()
        finally:
            self.close()

    def track(self, kind: str, number: int, name: str = "", parent: int = 0) -> int:
        """Returns the number of a track, for event(): kind is "process", "thread", "cpu",
        "stream", "substream" or "provider"."""
        kinds = ("none", "other", "process", "thread", "cpu", "stream", "substream", "provider")
        raw = c.Track(kind=kinds.index(kind), parent=parent, number=number)
        made = library.stele_track_intern(self._context.handle, ctypes.byref(raw))
        if name:
            library.stele_track_set_name(self._context.handle, made, self._name(name))
        return made

    def event(self, kind: str, time_ns: int, name: str = "", *, category: str = "", track: int = 0,
              end_ns: Optional[int] = None, value: int = 0, id: int = 0, cpu: Optional[int] = None,
              fields: Optional[Dict[str, Any]] = None) -> None:
        """Adds an event. A "complete" one, and no other, has an `end_ns`. Fields are numbers,
        strings, bytes, booleans, None, and lists and dicts of them. Raises TypeError or ValueError
        for what is none of these or does not fit; nothing is then added."""
        if kind not in c.KINDS[1:]:
            raise ValueError(f"no kind {kind!r}; there are {', '.join(c.KINDS[1:])}")
        if (kind == "complete") != (end_ns is not None):
            raise ValueError(f"{kind}: a complete event, and no other, has an end_ns")
        made = c.Event(kind=c.KINDS.index(kind), name=self._name(name),
                       time_ns=_integer("time_ns", time_ns, -2**63, 2**63),
                       track=_integer("track", track, 0, 2**32),
                       value=_integer("value", value, 0, 2**64),
                       id=_integer("id", id, 0, 2**64))
        made.ticks = made.time_ns & (2**64 - 1)
        if end_ns is not None:
            made.id = made.value = _integer("end_ns", end_ns, -2**63, 2**63) & (2**64 - 1)
        if cpu is not None:
            made.cpu, made.flags = _integer("cpu", cpu, 0, 2**16), c.FLAG_HAS_CPU
        if category:
            made.category = library.stele_category_intern(self._context.handle,
                                                          self._name(category))
        batch = self._open_batch()
        if batch.event_count == batch.event_capacity:
            self._flush()
        before = batch.event_count, batch.field_count, batch.byte_count
        raw = library.stele_batch_add_event(self._batch).contents
        made.field_first = raw.field_first
        ctypes.memmove(ctypes.byref(raw), ctypes.byref(made), ctypes.sizeof(made))
        try:
            for key, entry in (fields or {}).items():
                self._add(self._name(key), entry)
        except BaseException:
            batch.event_count, batch.field_count, batch.byte_count = before
            raise

    def write(self, batch: Batch) -> None:
        """Adds all events of a batch, which must be of the trace that `like` named."""
        self._flush()
        batch._pointer  # raises where it was given back
        self._context.check(library.stele_writer_write(self._handle,
                                                       ctypes.byref(batch._segment)))

    def finish(self) -> None:
        """Writes what is pending, and gives the trace its name."""
        self._flush()
        self._context.check(library.stele_writer_finish(self._handle))

    def close(self) -> None:
        """Frees the writer; a trace that was not finished is removed."""
        self._free()

    @property
    def losses(self) -> List[Loss]:
        """What the format could not carry so far."""
        found: List[Loss] = []
        raw = c.Loss(struct_size=ctypes.sizeof(c.Loss))
        while library.stele_writer_get_loss(self._handle, len(found), ctypes.byref(raw)):
            found.append(Loss(c.KINDS[raw.kind], _text(raw.what), raw.is_dropped, raw.count,
                              raw.is_form))
        return found

    @property
    def findings(self) -> List[Finding]:
        """What was reported while writing."""
        return self._context.findings

    def _open_batch(self):
        if not self._batch:
            raise ValueError("the writer is closed")
        return self._batch.contents

    def _name(self, text: str) -> int:
        if not self._batch:
            raise ValueError("the writer is closed")
        number = self._names.get(text)
        if number is None:
            number = self._names[text] = self._context.intern(text)
        return number

    def _add(self, name: int, entry: Any) -> None:
        if isinstance(entry, str):
            return self._add_bytes(name, c.TYPE_STRING, entry.encode("utf-8", "surrogateescape"))
        if isinstance(entry, (bytes, bytearray)):
            return self._add_bytes(name, c.TYPE_BYTES, bytes(entry))
        if isinstance(entry, (dict, list, tuple)):
            return self._add_run(name, entry)
        if entry is None:
            return self._add_scalar(name, c.TYPE_NULL, "u", 0, 0)
        if isinstance(entry, bool):
            return self._add_scalar(name, c.TYPE_BOOL, "u", int(entry), 1)
        if isinstance(entry, numbers.Real) and not isinstance(entry, numbers.Integral):
            return self._add_scalar(name, c.TYPE_FLOAT, "f", float(entry), 64)
        entry = operator.index(entry)  # also converts integers of numpy
        if entry >= 2**64 or entry < -2**63:
            raise ValueError(f"{entry} has more than 64 bits")
        if entry < 0:
            return self._add_scalar(name, c.TYPE_INT, "i", entry, 64)
        return self._add_scalar(name, c.TYPE_UINT, "u", entry, 64)

    def _new_field(self, name: int, type: int):
        field = library.stele_batch_add_field(self._batch, name, type)
        if not field:
            raise MemoryError("the fields of a batch")
        return field.contents

    def _add_scalar(self, name: int, type: int, member: str, entry: Any, width: int) -> None:
        field = self._new_field(name, type)
        field.width = width
        setattr(field.u, member, entry)

    def _add_bytes(self, name: int, type: int, raw: bytes) -> None:
        self._context.check(library.stele_batch_add_bytes(self._batch, name, type, raw, len(raw)))

    def _add_run(self, name: int, entry: Any) -> None:
        is_struct = isinstance(entry, dict)
        self._new_field(name, c.TYPE_STRUCT if is_struct else c.TYPE_ARRAY)
        batch = self._batch.contents
        event = batch.events[batch.event_count - 1]
        at, had_many = batch.field_count, event.field_count == c.FIELDS_MANY
        for key, member in entry.items() if is_struct else ((None, item) for item in entry):
            self._add(self._name(key) if is_struct else 0, member)
        # Adding members may have moved the table, and an entry for their number may now precede.
        at += not had_many and event.field_count == c.FIELDS_MANY
        run = batch.fields[at - 1].u.run
        run.length, run.count = batch.field_count - at, len(entry)

    def _flush(self) -> None:
        batch = self._open_batch()
        if batch.event_count == 0:
            return
        segment = c.Segment(self._batch, 0, batch.event_count)
        try:
            self._context.check(library.stele_writer_write(self._handle, ctypes.byref(segment)))
        finally:
            library.stele_batch_clear(self._batch)

    def _free(self) -> None:
        if self._handle:
            library.stele_writer_close(self._handle)
            self._handle = ctypes.c_void_p()
        if self._batch:
            library.stele_batch_free(self._batch)
            self._batch = ctypes.POINTER(c.Batch)()
        if self._owns_context:
            self._context.close()


def create(path: Union[str, os.PathLike], format: str, replace: bool = False,
           version: Optional[str] = None, settings: Optional[Dict[str, str]] = None,
           like: Optional[Trace] = None, wall_ns: Optional[int] = None) -> Writer:
    """Makes a trace of a format. With `like`, batches of that trace can be written. `wall_ns` is the
    wall-clock time at time 0 of the events, in ns since 1970-01-01 UTC. Raises SteleError."""
    return Writer(path, format, replace, version, settings, like, wall_ns)
