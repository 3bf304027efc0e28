"""Bytes are copied from file to file by the kernel, by whichever method it has; holes stay holes."""

import errno
import os

import pytest

from irops.files import output
from irops.files.output import copy_range, read_at
from irops.files.storage import JoinedWeights, Weights, WeightsChanged
from irops.ir.write import Contents

CONTENT = bytes(range(256)) * 64


def copy(folder, offset, size, place=0):
    """Copy a range of the file source of a folder to the file target."""
    with (folder / "source").open("rb") as source, (folder / "target").open("wb") as target:
        copy_range(source.fileno(), offset, size, target.fileno(), place)


def unsupported(code):
    def method(*_, **__):
        raise OSError(code, os.strerror(code))

    return method


KERNEL = output._BY_KERNEL
METHODS = {
    "kernel": KERNEL,
    "memory": None,
    "other devices": unsupported(errno.EXDEV),
    "copies nothing": lambda *_, **__: 0,
    "few at a time": KERNEL and (lambda a, b, size, offset_src: KERNEL(a, b, min(size, 5), offset_src)),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("offset", "size", "place"), [(0, 16384, 0), (3, 1000, 0), (100, 7, 11), (5, 0, 2)])
def test_every_method_copies_the_same_bytes(method, offset, size, place, tmp_path, monkeypatch):
    (tmp_path / "source").write_bytes(CONTENT)
    monkeypatch.setattr(output, "_BY_KERNEL", METHODS[method])
    copy(tmp_path, offset, size, place)
    assert (tmp_path / "target").read_bytes() == bytes(place) + CONTENT[offset : offset + size]


@pytest.mark.parametrize("method", [KERNEL, None])
def test_a_source_that_ends_too_early_is_an_error(method, tmp_path, monkeypatch):
    monkeypatch.setattr(output, "_BY_KERNEL", method)
    (tmp_path / "source").write_bytes(b"abcdef")
    with pytest.raises(EOFError, match="ends before byte 6"):
        copy(tmp_path, 2, 5)


def test_an_error_of_the_disk_is_raised(tmp_path, monkeypatch):
    monkeypatch.setattr(output, "_BY_KERNEL", unsupported(errno.ENOSPC))
    (tmp_path / "source").write_bytes(b"abc")
    with pytest.raises(OSError, match="No space left"):
        copy(tmp_path, 0, 3)


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
def test_holes_stay_holes(offset, size, tmp_path):
    content = sparse(tmp_path / "source")
    with (tmp_path / "source").open("rb") as source, (tmp_path / "target").open("wb") as target:
        target.write(b"head")
        target.flush()
        copy_range(source.fileno(), offset, size, target.fileno(), 4)
    assert (tmp_path / "target").read_bytes() == b"head" + content[offset : offset + size]
    cut = 32  # blocks that hold no more than a part of what they held
    assert (tmp_path / "target").stat().st_blocks <= (tmp_path / "source").stat().st_blocks + cut


def test_a_file_system_that_does_not_report_holes_is_copied_all_the_same(tmp_path, monkeypatch):
    content = sparse(tmp_path / "source")
    lseek = os.lseek

    def without_holes(file, offset, whence):
        if whence in (os.SEEK_DATA, os.SEEK_HOLE):
            raise OSError(errno.EINVAL, "no holes")
        return lseek(file, offset, whence)

    monkeypatch.setattr(os, "lseek", without_holes)
    copy(tmp_path, 0, len(content))
    assert (tmp_path / "target").read_bytes() == content


def test_a_sparse_file_that_was_truncated_is_an_error(tmp_path):
    sparse(tmp_path / "source")
    with pytest.raises(EOFError, match=r"has 1048576 bytes, must have 1048577"):
        copy(tmp_path, 1 << 19, (1 << 19) + 1)


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
