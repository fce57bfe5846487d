# SPDX-License-Identifier: Apache-2.0
"""Tables of a trace as columns: for numpy, pandas, and all that take Arrow's C streams."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _library as c
from ._library import library

if TYPE_CHECKING:
    from ._trace import Trace

_FIELD_TYPES = {"bool": c.CELL_BOOL, "uint": c.CELL_U64, "int": c.CELL_I64,
                "float": c.CELL_DOUBLE, "text": c.CELL_TEXT}
_DTYPES = {b"C": "u1", b"S": "u2", b"I": "u4", b"L": "u8", b"l": "i8", b"g": "f8",
           b"tsn:": "datetime64[ns]"}
_FLAG_NULLABLE = 2

# ---- Arrow streams for other libraries ----------------------------------------------------------

_CAPSULE_NAME = b"arrow_array_stream"
_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype = ctypes.py_object
_capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
# Not py_object: the capsule may be about to be freed.
_capsule_pointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]

_RELEASE = type(c.ArrowArrayStream().release)
# By private_data: the trace, and the library's own release().
_lent: Dict[int, Tuple["Trace", Any]] = {}
_structs: Dict[int, c.ArrowArrayStream] = {}  # structs of capsules, by their addresses


@_RELEASE
def _release(pointer, lent=_lent):
    trace, release = lent.pop(pointer.contents.private_data)
    release(pointer)
    trace._give_back()


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _destroy(capsule, pointer_of=_capsule_pointer, name=_CAPSULE_NAME, structs=_structs):
    stream = structs.pop(pointer_of(capsule, name))
    if stream.release:  # no consumer has taken the stream over
        stream.release(ctypes.byref(stream))


# Other libraries may call these at any time, also while Python ends: they must never be freed.
for _callback in (_release, _destroy):
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_callback))


class Table:
    """The rows of one table of a trace. Each use reads the trace again, and only the columns that
    were chosen."""

    def __init__(self, trace: "Trace", name: str, columns: Optional[Sequence[str]],
                 fields: Optional[Dict[str, str]], request: c.Request):
        info = c.TableInfo(struct_size=ctypes.sizeof(c.TableInfo))
        if not library.stele_table_find(name.encode(), ctypes.byref(info)):
            raise ValueError(f"no table {name!r}; there are {', '.join(tables())}")
        for field, type in (fields or {}).items():
            if type not in _FIELD_TYPES:
                raise ValueError(f"{field}: no type {type!r}; there are {', '.join(_FIELD_TYPES)}")
        self.name = name
        chosen = list(table_columns(name) if columns is None else columns)
        #: Names of the columns, in their order.
        self.column_names: List[str] = chosen + ["arg." + field for field in fields or {}]
        #: Counts of the last reading that came to its end: rows, values that became null.
        self.stats: Dict[str, int] = {}
        self._trace, self._request = trace, request
        self._columns = (c.ScanColumn * max(len(self.column_names), 1))()
        types = [c.CELL_NONE] * len(chosen) + [_FIELD_TYPES[t] for t in (fields or {}).values()]
        for column, column_name, type in zip(self._columns, self.column_names, types):
            column.name, column.type = column_name.encode(), type

    def __repr__(self) -> str:
        return f"<Table {self.name}: {', '.join(self.column_names)}>"

    def _open(self) -> Tuple[c.ArrowArrayStream, Any]:
        context, scan = self._trace._context, ctypes.c_void_p()
        options = c.ScanOptions(struct_size=ctypes.sizeof(c.ScanOptions), table=self.name.encode(),
                                columns=self._columns, column_count=len(self.column_names),
                                request=ctypes.pointer(self._request))
        traces = (ctypes.c_void_p * 1)(self._trace._open_handle())
        context.check(library.stele_scan_open(context.handle, traces, 1, ctypes.byref(options),
                                              ctypes.byref(scan)))
        stream = c.ArrowArrayStream()
        status = library.stele_table_arrow(scan, ctypes.byref(stream))
        if status != c.OK:
            library.stele_scan_close(scan)
            context.check(status)
        return stream, scan

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Arrow's PyCapsule protocol, by which pyarrow, Polars, DuckDB and others take tables. The
        trace stays open, even after its close(), as long as the stream is."""
        stream, _ = self._open()
        original = _RELEASE(ctypes.cast(stream.release, ctypes.c_void_p).value)
        _lent[stream.private_data] = (self._trace, original)
        self._trace._lend()
        stream.release = _release
        address = ctypes.addressof(stream)
        _structs[address] = stream
        return _capsule_new(address, _CAPSULE_NAME, ctypes.cast(_destroy, ctypes.c_void_p))

    def arrow(self) -> "pyarrow.Table":
        """A pyarrow.Table; pyarrow must be installed (version 14 or later)."""
        import pyarrow
        return pyarrow.table(self)

    def numpy(self) -> Dict[str, Any]:
        """A dict with an array for each column. Numbers that can be null are masked arrays, times
        of the wall clock datetime64[ns] (UTC) with NaT, texts arrays of str with None."""
        import numpy
        made = {}
        for name, (values, there, labels, can_be_null) in self._read().items():
            if labels is not None:
                values = numpy.array(labels)[values]
            if values.dtype.kind == "M":
                values[numpy.logical_not(there)] = numpy.datetime64("NaT")
            elif values.dtype.kind != "O" and can_be_null:
                values = numpy.ma.array(values, mask=numpy.logical_not(there), copy=False)
            made[name] = values
        return made

    def pandas(self) -> "pandas.DataFrame":
        """A pandas.DataFrame. Whole numbers that can be null are of its nullable types,
        enumerations are categories."""
        import pandas
        return pandas.DataFrame({name: _series(*column) for name, column in self._read().items()},
                                columns=self.column_names)

    def _read(self) -> Dict[str, Tuple[Any, Any, Optional[List[str]], bool]]:
        """For each column: values, which of them are not null, labels of an enumeration, whether
        the column can have nulls."""
        import numpy
        stream, scan = self._open()
        schema = c.ArrowSchema()
        parts: List[List[Tuple[Any, Any]]] = [[] for _ in self.column_names]
        labels: List[Optional[List[str]]] = [None] * len(parts)
        texts: Dict[bytes, str] = {}
        try:
            self._check(stream, stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)))
            children = [schema.children[i].contents for i in range(schema.n_children)]
            for array in self._batches(stream):
                for i, child in enumerate(children):
                    column = array.children[i].contents
                    parts[i].append(_values(child.format, column, texts))
                    if column.dictionary:
                        labels[i] = list(_values(b"u", column.dictionary.contents, texts)[0])
            made = {}
            for i, child in enumerate(children):
                values, there = zip(*parts[i]) if parts[i] else (
                    [numpy.empty(0, _dtype(child.format))], [numpy.empty(0, bool)])
                is_enum = bool(child.dictionary)
                made[self.column_names[i]] = (
                    numpy.concatenate(values), numpy.concatenate(there),
                    (labels[i] or []) if is_enum and parts[i] else None,
                    bool(child.flags & _FLAG_NULLABLE))
            self._take_stats(scan)
            return made
        finally:
            if schema.release:
                schema.release(ctypes.byref(schema))
            stream.release(ctypes.byref(stream))

    def _batches(self, stream: c.ArrowArrayStream) -> Iterator[c.ArrowArray]:
        while True:
            array = c.ArrowArray()
            self._check(stream, stream.get_next(ctypes.byref(stream), ctypes.byref(array)))
            if not array.release:
                return
            try:
                yield array
            finally:
                array.release(ctypes.byref(array))

    def _check(self, stream: c.ArrowArrayStream, error: int) -> None:
        if error != 0:
            from ._trace import SteleError
            raise SteleError((stream.get_last_error(ctypes.byref(stream)) or b"").decode(),
                             self._trace.findings)

    def _take_stats(self, scan) -> None:
        stats = c.ScanStats(struct_size=ctypes.sizeof(c.ScanStats))
        library.stele_scan_get_stats(scan, ctypes.byref(stats), None)
        self.stats = {name: getattr(stats, name) for name, _ in c.ScanStats._fields_[1:]}


