"""Rows in Parquet files."""

from __future__ import annotations

import errno
import io
import os
import random

import pytest
from libraries import needs

from irops.surveys.faults import SurveyError
from irops.surveys.row import Row
from irops.surveys.store import ASIDE, SCHEMA, RowStore, parquet_of, read_part

pytestmark = needs("pyarrow")
A = Row("a.xml", "check", "pass", 0.25, 100, "{}", "k1", "1.0", "")
B = Row("b.xml", "run:reference", "crash", None, None, '{"message":"x"}', "", "1.0", "numpy 2")


def test_rows_are_read_as_they_were_written(tmp_path):
    store = RowStore(tmp_path / "results")
    store.add(A)
    store.add(B)
    store.flush()
    assert list(RowStore(tmp_path / "results").rows.values()) == [A, B]


def test_a_later_row_replaces_an_earlier_one_of_the_cell(tmp_path):
    store = RowStore(tmp_path)
    store.add(A)
    store.flush()
    newer = Row("a.xml", "check", "fail", 0.5, 100, "{}", "k2")
    store = RowStore(tmp_path)
    store.add(newer)
    store.flush()
    assert RowStore(tmp_path).rows[A.place] == newer


def test_one_file_replaces_all_others(tmp_path):
    store = RowStore(tmp_path)
    for row in (A, B):
        store.add(row)
        store.flush()
    assert len(list(tmp_path.iterdir())) == 2
    store.compact([B])
    (kept,) = tmp_path.iterdir()
    assert kept.name.startswith("part-000003-")
    assert list(RowStore(tmp_path).rows.values()) == [B]
    RowStore(tmp_path).compact([B])
    assert list(tmp_path.iterdir()) == [kept]


def test_a_part_left_from_before_a_compaction_changes_nothing(tmp_path):
    newer = Row("a.xml", "check", "fail", 0.5, 100, "{}", "k2")
    store = RowStore(tmp_path)
    for rows in ([A], [newer, B]):
        for row in rows:
            store.add(row)
        store.flush()
    assert list(RowStore(tmp_path).rows.values()) == [newer, B]


def stored(folder):
    """A store of two files, with one row each."""
    store = RowStore(folder)
    for row in (A, B):
        store.add(row)
        store.flush()
    first, second = sorted(folder.iterdir())
    return first, second


@pytest.mark.parametrize("seed", range(20))
def test_rows_of_a_damaged_file_are_lost_and_all_others_kept(tmp_path, seed):
    first, _ = stored(tmp_path)
    content = bytearray(first.read_bytes())
    chance = random.Random(seed)
    match chance.choice(("flip", "cut", "overwrite", "extend")):
        case "flip":
            content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
        case "cut":
            del content[chance.randrange(len(content)) :]
        case "overwrite":
            content = bytearray(chance.randbytes(chance.randrange(1, 5000)))
        case "extend":
            content += chance.randbytes(chance.randrange(1, 50))
    first.write_bytes(content)
    store = RowStore(tmp_path)
    assert list(store.rows.values()) == [B]
    (sentence,) = store.set_aside()
    assert f"{first} is damaged" in sentence
    assert "its cells are done again" in sentence
    assert first.with_name(f"{first.name}{ASIDE}").read_bytes() == content
    again = RowStore(tmp_path)
    assert (list(again.rows.values()), again.faults) == ([B], {})
    again.add(A)
    again.flush()
    assert set(RowStore(tmp_path).rows) == {A.place, B.place}


def test_files_of_another_version_or_of_something_else_are_named(tmp_path):
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "other.parquet"
    table = pyarrow.table({"a": [1]})
    parquet.write_table(table, path)
    with pytest.raises(SurveyError, match="is not a part of a survey"):
        read_part(path)
    parquet.write_table(table.replace_schema_metadata({"irops.survey": "99"}), path)
    with pytest.raises(SurveyError, match=f"schema version 99, this irops reads version {SCHEMA}"):
        read_part(path)
    parquet.write_table(table.replace_schema_metadata({"irops.survey": str(SCHEMA)}), path)
    with pytest.raises(SurveyError, match=r"is damaged.*its columns are a"):
        read_part(path)
    path.write_bytes(parquet_of([A]))
    assert read_part(path) == [A]
    path.rename(tmp_path / "part-000001.parquet")
    store = RowStore(tmp_path)
    assert (store.rows, list(store.faults)) == ({}, [tmp_path / "part-000001.parquet"])


def test_a_missing_library_is_named_with_its_extra(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "irops.surveys.store.missing_libraries", lambda extra, name: f"{name} is missing; {extra} has it"
    )
    with pytest.raises(SurveyError, match="pyarrow is missing; survey has it"):
        RowStore(tmp_path)


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EMFILE, errno.EACCES])
@pytest.mark.parametrize("call", ["open", "read"])
def test_a_sound_file_that_cannot_be_read_is_not_damaged(tmp_path, monkeypatch, number, call):
    """The next survey may read it: it stays where it is, and the error is raised as what it is."""
    first, second = stored(tmp_path)

    class Failing(io.BytesIO):
        def read(self, size=-1):
            raise OSError(number, os.strerror(number))

    def open_failing(path):
        if call == "open":
            raise OSError(number, os.strerror(number), path)
        return Failing()

    monkeypatch.setattr("irops.ir.regular.open_regular", open_failing)
    with pytest.raises(OSError, match=os.strerror(number)) as raised:
        RowStore(tmp_path)
    assert (raised.value.errno, raised.value.filename) == (number, str(first))
    monkeypatch.undo()
    assert sorted(tmp_path.iterdir()) == [first, second]
    assert (list(RowStore(tmp_path).rows.values()), RowStore(tmp_path).faults) == ([A, B], {})


def test_what_is_no_file_is_set_aside(tmp_path):
    first, _ = stored(tmp_path)
    first.unlink()
    first.mkdir()
    store = RowStore(tmp_path)
    assert (list(store.rows.values()), list(store.faults)) == ([B], [first])
    assert "is a folder" in store.faults[first]


def test_a_lack_of_memory_damages_no_file(tmp_path, monkeypatch):
    import pyarrow
    from pyarrow import parquet

    def exhausted(*_):
        raise pyarrow.ArrowMemoryError("malloc of size 64 failed")

    stored(tmp_path)
    monkeypatch.setattr(parquet, "ParquetFile", exhausted)
    with pytest.raises(MemoryError):
        RowStore(tmp_path)
