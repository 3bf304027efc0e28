"""Bytes are copied from file to file in pieces; holes stay holes."""

import os

import numpy as np
import pytest

import irops
from irops.files import storage
from irops.files.output import read_at
from irops.files.storage import JoinedWeights, Weights, WeightsChanged
from irops.ir.write import Contents

CONTENT = bytes(range(256)) * 64


def sparse(path):
    """A file of 1 MiB with two ranges of data, and its bytes."""
    with path.open("wb") as file:
        file.seek(1 << 18)
        file.write(CONTENT)
        file.seek(3 << 18)
        file.write(CONTENT)
        file.truncate(1 << 20)
    return path.read_bytes()


@pytest.mark.parametrize(("offset", "size"), [(0, 1 << 20), (1 << 18, 1 << 19), (5, (1 << 18) + 77), (9, 99)])
def test_holes_stay_holes(offset, size, tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "_STEP", 1 << 14)
    content = sparse(tmp_path / "source")
    with (tmp_path / "target").open("wb") as target:
        target.write(b"head")
        Weights.of_file(tmp_path / "source").copy_to(target, offset, size)
    assert (tmp_path / "target").read_bytes() == b"head" + content[offset : offset + size]
    cut = 32  # blocks that hold no more than a part of what they held
    assert (tmp_path / "target").stat().st_blocks <= (tmp_path / "source").stat().st_blocks + cut


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_an_error_of_the_disk_is_raised(tmp_path):
    (tmp_path / "source").write_bytes(b"abc")
    with pytest.raises(OSError, match="No space left"), open("/dev/full", "wb", buffering=0) as target:
        Weights.of_file(tmp_path / "source").copy_to(target, 0, 3)


def test_reading_goes_on_where_the_system_stops(tmp_path, monkeypatch):
    pread = os.pread
    monkeypatch.setattr(os, "pread", lambda file, size, offset: pread(file, min(size, 2), offset))
    (tmp_path / "source").write_bytes(b"abcdefgh")
    with (tmp_path / "source").open("rb") as source:
        assert read_at(source.fileno(), 1, 5) == b"bcdef"
        assert read_at(source.fileno(), 5, 9) == b"fgh"


def test_joined_weights_are_copied_from_their_parts(tmp_path):
    (tmp_path / "w.bin").write_bytes(b"abcdef")
    joined = JoinedWeights(Weights.of_file(tmp_path / "w.bin"))
    start = joined.append(Weights.of_bytes(b"uvwxyz"))
    with (tmp_path / "target").open("wb") as target:
        joined.copy_to(target, start + 1, 2)
        joined.copy_to(target, 2, 3)
        target.write(b"!")
        with pytest.raises(ValueError, match="outside the"):
            joined.copy_to(target, start, 7)
    assert (tmp_path / "target").read_bytes() == b"vwcde!"


def test_weights_that_are_truncated_while_they_are_open_are_reported(tmp_path):
    (tmp_path / "w.bin").write_bytes(b"abcdef")
    weights = Weights.of_file(tmp_path / "w.bin")
    with (tmp_path / "target").open("wb") as target:
        weights.copy_to(target, 0, 2)
        os.truncate(tmp_path / "w.bin", 3)
        with pytest.raises(WeightsChanged, match=r"w\.bin was changed after the model was read"):
            weights.copy_to(target, 2, 4)
        with pytest.raises(WeightsChanged, match=r"w\.bin was changed after the model was read"):
            weights.read(2, 4)


def test_equal_contents_are_written_once_whatever_follows_them(tmp_path, monkeypatch):
    for name, size in (("_SMALL", 4), ("_SAMPLE", 2), ("_STEP", 8)):
        monkeypatch.setattr(f"irops.ir.write.{name}", size)
    weights = Weights.of_bytes(
        b"a content of its own" + b"!" + b"a content of its own" + b"?" + b"a content of its 0wn"
    )
    with (tmp_path / "all.bin").open("wb") as file:
        contents = Contents(file)
        places = [contents.append(weights, offset, 20) for offset in (0, 21, 42, 0)]
    assert places == [0, 0, 20, 0]
    assert (tmp_path / "all.bin").read_bytes() == b"a content of its owna content of its 0wn"


def test_the_weights_of_many_constants_are_opened_once(tmp_path, monkeypatch):
    opened = []
    keep_open = JoinedWeights.keep_open
    monkeypatch.setattr(JoinedWeights, "keep_open", lambda self: opened.append(keep_open(self)))
    graph = irops.Graph("sums")
    total = graph.parameter("x", "f32", [1])
    for number in range(3):
        total = graph.add("Add", total, np.float32([number]))
    graph.result(total, name="y")
    irops.write(graph, tmp_path / "m.xml")
    assert opened == [None]
    assert irops.run(tmp_path / "m.xml", {"x": np.float32([1])})["y"].tolist() == [4.0]
