# SPDX-License-Identifier: Apache-2.0
"""The shared library: how it is found, and its structs and functions as <stele/...> declares
them."""

import ctypes
import ctypes.util
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, Union, c_bool, c_char_p, c_double, c_int,
                    c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)

OK, END = 0, 1
KINDS = ("none", "complete", "begin", "end", "tail-exit", "instant", "counter", "async-begin",
         "async-step", "async-end", "flow-begin", "flow-step", "flow-end", "switch", "wake", "log",
         "blob", "object", "sample", "lost", "syscall", "snapshot", "metadata", "insn", "load",
         "store")
(TYPE_NULL, TYPE_BOOL, TYPE_UINT, TYPE_INT, TYPE_FLOAT, TYPE_POINTER, TYPE_KOID, TYPE_STRING,
 TYPE_NAME, TYPE_BYTES, TYPE_BIGINT, TYPE_UINTS, TYPE_INTS, TYPE_FLOATS, TYPE_STRUCT, TYPE_ARRAY,
 TYPE_VARIANT) = range(17)
HINT_RAW, HINT_SIGNED, HINT_CONTEXT = 0x10, 0x40, 0x80
FLAG_NO_TIME, FLAG_HAS_CPU = 0x04, 0x08
(CELL_NONE, CELL_BOOL, CELL_U8, CELL_U16, CELL_U32, CELL_U64, CELL_I64, CELL_DOUBLE, CELL_WALL,
 CELL_ENUM, CELL_TEXT, CELL_JSON, CELL_TYPE_COUNT) = range(13)
(VALUE_MISSING, VALUE_NULL, VALUE_INT, VALUE_UINT, VALUE_WIDE, VALUE_FLOAT, VALUE_TEXT,
 VALUE_RUN) = range(8)
NAME_LOCAL = 0x80000000
FIELDS_MANY = 0xFFFF
ORDERS = {"time": 0, "window": 1, "full": 2, "none": 3, "streams": 4}


class Text(Structure):
    _fields_ = [("bytes", c_void_p), ("size", c_size_t)]

    def raw(self):
        return ctypes.string_at(self.bytes, self.size)

    def __str__(self):
        return self.raw().decode("utf-8", "backslashreplace")


class Event(Structure):
    _fields_ = [("time_ns", c_int64), ("ticks", c_uint64), ("value", c_uint64), ("id", c_uint64),
                ("offset", c_uint64), ("size", c_uint32), ("name", c_uint32), ("track", c_uint32),
                ("field_first", c_uint32), ("field_count", c_uint16), ("category", c_uint16),
                ("cpu", c_uint16), ("kind", c_uint8), ("flags", c_uint8)]


class _FieldBytes(Structure):
    _fields_ = [("offset", c_uint32), ("size", c_uint32)]


class _FieldRun(Structure):
    _fields_ = [("length", c_uint32), ("count", c_uint32)]


class _FieldValue(Union):
    _fields_ = [("u", c_uint64), ("i", c_int64), ("f", c_double), ("bytes", _FieldBytes),
                ("run", _FieldRun)]


class Field(Structure):
    _fields_ = [("name", c_uint32), ("type", c_uint8), ("width", c_uint8), ("hint", c_uint8),
                ("label_count", c_uint8), ("u", _FieldValue)]


class Batch(Structure):
    _fields_ = [("events", POINTER(Event)), ("fields", POINTER(Field)), ("bytes", c_void_p),
                ("names", c_void_p), ("event_count", c_uint32), ("event_capacity", c_uint32),
                ("field_count", c_uint32), ("field_capacity", c_uint32), ("byte_count", c_uint32),
                ("byte_capacity", c_uint32), ("name_count", c_uint32), ("name_capacity", c_uint32),
                ("context_first", c_uint32), ("context_count", c_uint32), ("stream", c_uint32),
                ("columns", c_uint32), ("shift_ns", c_int64), ("offset_ns", c_int64),
                ("packet", c_uint64), ("file", c_uint32), ("is_read", c_bool),
                ("fill_count", c_uint64)]


