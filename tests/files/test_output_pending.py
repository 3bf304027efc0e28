"""Files are replaced whole or not at all, whatever is raised; readers and writers of a folder lock it."""

import os
import signal
import sys
import threading

import pytest

from irops.files import output
from irops.files.output import PendingFiles, errors_naming, folder_lock, signals_blocked


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def open_files():
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def write_two(folder, meanwhile):
    """Write the files a and b of a folder, and call a function before they are renamed."""
    with PendingFiles(folder / "a", folder / "b") as (a, b):
        a.write(b"new")
        b.write(b"new")
        assert sorted(path.suffix for path in folder.iterdir()) == ["", ".part", ".part"]
        meanwhile()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_raised_while_writing_leaves_the_targets_as_they_were(tmp_path, error):
    def fail():
        raise error

    (tmp_path / "a").write_bytes(b"old")
    before = open_files()
    with pytest.raises(error):
        write_two(tmp_path, fail)
    assert contents(tmp_path) == {"a": b"old"}
    assert open_files() == before


@pytest.mark.parametrize("failing", ["fsync", "replace", "copy_ownership"])
def test_what_fails_before_the_first_renaming_leaves_the_targets_as_they_were(tmp_path, monkeypatch, failing):
    def fail(*_, **__):
        raise OSError("no")

    (tmp_path / "a").write_bytes(b"old")
    owner = {"fsync": output.os, "replace": output.Path, "copy_ownership": output}[failing]
    before = open_files()
    with monkeypatch.context() as patch, pytest.raises(OSError, match="no"):
        write_two(tmp_path, lambda: patch.setattr(owner, failing, fail))
    assert contents(tmp_path) == {"a": b"old"}
    assert open_files() == before


@pytest.mark.skipif(os.name == "nt", reason="Windows opens no folders")
def test_the_folder_of_new_files_is_flushed_to_disk_after_the_renames(tmp_path, monkeypatch):
    flushed = []
    (tmp_path / "a").write_bytes(b"old")
    monkeypatch.setattr(
        output.os, "fsync", lambda handle: flushed.append((os.fstat(handle), contents(tmp_path)))
    )
    write_two(tmp_path, lambda: None)
    last, files = flushed[-1]
    assert os.path.samestat(last, tmp_path.stat())
    assert files == {"a": b"new", "b": b"new"}


def test_files_are_renamed_when_the_block_is_done(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(0o600)
    with PendingFiles(tmp_path / "a", tmp_path / "b") as (a, b):
        a.write(b"new a")
        b.write(b"new b")
        assert (tmp_path / "a").read_bytes() == b"old"
    assert contents(tmp_path) == {"a": b"new a", "b": b"new b"}
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600


def test_a_target_that_is_no_file_is_refused_and_the_others_are_left(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").mkdir()
    with (
        pytest.raises(OSError, match="is not a regular file, so it cannot be replaced"),
        PendingFiles(tmp_path / "a", tmp_path / "b"),
    ):
        pass
    assert (tmp_path / "a").read_bytes() == b"old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_errors_name_the_target(tmp_path):
    target = tmp_path / "gone" / "a"
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*gone") as error, PendingFiles(target):
        pass
    assert error.value.filename == str(target)
    with pytest.raises(OSError, match="full") as other, errors_naming(target):
        raise OSError(28, "full", "elsewhere")
    assert (other.value.errno, other.value.filename) == (28, str(target))


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="this system cannot hold back signals")
@pytest.mark.parametrize("raised", [False, True])
def test_interruptions_wait_for_the_block_and_arrive_then(raised):
    seen = []
    before = signal.signal(signal.SIGTERM, lambda *_: seen.append("arrived"))
    try:
        try:
            with signals_blocked():
                signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
                seen.append("block")
                if raised:
                    raise ValueError
        except ValueError:
            pass
        assert seen == ["block", "arrived"]
        assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == set()
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="this system cannot hold back signals")
def test_what_is_interrupted_between_two_files_is_done_with_both(tmp_path, monkeypatch):
    replace = output.Path.replace

    def interrupted(self, target):
        signal.raise_signal(signal.SIGINT)
        return replace(self, target)

    (tmp_path / "a").write_bytes(b"old")
    monkeypatch.setattr(output.Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_two(tmp_path, lambda: None)
    assert contents(tmp_path) == {"a": b"new", "b": b"new"}


def test_a_block_is_left_undisturbed_where_the_system_cannot_hold_back_signals(monkeypatch):
    monkeypatch.delattr(signal, "pthread_sigmask", raising=False)
    ran = []
    with signals_blocked():
        ran.append(1)
    assert ran == [1]


fcntl = pytest.importorskip("fcntl")


def free(folder, *, exclusive):
    """Whether another could lock the folder now."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    else:
        return True
    finally:
        os.close(handle)


def test_readers_share_a_folder_and_a_writer_is_alone(tmp_path):
    before = open_files()
    with folder_lock(tmp_path):
        assert free(tmp_path, exclusive=False)
        assert not free(tmp_path, exclusive=True)
    with folder_lock(tmp_path, exclusive=True):
        assert not free(tmp_path, exclusive=False)
        assert not free(tmp_path, exclusive=True)
    assert free(tmp_path, exclusive=True)
    assert open_files() == before


def test_a_lock_ends_when_the_block_raises(tmp_path):
    before = open_files()
    with pytest.raises(ValueError, match="no"), folder_lock(tmp_path, exclusive=True):
        raise ValueError("no")
    assert free(tmp_path, exclusive=True)
    assert open_files() == before


def test_nobody_waits_for_ever(tmp_path, monkeypatch):
    now = [0.0]

    def nap(seconds):
        now[0] += seconds

    monkeypatch.setattr(output, "monotonic", lambda: now[0])
    monkeypatch.setattr(output, "sleep", nap)
    with folder_lock(tmp_path, exclusive=True):
        before = open_files()
        with folder_lock(tmp_path):
            assert open_files() == before
        assert output.TIMEOUT < now[0] < 1.1 * output.TIMEOUT


def test_a_lock_is_waited_for(tmp_path, monkeypatch):
    handle = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    naps = []

    def nap(seconds):
        naps.append(seconds)
        if len(naps) == 2:
            os.close(handle)

    monkeypatch.setattr(output, "sleep", nap)
    with folder_lock(tmp_path, exclusive=True):
        assert not free(tmp_path, exclusive=False)
    assert len(naps) == 2
    assert 0 < naps[0] < 0.1


def test_a_folder_that_cannot_be_locked_is_used_without(tmp_path, monkeypatch):
    before = open_files()
    with folder_lock(tmp_path / "gone"):
        assert open_files() == before

    def fail(*_):
        raise OSError("no locks")

    monkeypatch.setattr(fcntl, "flock", fail)
    with folder_lock(tmp_path):
        assert open_files() == before
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with folder_lock(tmp_path, exclusive=True):
        assert open_files() == before


def test_the_timeout_of_a_lock_is_short():
    assert 0.5 <= output.TIMEOUT <= 10
