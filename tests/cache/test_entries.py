"""Entries of the cache: whole or as if they were not there, private, and bounded in size."""

from __future__ import annotations

import multiprocessing
import os
import stat
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from irops.cache import entries
from irops.cache.entries import key_of, read_entry, write_entry

KEY = key_of(b"one")
BODY = b'{"a": [1, 2, 3]}'
posix = pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "cache" / "check")


def files_of(folder: str) -> list[Path]:
    return [path for path in Path(folder).rglob("*") if path.is_file()]


def file_of(folder: str) -> Path:
    (only,) = files_of(folder)
    return only


def test_an_entry_is_read_as_it_was_written(folder: str) -> None:
    assert read_entry(folder, KEY) is None
    for body in (BODY, b"", b"\n\n", bytes(range(256))):
        assert write_entry(folder, KEY, body)
        assert read_entry(folder, KEY) == body
    assert len(files_of(folder)) == 1


def test_keys_differ_where_the_parts_do() -> None:
    keys = {key_of(b"ab", b"c"), key_of(b"a", b"bc"), key_of(b"abc"), key_of(b"abc", b""), key_of()}
    assert len(keys) == 5


def test_a_damaged_entry_is_no_entry(folder: str) -> None:
    write_entry(folder, KEY, BODY)
    file = file_of(folder)
    whole = file.read_bytes()
    for place in range(len(whole)):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert read_entry(folder, KEY) is None
    for end in range(len(whole)):
        file.write_bytes(whole[:end])
        assert read_entry(folder, KEY) is None
    file.write_bytes(whole + b" ")
    assert read_entry(folder, KEY) is None
    file.write_bytes(whole)
    assert read_entry(folder, KEY) == BODY


def test_an_entry_under_another_name_is_no_entry(folder: str) -> None:
    write_entry(folder, KEY, BODY)
    other = key_of(b"other")
    write_entry(folder, other, b"{}")
    paths = {path.name: path for path in Path(folder).rglob("*") if path.is_file()}
    paths[other].write_bytes(paths[KEY].read_bytes())
    assert read_entry(folder, other) is None


@posix
def test_links_pipes_and_folders_are_no_entries(folder: str, tmp_path: Path) -> None:
    write_entry(folder, KEY, BODY)
    file = file_of(folder)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert read_entry(folder, KEY) is None
    file.unlink()
    os.mkfifo(file)
    assert read_entry(folder, KEY) is None
    file.unlink()
    file.mkdir()
    assert read_entry(folder, KEY) is None
    assert not write_entry(folder, KEY, BODY)
    assert not list(Path(folder).rglob("*.part"))


@posix
def test_an_entry_of_another_user_is_no_entry(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_entry(folder, KEY, BODY)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert read_entry(folder, KEY) is None


@posix
def test_only_the_user_may_read_entries(folder: str) -> None:
    write_entry(folder, KEY, BODY)
    file = file_of(folder)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [stat.S_IMODE(place.stat().st_mode) for place in (file.parent, Path(folder))] == [0o700, 0o700]


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (str(tmp_path / "file"), "/dev/null/x", "\0"):
        assert not write_entry(folder, KEY, BODY)
        assert read_entry(folder, KEY) is None


def test_large_entries_are_not_kept(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MAX_ENTRY", 1000)
    assert not write_entry(folder, KEY, b"x" * 1000)
    assert files_of(folder) == []


def test_the_oldest_entries_are_removed(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MAX_BYTES", 64 * 1000)
    monkeypatch.setattr(entries, "SMALL", 0)
    keys = [key for key in (key_of(b"%d" % n) for n in range(2000)) if int(key[:4], 16) % 64 == 7][:12]
    for age, key in enumerate(keys):
        write_entry(folder, key, b"x" * 150)
        (path,) = Path(folder).rglob(key)
        os.utime(path, (age, age))
    write_entry(folder, keys[0], b"x" * 150)  # the first is now the newest
    kept = [key for key in keys if read_entry(folder, key) is not None]
    assert keys[0] in kept
    assert kept[1:] == keys[-len(kept) + 1 :]
    assert sum(file.stat().st_size for file in files_of(folder)) <= 1000


def test_an_entry_that_is_read_counts_as_new(folder: str) -> None:
    write_entry(folder, KEY, BODY)
    os.utime(file_of(folder), (0, 0))
    read_entry(folder, KEY)
    assert file_of(folder).stat().st_mtime > 0


def write_often(folder: str) -> None:
    for n in range(200):
        write_entry(folder, KEY, b"%d" % (n % 3) * 5000)
        body = read_entry(folder, KEY)
        assert body is not None
        assert len(set(body)) == 1
        assert len(body) == 5000


@pytest.mark.slow("many processes")
def test_processes_see_whole_entries_only(folder: str) -> None:
    with ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(write_often, [folder] * 3)) == [None] * 3
    assert len(files_of(folder)) == 1