# ---- Columns ------------------------------------------------------------------------------------

def _dtype(format: bytes) -> str:
    return "bool" if format == b"b" else _DTYPES.get(format, "O")


def _bits(address: int, count: int):
    import numpy
    raw = (ctypes.c_uint8 * ((count + 7) // 8)).from_address(address)
    return numpy.unpackbits(numpy.frombuffer(raw, "u1"), count=count, bitorder="little").view(bool)


def _values(format: bytes, array: c.ArrowArray, texts: Dict[bytes, str]) -> Tuple[Any, Any]:
    """Copies of the values of an array, and which of them are not null."""
    import numpy
    count = array.length
    there = (_bits(array.buffers[0], count) if array.buffers[0] else numpy.ones(count, bool))
    if format in (b"u", b"U"):
        return _texts(format, array, there, texts), there
    if format == b"b":
        return _bits(array.buffers[1], count), there
    dtype = numpy.dtype(_DTYPES[format])
    raw = (ctypes.c_char * (count * dtype.itemsize)).from_address(array.buffers[1])
    return numpy.frombuffer(raw, dtype).copy(), there


def _texts(format: bytes, array: c.ArrowArray, there, texts: Dict[bytes, str]):
    """Texts as str. Equal ones are one object, which saves most of the memory that names take."""
    import numpy
    offset_type = ctypes.c_int64 if format == b"U" else ctypes.c_int32
    offsets = list((offset_type * (array.length + 1)).from_address(array.buffers[1]))
    raw = ctypes.string_at(array.buffers[2], offsets[-1])
    made = numpy.empty(array.length, "O")
    for at, is_there in enumerate(there.tolist()):
        if not is_there:
            continue
        part = raw[offsets[at]:offsets[at + 1]]
        text = texts.get(part)
        if text is None:
            text = part.decode()
            if len(texts) < 1 << 16:
                texts[part] = text
        made[at] = text
    return made


def _series(values, there, labels, can_be_null):
    import pandas
    missing = ~there
    if labels is not None:
        return pandas.Categorical.from_codes(values.astype("i2"), labels)
    if values.dtype.kind == "M":
        return pandas.Series(values).mask(missing)
    if values.dtype.kind == "b" and can_be_null:
        return pandas.arrays.BooleanArray(values, missing)
    if values.dtype.kind in "iu" and can_be_null:
        return pandas.arrays.IntegerArray(values, missing)
    if values.dtype.kind == "f" and can_be_null:
        return pandas.Series(values).mask(missing)
    return values


# ---- Known tables and columns -------------------------------------------------------------------

def tables() -> Dict[str, str]:
    """The tables that every trace has: descriptions by name."""
    made: Dict[str, str] = {}
    info = c.TableInfo(struct_size=ctypes.sizeof(c.TableInfo))
    while library.stele_table_get(len(made), ctypes.byref(info)):
        made[info.name.decode()] = info.doc.decode()
    return made


def table_columns(table: str) -> Dict[str, str]:
    """The columns of a table: descriptions by name."""
    made: Dict[str, str] = {}
    info = c.TableColumnInfo(struct_size=ctypes.sizeof(c.TableColumnInfo))
    while library.stele_table_column(table.encode(), len(made), ctypes.byref(info)):
        made[info.name.decode()] = info.doc.decode()
    return made