class Segment(Structure):
    _fields_ = [("batch", POINTER(Batch)), ("first", c_uint32), ("count", c_uint32)]


class Code(Structure):
    _fields_ = [("code", c_char_p), ("severity", c_int), ("title", c_char_p), ("why", c_char_p),
                ("mend", c_char_p)]


class Diag(Structure):
    _fields_ = [("code", POINTER(Code)), ("source", c_char_p), ("offset", c_uint64),
                ("bit", c_uint8), ("size", c_uint64), ("expected", c_char_p), ("found", c_char_p),
                ("lost_count", c_uint64), ("line", c_uint32), ("column", c_uint32),
                ("excerpt", c_char_p)]


DIAG_FN = CFUNCTYPE(None, c_void_p, POINTER(Diag))


class ContextOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("limits", c_void_p), ("diag", DIAG_FN),
                ("diag_user", c_void_p), ("temp_dir", c_char_p), ("progress", c_void_p),
                ("progress_user", c_void_p), ("go_on", c_void_p), ("go_on_user", c_void_p),
                ("cache_dir", c_char_p)]


class Setting(Structure):
    _fields_ = [("key", c_char_p), ("value", c_char_p)]


class TraceOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("format", c_char_p), ("has_shift", c_bool),
                ("shift_ns", c_int64), ("is_apart", c_bool), ("settings", POINTER(Setting)),
                ("setting_count", c_size_t), ("is_reread", c_bool), ("idle_ns", c_int64),
                ("is_followed", c_bool)]


class TraceInfo(Structure):
    _fields_ = [("path", c_char_p), ("format", c_char_p), ("title", c_char_p),
                ("version", c_char_p), ("reason", c_char_p), ("packing", c_char_p),
                ("is_big_endian", c_bool), ("is_seekable", c_bool), ("has_size", c_bool),
                ("size", c_uint64), ("number", c_uint32)]


class Bound(Structure):
    _fields_ = [("kind", c_int), ("value", c_int64)]


class Globs(Structure):
    _fields_ = [("patterns", POINTER(c_char_p)), ("count", c_size_t)]


class Request(Structure):
    _fields_ = [("struct_size", c_size_t), ("kinds", c_uint64), ("columns", c_uint32),
                ("order", c_int), ("order_by_end", c_bool), ("align_starts", c_bool),
                ("check", c_bool), ("begin", Bound), ("end", Bound), ("from_start", c_bool),
                ("names", Globs), ("categories", Globs), ("tracks", Globs), ("where", c_char_p),
                ("open_only", c_bool), ("part", c_uint32), ("part_count", c_uint32),
                ("window_ns", c_int64), ("fields", POINTER(c_char_p)), ("field_count", c_size_t),
                ("no_index", c_bool), ("streams", POINTER(c_uint32)),
                ("stream_count", c_size_t), ("field_kinds", c_uint64)]


class Balance(Structure):
    _fields_ = [("record_size", c_uint64), ("padding_size", c_uint64), ("skipped_size", c_uint64)]


class Stats(Structure):
    _fields_ = [("struct_size", c_size_t), ("event_count", c_uint64), ("filtered_count", c_uint64),
                ("late_count", c_uint64), ("lateness_max_ns", c_int64),
                ("unordered_count", c_uint64), ("unordered_max_ns", c_int64),
                ("lost_count", c_uint64), ("missing_count", c_uint64), ("balance", Balance),
                ("has_content_size", c_bool), ("content_size", c_uint64), ("has_begin", c_bool),
                ("begin_ns", c_int64), ("range_begin_ns", c_int64), ("range_end_ns", c_int64),
                ("byte_count", c_uint64), ("byte_total", c_uint64)]


class Track(Structure):
    _fields_ = [("kind", c_int), ("parent", c_uint32), ("source", c_uint32), ("number", c_uint64),
                ("name", c_uint32)]


class Clock(Structure):
    _fields_ = [("domain", c_int), ("frequency_hz", c_uint64), ("has_wall", c_bool),
                ("wall_ns", c_int64), ("base_ticks", c_uint64), ("identity", c_uint64 * 2)]


