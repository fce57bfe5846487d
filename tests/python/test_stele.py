# SPDX-License-Identifier: Apache-2.0
"""What the Python package promises, tried on traces that it makes and on samples."""

import ctypes
import os
import pydoc
import tempfile
import unittest

import stele

try:
    import numpy
except ImportError:
    numpy = None

try:
    import pandas
except ImportError:
    pandas = None
try:
    import pyarrow
except ImportError:
    pyarrow = None

SOURCE = os.environ["SOURCE"]
HEPH = SOURCE + "/src/formats/heph/good/heph_tracing_example.bin.log"
CTF = SOURCE + "/src/formats/ctf/good/small_18"


class Made(unittest.TestCase):
    """A trace of a few events in a folder of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "made.fxt")
        with stele.create(self.path, "fxt") as writer:
            process = writer.track("process", 3, "prog")
            thread = writer.track("thread", 17, "main", parent=process)
            writer.event("complete", 1000, "read", category="io", track=thread, end_ns=5000,
                         fields={"len": 4096, "path": "a b", "ratio": 0.5, "less": -1,
                                 "most": 2**64 - 1, "is": True, "none": None})
            writer.event("instant", 2000, "tick", track=thread)
            for number in range(1000):
                writer.event("instant", 3000 + number, "many", track=thread,
                             fields={"number": number})

    def tearDown(self):
        self.folder.cleanup()


class Writing(Made):
    """What is not an event is refused as a whole."""

    def wrong(self, error, *arguments, **keywords):
        with self.assertRaises(error):
            self.writer.event(*arguments, **keywords)

    def test_a_call_that_raises_writes_nothing(self):
        path = os.path.join(self.folder.name, "wrong.fxt")
        with stele.create(path, "fxt") as self.writer:
            self.writer.event("instant", 1, "first", fields={"a": 1})
            self.wrong(TypeError, "instant", 1.5, "float")
            self.wrong(TypeError, "instant", 1, "no field", fields={"a": 1, "b": [2, object()]})
            self.wrong(ValueError, "instant", 1 << 70, "far")
            self.wrong(ValueError, "instant", 1, "large", fields={"a": 1 << 64})
            self.wrong(ValueError, "instant", 1, "cpu", cpu=70000)
            self.wrong(ValueError, "instant", 1, "id", id=-1)
            self.wrong(ValueError, "complete", 1, "no end")
            self.wrong(ValueError, "instant", 1, "an end", end_ns=2)
            self.wrong(ValueError, "event", 1, "no kind")
            self.writer.event("instant", 2, "last", fields={"b": {"c": [1, 2.5, "d"]}}, id=0)
        for use in (lambda: self.writer.event("instant", 3, "x"), self.writer.finish,
                    lambda: self.writer.event("instant", 3, "new name")):
            with self.assertRaises(ValueError):
                use()
        with stele.open(path) as trace:
            self.assertEqual([e.name for e in trace.events()], ["first", "last"])
            self.assertEqual([list(e.fields) for e in trace.events()], [["a"], ["b"]])

    def test_made_events_have_a_wall_clock(self):
        for format, name in (("ctf", "made"), ("heph", "made.heph")):
            path = os.path.join(self.folder.name, name)
            with stele.create(path, format, wall_ns=1_700_000_000_000_000_000) as writer:
                writer.event("complete", 5, "a", end_ns=8)
            with stele.open(path) as trace:
                times = [event.time_ns for event in trace.events()]
                self.assertEqual(trace.wall_ns + times[0], 1_700_000_000_000_000_005)

    def test_errors_have_their_own_findings(self):
        for _ in range(2):
            with stele.open(self.path) as trace:
                for expression in ("dur >", "nothing("):
                    with self.assertRaises(stele.SteleError) as raised:
                        next(trace.events(where=expression))
                    self.assertEqual(len(raised.exception.findings), 1)


class Reading(Made):
    def test_one_kind_is_a_word_and_no_track_is_none(self):
        with stele.open(self.path) as trace:
            self.assertEqual(len(list(trace.events(kinds="complete"))), 1)
            for number in (12345, 2**32 - 1):
                with self.assertRaises(ValueError):
                    trace.track(number)

    def test_help_shows_what_is_public(self):
        self.assertNotIn("_event_fields", pydoc.render_doc(stele.Batch, renderer=pydoc.plaintext))

    def test_events_have_their_values(self):
        with stele.open(self.path) as trace:
            event = next(trace.events(kinds=["complete"])).keep()
        self.assertEqual((event["name"], event["category"]), ("read", "io"))
        self.assertEqual((event["time_ns"], event["end_ns"]), (1000, 5000))
        self.assertEqual(event["fields"], {"len": 4096, "path": "a b", "ratio": 0.5, "less": -1,
                                           "most": 2**64 - 1, "is": True, "none": None})
        self.assertEqual((event["track"].kind, event["track"].number), ("thread", 17))
        self.assertEqual(str(event["track"]), "main (17)")
        self.assertEqual(event["track"].parent.name, "prog")

    def test_what_was_given_back_raises(self):
        trace = stele.open(self.path)
        first = next(trace.events(kinds=["complete"]))  # its reading is kept as long as it is
        self.assertEqual(first.fields["len"], 4096)
        reading = iter(trace.batches())
        batch = next(reading)
        event = next(iter(batch))
        for _ in reading:
            pass
        with self.assertRaises(stele.SteleError):
            event.fields
        with self.assertRaises(stele.SteleError):
            list(batch)
        trace.close()
        self.assertEqual(first.time_ns, 1000)
        for use in (lambda: first.name, lambda: str(first), lambda: trace.info,
                    lambda: list(trace.events())):
            with self.assertRaises(stele.SteleError):
                use()

    def test_an_event_is_a_line(self):
        with stele.open(self.path) as trace:
            line = next(str(event) for event in trace.events(names="tick"))
        self.assertEqual(line, "0.000002000  main (17)  instant  tick")

    def test_requests_choose(self):
        with stele.open(self.path) as trace:
            self.assertEqual(sum(1 for _ in trace.events(where="arg.number >= 990")), 10)
            self.assertEqual(sum(1 for _ in trace.events(names=["tick", "read"])), 2)
            self.assertEqual(trace.stats["event_count"], 2)
            with self.assertRaises(ValueError):
                next(trace.events(order="sideways"))
            with self.assertRaises(ValueError):
                next(trace.events(kinds=["no such"]))
            with self.assertRaises(ValueError):
                next(trace.events(begin="yesterday"))
            with self.assertRaises(stele.SteleError) as caught:
                next(trace.events(where="dur >"))
            self.assertIn("STE009", str(caught.exception))

    def test_what_cannot_be_opened_raises_with_its_finding(self):
        with self.assertRaises(stele.SteleError) as caught:
            stele.open(self.path + ".not")
        self.assertEqual(caught.exception.findings[0].code, "STE001")

    def test_findings_have_addresses(self):
        path = os.path.join(self.folder.name, "cut.fxt")
        with open(self.path, "rb") as whole, open(path, "wb") as cut:
            cut.write(whole.read()[:-8])
        with stele.open(path) as trace:
            for _ in trace.events(order="none"):
                pass
            self.assertTrue(trace.findings)
            self.assertTrue(all(f.source == path for f in trace.findings))
            self.assertTrue(all(f.code in f.text for f in trace.findings))

    def test_samples_are_read(self):
        for path, format in ((HEPH, "heph"), (CTF, "ctf")):
            with stele.open(path) as trace:
                self.assertEqual(trace.info["format"], format)
                count = sum(len(batch) for batch in trace.batches())
                self.assertEqual(count, trace.stats["event_count"])
                self.assertGreater(count, 5)
        with stele.open(HEPH) as trace:
            list(trace.events())
            self.assertEqual(trace.wall_ns, 1795268536881135366)


class Writing(Made):
    def test_a_profile_has_all_names(self):
        with stele.open(self.path) as trace:
            rows = trace.profile()
            self.assertEqual([(row.name, row.count, row.self_ns, row.track) for row in rows],
                             [("read", 1, 4000, None)])
            self.assertEqual(rows[0].max_ns, rows[0].mean_ns)
            self.assertEqual(str(trace.profile(by_track=True)[0].track), "main (17)")
            self.assertEqual(trace.profile(where="dur > 1ms"), [])
            self.assertEqual(trace.profile(end="2us", order="total")[0].total_ns, 2000)
            with self.assertRaises(ValueError):
                trace.profile(order="size")

    def test_statistics_are_by_group(self):
        with stele.open(self.path) as trace:
            groups = {group.keys: group for group in trace.statistics(by="name", of="arg.number")}
            self.assertEqual(groups[("many",)].count, 1000)
            figures = groups[("many",)].of[0]
            self.assertEqual((figures.count, figures.min, figures.max, figures.sum),
                             (1000, 0, 999, 499500))
            self.assertEqual(figures.mean, 499.5)
            self.assertEqual(groups[("tick",)].of[0].mean, None)
            self.assertEqual([group.keys for group in trace.statistics(of="dur")], [()])
            self.assertEqual(trace.statistics(of="dur", distinct=True)[0].of[0].distinct, 1)
            with self.assertRaises(stele.SteleError):
                trace.statistics(by="arg.")

    def test_check_gives_all_findings(self):
        with stele.open(self.path) as trace:
            self.assertEqual(trace.check(), [])
        with open(self.path, "r+b") as file:
            file.truncate(os.path.getsize(self.path) - 8)
        with stele.open(self.path) as trace:
            self.assertEqual(trace.findings, [])
            self.assertNotEqual(trace.check(), [])

    def test_batches_are_copied_and_losses_named(self):
        path = os.path.join(self.folder.name, "copy.heph")
        with stele.open(self.path) as trace:
            with stele.create(path, "heph", like=trace) as writer:
                for batch in trace.batches():
                    writer.write(batch)
                losses = writer.losses
            with stele.open(path) as copy:
                self.assertGreaterEqual(sum(1 for _ in copy.events()), 1002)
        self.assertTrue(losses)
        self.assertTrue(all(loss.count > 0 and loss.what for loss in losses))

    def test_what_is_not_finished_is_not_there(self):
        path = os.path.join(self.folder.name, "broken.fxt")
        with self.assertRaises(KeyError):
            with stele.create(path, "fxt") as writer:
                writer.event("instant", 1, "a")
                raise KeyError
        self.assertEqual(os.listdir(self.folder.name), ["made.fxt"])

    def test_mistakes_are_refused(self):
        with self.assertRaises(stele.SteleError):
            stele.create(os.path.join(self.folder.name, "x"), "no such format")
        with self.assertRaises(stele.SteleError):
            stele.create(self.path, "fxt")  # is there
        writer = stele.create(os.path.join(self.folder.name, "x.fxt"), "fxt")
        with self.assertRaises(ValueError):
            writer.event("instant", 1, "a", fields={"large": 2**64})
        writer.event("instant", 1, "a", track=99)
        with self.assertRaises(stele.SteleError):
            writer.finish()
        writer.close()


@unittest.skipIf(numpy is None, "numpy is not there")
class Arrays(Made):
    def test_a_table_has_all_events(self):
        with stele.open(self.path) as trace:
            table = trace.table(kinds=["instant"])
            self.assertEqual(len(table), 1001)
            self.assertEqual(trace.name(table["name"][0]), "tick")
            self.assertEqual(trace.track(table["track"][0]).name, "main")
            self.assertTrue((numpy.diff(table["time_ns"]) >= 0).all())
            self.assertEqual(len(trace.table(where="dur > 1h")), 0)

    def test_a_batch_is_an_array_without_a_copy(self):
        with stele.open(self.path) as trace:
            times = [event.time_ns for event in trace.events(kinds=["instant"])]
            arrays = [batch.array()["time_ns"].copy()
                      for batch in trace.batches(kinds=["instant"])]
            for batch in trace.batches():
                self.assertFalse(batch.array().flags["OWNDATA"])
        self.assertEqual(numpy.concatenate(arrays).tolist(), times)

    def test_fields_are_columns(self):
        with stele.open(self.path) as trace:
            columns = trace.columns({"number": "int", "ratio": "float", "most": "uint"},
                                    kinds=["complete", "instant"])
        self.assertEqual(columns["number"].compressed().tolist(), list(range(1000)))
        self.assertEqual(columns["ratio"].compressed().tolist(), [0.5])
        self.assertEqual(columns["most"].compressed().tolist(), [2**64 - 1])


@unittest.skipIf(numpy is None, "numpy is not there")
class Tables(Made):
    def test_columns_are_those_of_the_events(self):
        with stele.open(self.path) as trace:
            events = [event.keep() for event in trace.events(order="none")]
            table = trace.table("event", ["ts", "name", "kind", "dur", "tid", "args"],
                                {"number": "int", "path": "text", "is": "bool"}, order="none")
            made = table.numpy()
        self.assertEqual(table.stats["row_count"], len(events))
        self.assertEqual(list(made), table.column_names)
        self.assertEqual(made["ts"].tolist(), [e["time_ns"] for e in events])
        self.assertEqual(made["name"].tolist(), [e["name"] or None for e in events])
        self.assertEqual(made["kind"].tolist(), [e["kind"] for e in events])
        self.assertEqual(made["arg.number"].tolist(), [e["fields"].get("number") for e in events])
        self.assertEqual(made["arg.path"].tolist(), [e["fields"].get("path") for e in events])
        self.assertEqual(made["arg.is"].tolist(), [e["fields"].get("is") for e in events])
        self.assertEqual(made["dur"].compressed().tolist(), [4000])

    def test_requests_choose_rows(self):
        with stele.open(self.path) as trace:
            self.assertEqual(len(trace.table("event", where="arg.number >= 990").numpy()["ts"]), 10)
            self.assertEqual(len(trace.table("event", where="dur > 1h").numpy()["ts"]), 0)
            self.assertEqual(trace.table("slice").numpy()["dur"].tolist(), [4000])
            with self.assertRaises(ValueError):
                trace.table("nothing")
            with self.assertRaises(ValueError):
                trace.table("event", fields={"a": "nothing"})
            with self.assertRaises(stele.SteleError):
                trace.table("event", ["nothing"]).numpy()

    def test_all_tables_of_samples(self):
        for path in (HEPH, CTF):
            for name in stele.tables():
                with stele.open(path) as trace:
                    table = trace.table(name)
                    self.assertEqual(list(table.numpy()), list(stele.table_columns(name)))

    @unittest.skipIf(pandas is None, "pandas is not there")
    def test_pandas(self):
        with stele.open(self.path) as trace:
            frame = trace.table("event").pandas()
            self.assertEqual(list(frame.columns), list(stele.table_columns("event")))
            self.assertEqual(frame["dur"].sum(), 4000)
            self.assertEqual(str(frame["dur"].dtype), "Int64")
            self.assertEqual(frame["kind"].value_counts()["instant"], 1001)
            self.assertEqual(len(trace.table("finding").pandas()), 0)

    @unittest.skipIf(pyarrow is None, "pyarrow is not there")
    def test_pyarrow(self):
        with stele.open(self.path) as trace:
            table = trace.table("event")
            wanted = table.numpy()["ts"].tolist()
            self.assertEqual(table.arrow()["ts"].to_pylist(), wanted)

    def test_streams_outlive_the_trace(self):
        """A consumer moves the stream out of its capsule, and reads it after close()."""
        from stele import _library, _table
        trace = stele.open(self.path)
        count = sum(1 for _ in trace.events())
        capsule = trace.table("event", ["ts"]).__arrow_c_stream__()
        unused = trace.table("event", ["ts"]).__arrow_c_stream__()
        address = _table._capsule_pointer(id(capsule), b"arrow_array_stream")
        lent = _library.ArrowArrayStream.from_address(address)
        stream = _library.ArrowArrayStream.from_buffer_copy(lent)
        ctypes.memset(ctypes.addressof(lent) + _library.ArrowArrayStream.release.offset, 0,
                      ctypes.sizeof(ctypes.c_void_p))
        del capsule, lent, unused
        trace.close()
        with self.assertRaises(stele.SteleError):
            trace.info
        array = _library.ArrowArray()
        self.assertEqual(stream.get_next(ctypes.byref(stream), ctypes.byref(array)), 0)
        self.assertEqual(array.length, count)
        array.release(ctypes.byref(array))
        self.assertIsNotNone(trace._context.handle)
        stream.release(ctypes.byref(stream))
        self.assertIsNone(trace._context.handle)
        self.assertEqual((_table._lent, _table._structs), ({}, {}))


class Library(unittest.TestCase):
    def test_formats(self):
        by_name = {format.name: format for format in stele.formats()}
        self.assertIn(".fxt", by_name["fxt"].extensions)
        self.assertTrue(by_name["ctf"].can_write)

    def test_version(self):
        self.assertRegex(stele.version(), r"^\d+\.\d+\.\d+$")


if __name__ == "__main__":
    unittest.main()
