"""Whole files that are kept: bounded, never removed under a reader, whole or not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from irops.cache.downloads import Downloads, NoRoom

ROOT = Path(__file__).parents[2]
A, B, C = ("a" * 64, "b" * 64, "c" * 64)


@pytest.fixture
def files(tmp_path) -> Downloads:
    return Downloads(str(tmp_path / "files"), 100)


def put(files: Downloads, key: str, size: int, age: int = 0) -> None:
    files.fetched(key, size, lambda file: file.write(b"x" * size)).close()
    os.utime(Path(files.folder, key), (1e9 - age, 1e9 - age))


def keys(files: Downloads) -> list[str]:
    return sorted(path.name[0] for path in Path(files.folder).iterdir() if not path.name.startswith("."))


def test_a_file_is_fetched_once(files):
    put(files, A, 10)
    with files.fetched(A, 10, lambda file: pytest.fail("it is there")) as file:
        assert file.read() == b"x" * 10
    assert files.usage() == (1, 10)


def test_the_file_that_was_used_longest_ago_is_removed_first(files):
    put(files, A, 40, age=300)
    put(files, B, 40, age=200)
    files.kept(A, 40).close()
    put(files, C, 40)
    assert keys(files) == ["a", "c"]


def test_a_file_in_use_is_not_removed(files):
    put(files, A, 40, age=300)
    put(files, B, 40, age=200)
    with files.kept(A, 40):
        os.utime(Path(files.folder, A), (1, 1))
        put(files, C, 40)
        assert keys(files) == ["a", "c"]


def test_a_file_that_is_larger_than_all_that_is_kept_is_refused_before_it_is_fetched(files):
    with pytest.raises(NoRoom, match="it has 101 bytes; the cache keeps 100"):
        files.fetched(A, 101, lambda file: pytest.fail("it is too large"))


def test_what_is_cut_off_is_not_kept(files):
    def fail(file) -> None:
        file.write(b"x")
        raise ValueError("the server is gone")

    with pytest.raises(ValueError, match="is gone"):
        files.fetched(A, 10, fail)
    assert keys(files) == []
    with pytest.raises(OSError, match="does not have its 10 bytes"):
        files.fetched(A, 10, lambda file: file.write(b"x"))
    assert files.kept(A, 10) is None


def test_threads_that_need_the_same_file_fetch_it_once(files):
    fetches: list[int] = []

    def need() -> None:
        files.fetched(A, 10, lambda file: fetches.append(file.write(b"x" * 10))).close()

    threads = [Thread(target=need) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert fetches == [10]


def test_what_a_killed_process_left_is_removed(files, tmp_path):
    script = """if True:
        import os, sys
        from irops.cache.downloads import Downloads
        def die(file):
            file.write(b"x")
            file.flush()
            os._exit(1)
        Downloads(sys.argv[1], 100).fetched(sys.argv[2], 10, die)
    """
    done = subprocess.run([sys.executable, "-c", script, files.folder, A], cwd=ROOT, check=False)
    assert done.returncode == 1
    (part,) = (path for path in Path(files.folder).iterdir() if path.suffix == ".part")
    os.utime(part, (1, 1))
    put(files, B, 10)
    assert keys(files) == ["b"]