class Stream(Structure):
    _fields_ = [("trace", c_uint32), ("number", c_uint64), ("name", c_uint32), ("track", c_uint32),
                ("clock", Clock)]


class WriterOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("replace", c_bool), ("version", c_char_p),
                ("settings", POINTER(Setting)), ("setting_count", c_size_t),
                ("clock", POINTER(Clock))]


class Loss(Structure):
    _fields_ = [("struct_size", c_size_t), ("kind", c_int), ("what", c_char_p),
                ("is_dropped", c_bool), ("count", c_uint64), ("is_form", c_bool)]


class TableInfo(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("doc", c_char_p),
                ("column_count", c_size_t), ("has_fields", c_bool), ("selects_events", c_bool)]


class TableColumnInfo(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("doc", c_char_p), ("type", c_int),
                ("can_be_null", c_bool), ("labels", POINTER(c_char_p)), ("label_count", c_size_t)]


class ScanColumn(Structure):
    _fields_ = [("name", c_char_p), ("type", c_int)]


class ScanOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("table", c_char_p), ("columns", POINTER(ScanColumn)),
                ("column_count", c_size_t), ("request", POINTER(Request))]


class ScanStats(Structure):
    _fields_ = [("struct_size", c_size_t), ("row_count", c_uint64), ("misfit_count", c_uint64),
                ("replaced_count", c_uint64), ("unknown_count", c_uint64)]


class ArrowSchema(Structure):
    pass


class ArrowArray(Structure):
    pass


class ArrowArrayStream(Structure):
    pass


ArrowSchema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64),
    ("n_children", c_int64), ("children", POINTER(POINTER(ArrowSchema))),
    ("dictionary", POINTER(ArrowSchema)), ("release", CFUNCTYPE(None, POINTER(ArrowSchema))),
    ("private_data", c_void_p)]
ArrowArray._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
    ("n_children", c_int64), ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(ArrowArray))), ("dictionary", POINTER(ArrowArray)),
    ("release", CFUNCTYPE(None, POINTER(ArrowArray))), ("private_data", c_void_p)]
ArrowArrayStream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowSchema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowArray))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(ArrowArrayStream))),
    ("release", CFUNCTYPE(None, POINTER(ArrowArrayStream))), ("private_data", c_void_p)]


class FormatInfo(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("title", c_char_p),
                ("extensions", c_char_p), ("settings", c_char_p), ("can_read", c_bool),
                ("can_write", c_bool), ("can_copy", c_bool), ("links_tracks", c_bool),
                ("read_kinds", c_uint64), ("written_kinds", c_uint64), ("versions", c_char_p),
                ("write_settings", c_char_p)]


class ProfileOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("by_track", c_bool), ("depth_min", c_uint32),
                ("depth_end", c_uint32), ("duration_min_ns", c_uint64), ("only", POINTER(Request)),
                ("has_self_spread", c_bool), ("by_path", c_bool)]


class ProfileRow(Structure):
    _fields_ = [("name", c_uint32), ("track", c_uint32), ("count", c_uint64),
                ("lost_count", c_uint64), ("unended_count", c_uint64), ("total_ns", c_uint64),
                ("self_ns", c_uint64), ("sum_ns", c_uint64), ("self_squares", c_double),
                ("is_sampled", c_bool), ("min_ns", c_uint64), ("max_ns", c_uint64),
                ("p50_ns", c_uint64), ("p90_ns", c_uint64), ("p99_ns", c_uint64)]


class _ValueWide(Structure):
    _fields_ = [("low", c_uint64), ("high", c_int64)]


class _ValueAny(Union):
    _fields_ = [("i", c_int64), ("u", c_uint64), ("f", c_double), ("text", Text),
                ("wide", _ValueWide)]


class Value(Structure):
    _fields_ = [("type", c_int), ("name", c_uint32), ("track", c_uint32), ("label", Text),
                ("u", _ValueAny)]


class StatsOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("by", c_char_p), ("of", c_char_p), ("rows", c_int),
                ("only", POINTER(Request)), ("has_distinct", c_bool), ("is_held", c_bool),
                ("every_ns", c_uint64), ("groups_max", c_uint32), ("size_max", c_size_t),
                ("timeout_ns", c_uint64)]


