"""Weights: bytes in memory or in a file, read when they are needed and checked against what the file was."""

import os
from tempfile import TemporaryFile

import numpy as np
import pytest
from tables import table

import irops
from irops.files.storage import (
    JoinedWeights,
    NotRegular,
    OpenFiles,
    Weights,
    WeightsChanged,
    kind,
    open_regular,
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "w.bin"
    path.write_bytes(b"abcdef")
    return path


def test_bytes_in_memory_are_viewed_and_read_without_a_copy():
    weights = Weights.of_bytes(b"abcdef")
    assert (weights.path, weights.name, weights.size, weights.fault) == (None, "the .bin", 6, None)
    assert bytes(weights.view(1, 3)) == b"bcd"
    assert bytes(weights.read(4, 2)) == b"ef"
    assert bytes(weights.view(6, 0)) == b""
    assert repr(weights) == "<Weights the .bin, 6 bytes>"
    weights.require_unchanged()


def test_a_file_is_viewed_and_read_at_its_places(file):
    weights = Weights.of_file(file)
    assert (weights.path, weights.name, weights.size, weights.fault) == (str(file), "w.bin", 6, None)
    assert bytes(weights.read(2, 3)) == b"cde"
    assert bytes(weights.view(2, 3)) == b"cde"
    assert bytes(weights.view(0, 6)) == b"abcdef"
    assert bytes(weights.read(0, 6)) == b"abcdef"
    assert repr(weights) == "<Weights w.bin, 6 bytes>"


@pytest.mark.parametrize(("offset", "size"), [(-1, 2), (0, -1), (0, 7), (5, 2), (7, 0)])
def test_bytes_outside_the_file_are_refused_by_view_and_read(file, offset, size):
    for weights in (Weights.of_file(file), Weights.of_bytes(b"abcdef")):
        for take in (weights.view, weights.read):
            message = f"^bytes {offset} to {offset + size} are outside the 6 bytes$"
            with pytest.raises(ValueError, match=message):
                take(offset, size)


@pytest.mark.parametrize(
    ("make", "fault"),
    [
        (lambda path: path.touch(), None),
        (lambda path: None, "does not exist"),
        (lambda path: path.mkdir(), "is a folder"),
    ],
)
def test_what_is_empty_or_no_file_has_no_bytes(tmp_path, make, fault):
    path = tmp_path / "gone.bin"
    make(path)
    weights = Weights.of_file(path)
    assert (weights.size, weights.fault) == (0, fault)
    assert bytes(weights.view(0, 0)) == b""
    assert fault or bytes(weights.read(0, 0)) == b""


def test_what_the_system_refuses_is_a_fault_with_its_reason(file, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert Weights.of_file(file).fault == "cannot be read: Permission denied"


CHANGES = {
    "longer": lambda path: path.write_bytes(b"abcdefg"),
    "shorter": lambda path: path.write_bytes(b"abc"),
    "touched": lambda path: os.utime(path, ns=(0, 0)),
}


def replace(path):
    """Put another file of the same size and time in its place."""
    other, status = path.with_name("other"), path.stat()
    other.write_bytes(b"uvwxyz")
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
    other.replace(path)


@pytest.mark.parametrize("change", [*CHANGES, "replaced"])
def test_a_file_that_was_changed_is_neither_mapped_nor_read(file, change):
    weights = Weights.of_file(file)
    CHANGES.get(change, replace)(file)
    for take in (weights.view, weights.read, lambda *place: copied(weights, *place)):
        with pytest.raises(WeightsChanged, match=r"^w\.bin was changed after the model was read; read the"):
            take(0, 2)


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_is_mapped_is_checked_against_what_it_was(file, change):
    weights = Weights.of_file(file)
    weights.view(0, 2)
    weights.require_unchanged()
    CHANGES[change](file)
    with pytest.raises(WeightsChanged, match="was changed"):
        weights.require_unchanged()
    with pytest.raises(WeightsChanged, match="was changed"):
        weights.view(0, 2)


def copied(weights, offset, size):
    with TemporaryFile() as target:
        weights.copy_to(target, offset, size)
        target.seek(0)
        return target.read()


USES = {
    "view": lambda weights: weights.view(0, 2),
    "copy_to": lambda weights: copied(weights, 0, 2),
    "keep_open": lambda weights: weights.keep_open(),
}


@pytest.mark.parametrize("use", USES)
def test_a_file_that_is_replaced_after_it_was_opened_stays_readable(file, use):
    weights = Weights.of_file(file)
    USES[use](weights)
    other = file.with_name("other")
    other.write_bytes(b"uvwxyz")
    other.replace(file)
    assert bytes(weights.view(0, 2)) == b"ab"
    assert bytes(weights.read(2, 2)) == b"cd"
    assert copied(weights, 4, 2) == b"ef"


def test_a_file_that_is_only_read_is_not_kept_open_and_says_when_it_is_gone(file):
    weights = Weights.of_file(file)
    assert bytes(weights.read(0, 2)) == b"ab"
    file.unlink()
    for take in (weights.view, weights.read):
        with pytest.raises(WeightsChanged, match=r"w\.bin cannot be read any more: No such file"):
            take(0, 2)


def test_a_file_that_cannot_be_mapped_is_closed(file, monkeypatch):
    import mmap

    for error in (OSError("no"), ValueError("cut off")):

        def refuse(*_, error=error, **__):
            raise error

        weights = Weights.of_file(file)
        before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
        with monkeypatch.context() as patch:
            patch.setattr(mmap, "mmap", refuse)
            with pytest.raises(WeightsChanged, match=rf"w\.bin cannot be mapped: {error}"):
                weights.view(0, 2)
        after = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
        assert after == before
        assert bytes(weights.view(0, 2)) == b"ab"


def test_a_regular_file_is_opened_and_nothing_else(file):
    with open_regular(str(file)) as opened:
        assert opened.read() == b"abcdef"
    with pytest.raises(NotRegular, match="is a folder"):
        open_regular(str(file.parent))


@pytest.mark.parametrize(("mode", "text"), table(__file__, "what_is_no_regular_file_is_named"))
def test_what_is_no_regular_file_is_named(mode, text):
    assert kind(mode) == text


def test_open_files_keep_a_file_open_between_reads_within_their_block(file, monkeypatch):
    opened = []

    def counting(path):
        opened.append(open_regular(path))
        return opened[-1]

    monkeypatch.setattr("irops.files.storage.open_regular", counting)
    weights, files = Weights.of_file(file), OpenFiles()
    joined = JoinedWeights(weights)
    with files:
        assert [bytes(weights.read(offset, 2, files)) for offset in (0, 2, 4)] == [b"ab", b"cd", b"ef"]
        assert bytes(joined.read(1, 2, files)) == b"bc"
        assert [handle.closed for handle in opened] == [False]
    assert bytes(weights.read(0, 2, files)) == b"ab"
    assert bytes(Weights.of_bytes(b"xyz").read(1, 2, files)) == b"yz"
    assert [handle.closed for handle in opened] == [True, True]


def test_a_file_that_changes_while_it_is_kept_open_is_not_read(file):
    weights = Weights.of_file(file)
    with OpenFiles() as files:
        weights.read(0, 2, files)
        file.write_bytes(b"abcdefg")
        with pytest.raises(WeightsChanged, match=r"^w\.bin was changed after the model was read"):
            weights.read(0, 2, files)


def test_a_check_opens_the_weights_once(net, file, monkeypatch):
    opened = []

    def counting(path):
        opened.append(path)
        return open_regular(path)

    monkeypatch.setattr("irops.files.storage.open_regular", counting)
    layers = "x: f32[?,4,6]; a: Transpose x c; b: Transpose a d; y: Result b"
    irops.write(net(layers, c=np.array([0, 2, 1]), d=np.array([1, 0, 2])), file.with_name("m.xml"))
    opened.clear()
    assert irops.check(file.with_name("m.xml")).ok
    assert opened == [str(file.with_name("m.bin"))]


def test_the_digest_of_a_region_follows_from_its_bytes_alone(tmp_path):
    path = tmp_path / "w.bin"
    path.write_bytes(b"abcdabcd")
    stored, held = Weights.of_file(path), Weights.of_bytes(b"--abcd")
    assert stored.digest(0, 4) == stored.digest(4, 4) == held.digest(2, 4) != stored.digest(1, 4)
    joined = JoinedWeights(stored)
    start = joined.append(held)
    assert joined.digest(start + 2, 4) == joined.digest(0, 4) == stored.digest(0, 4)
    path.write_bytes(b"abcdabcde")
    with pytest.raises(WeightsChanged):
        stored.digest(0, 4)