class StatsGroup(Structure):
    _fields_ = [("keys", POINTER(Value)), ("row_count", c_uint64), ("is_other", c_bool)]


class StatsFigures(Structure):
    _fields_ = [("struct_size", c_size_t), ("count", c_uint64), ("other_count", c_uint64),
                ("sum", Value), ("min", Value), ("max", Value), ("mean", c_double),
                ("stddev", c_double), ("has_percentiles", c_bool),
                ("are_percentiles_exact", c_bool), ("p50", Value), ("p90", Value), ("p99", Value),
                ("p999", Value), ("has_distinct", c_bool), ("is_distinct_exact", c_bool),
                ("distinct_count", c_uint64), ("is_held", c_bool), ("held_ns", c_uint64),
                ("last", Value)]


_FUNCTIONS = {
    "stele_version": (c_char_p, []),
    "stele_status_text": (c_char_p, [c_int]),
    "stele_context_new": (c_int, [POINTER(ContextOptions), POINTER(c_void_p)]),
    "stele_context_free": (None, [c_void_p]),
    "stele_trace_open": (c_int, [c_void_p, c_char_p, POINTER(TraceOptions), POINTER(c_void_p)]),
    "stele_trace_close": (None, [c_void_p]),
    "stele_trace_get_info": (POINTER(TraceInfo), [c_void_p]),
    "stele_trace_property": (c_bool, [c_void_p, c_size_t, POINTER(c_char_p), POINTER(c_char_p)]),
    "stele_bound_parse": (c_bool, [c_char_p, POINTER(Bound), POINTER(c_char_p)]),
    "stele_reader_open": (c_int, [c_void_p, POINTER(c_void_p), c_size_t, POINTER(Request),
                                  POINTER(c_void_p)]),
    "stele_reader_next": (c_int, [c_void_p, POINTER(Segment)]),
    "stele_reader_read": (c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_size_t)]),
    "stele_reader_get_stats": (None, [c_void_p, POINTER(Stats)]),
    "stele_reader_close": (None, [c_void_p]),
    "stele_segment_column": (c_size_t, [POINTER(Segment), c_uint32, c_int, c_void_p, c_void_p]),
    "stele_event_fields": (c_uint32, [POINTER(Batch), POINTER(Event), POINTER(c_uint32)]),
    "stele_event_line": (Text, [c_void_p, POINTER(Batch), POINTER(Event)]),
    "stele_field_text": (Text, [c_void_p, POINTER(Batch), POINTER(Field)]),
    "stele_field_line": (Text, [c_void_p, POINTER(Batch), POINTER(Field)]),
    "stele_diag_line": (c_size_t, [POINTER(Diag), c_bool, c_char_p, c_size_t]),
    "stele_name_intern": (c_uint32, [c_void_p, c_char_p, c_size_t]),
    "stele_name_text": (Text, [c_void_p, POINTER(Batch), c_uint32]),
    "stele_name_count": (c_uint32, [c_void_p]),
    "stele_category_name": (c_uint32, [c_void_p, c_uint16]),
    "stele_category_intern": (c_uint16, [c_void_p, c_uint32]),
    "stele_track_get": (POINTER(Track), [c_void_p, c_uint32]),
    "stele_track_count": (c_uint32, [c_void_p]),
    "stele_track_kind_text": (c_char_p, [c_int]),
    "stele_track_intern": (c_uint32, [c_void_p, POINTER(Track)]),
    "stele_track_set_name": (None, [c_void_p, c_uint32, c_uint32]),
    "stele_stream_get": (POINTER(Stream), [c_void_p, c_uint32]),
    "stele_stream_count": (c_uint32, [c_void_p]),
    "stele_batch_new": (c_int, [c_uint32, POINTER(POINTER(Batch))]),
    "stele_batch_free": (None, [POINTER(Batch)]),
    "stele_batch_clear": (None, [POINTER(Batch)]),
    "stele_batch_add_event": (POINTER(Event), [POINTER(Batch)]),
    "stele_batch_add_field": (POINTER(Field), [POINTER(Batch), c_uint32, c_int]),
    "stele_batch_add_bytes": (c_int, [POINTER(Batch), c_uint32, c_int, c_char_p, c_size_t]),
    "stele_writer_open": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(WriterOptions),
                                  POINTER(c_void_p)]),
    "stele_writer_write": (c_int, [c_void_p, POINTER(Segment)]),
    "stele_writer_finish": (c_int, [c_void_p]),
    "stele_writer_close": (None, [c_void_p]),
    "stele_writer_get_loss": (c_bool, [c_void_p, c_size_t, POINTER(Loss)]),
    "stele_table_get": (c_bool, [c_size_t, POINTER(TableInfo)]),
    "stele_table_find": (c_bool, [c_char_p, POINTER(TableInfo)]),
    "stele_table_column": (c_bool, [c_char_p, c_size_t, POINTER(TableColumnInfo)]),
    "stele_scan_open": (c_int, [c_void_p, POINTER(c_void_p), c_size_t, POINTER(ScanOptions),
                                POINTER(c_void_p)]),
    "stele_scan_get_stats": (None, [c_void_p, POINTER(ScanStats), POINTER(Stats)]),
    "stele_scan_close": (None, [c_void_p]),
    "stele_table_arrow": (c_int, [c_void_p, POINTER(ArrowArrayStream)]),
    "stele_profile_new": (c_int, [c_void_p, POINTER(ProfileOptions), POINTER(c_void_p)]),
    "stele_profile_free": (None, [c_void_p]),
    "stele_profile_columns": (c_uint32, [c_void_p]),
    "stele_profile_set_window": (c_int, [c_void_p, c_int64, c_int64]),
    "stele_profile_add": (c_int, [c_void_p, POINTER(Segment)]),
    "stele_profile_finish": (c_int, [c_void_p]),
    "stele_profile_rows": (c_int, [c_void_p, c_int, POINTER(POINTER(ProfileRow)),
                                   POINTER(c_size_t)]),
    "stele_stats_new": (c_int, [c_void_p, POINTER(StatsOptions), POINTER(c_void_p)]),
    "stele_stats_free": (None, [c_void_p]),
    "stele_stats_kinds": (c_uint64, [c_void_p]),
    "stele_stats_columns": (c_uint32, [c_void_p]),
    "stele_stats_request_order": (c_int, [c_void_p]),
    "stele_stats_set_window": (c_int, [c_void_p, c_int64, c_int64]),
    "stele_stats_add": (c_int, [c_void_p, POINTER(Segment)]),
    "stele_stats_finish": (c_int, [c_void_p]),
    "stele_stats_by_count": (c_size_t, [c_void_p]),
    "stele_stats_of_count": (c_size_t, [c_void_p]),
    "stele_stats_group_count": (c_size_t, [c_void_p]),
    "stele_stats_get_group": (POINTER(StatsGroup), [c_void_p, c_size_t]),
    "stele_stats_get_figures": (c_bool, [c_void_p, c_size_t, c_size_t, POINTER(StatsFigures)]),
    "stele_format_get": (c_bool, [c_size_t, POINTER(FormatInfo)]),
}


def _candidates():
    """Paths at which the library may be: from the environment, next to an installed package, where
    the system finds libraries."""
    named = os.environ.get("STELE_LIBRARY")
    if named:
        yield named
        return
    above = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__)))))
    for folder in ("lib", "lib64", "lib/" + os.uname().machine + "-linux-gnu"):
        yield os.path.join(above, folder, "libstele.so.0")
        yield os.path.join(os.path.dirname(above), folder, "libstele.so.0")
    yield "libstele.so.0"
    found = ctypes.util.find_library("stele")
    if found:
        yield found


def _load():
    for path in _candidates():
        if os.sep in path and not os.path.exists(path):
            continue
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = arguments
        return library
    raise ImportError("libstele.so.0 is not found: install libstele, or give its path in the "
                      "environment variable STELE_LIBRARY")


library = _load()
