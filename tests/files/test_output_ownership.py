"""A file that is replaced keeps its mode, its owner and its extended attributes."""

import os

import pytest

from irops.files import output
from irops.files.output import MIN_AGE, PendingFiles, claim, remove_abandoned


def replace(path):
    with PendingFiles(path) as (file,):
        file.write(b"new")


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "m.xml"
    path.write_bytes(b"old")
    path.chmod(0o640)
    return path


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root changes owners")
def test_root_keeps_the_owner(old):
    os.chown(old, 12345, 23456)
    replace(old)
    status = old.stat()
    assert (old.read_bytes(), status.st_uid, status.st_gid) == (b"new", 12345, 23456)
    assert status.st_mode & 0o777 == 0o640


def test_the_owner_is_asked_for_before_the_mode(old, monkeypatch):
    calls = []
    monkeypatch.setattr(os, "chown", lambda *words: calls.append(words[1:]))
    replace(old)
    assert calls == [(old.stat().st_uid, old.stat().st_gid)]
    assert old.stat().st_mode & 0o777 == 0o640


def test_what_the_system_does_not_permit_is_left_out(old, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "no")

    for name in ("chown", "listxattr"):
        monkeypatch.setattr(os, name, refuse, raising=False)
    replace(old)
    assert old.read_bytes() == b"new"


def test_extended_attributes_are_kept(old, monkeypatch):
    stored = {old: {"user.origin": b"here", "security.x": b"1"}}
    functions = {
        "listxattr": lambda path: list(stored[path]),
        "getxattr": lambda path, name: stored[path][name],
        "setxattr": lambda path, name, value: stored.setdefault(path, {}).update({name: value}),
    }
    for name, function in functions.items():
        monkeypatch.setattr(output.os, name, function, raising=False)
    replace(old)
    (copied,) = (values for path, values in stored.items() if path != old)
    assert copied == stored[old]


def test_abandoned_files_and_folders_are_removed_unless_claimed(tmp_path):
    for name in (".x-1", ".x-2", ".y-1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "page").write_text("half")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / ".x-3").write_text("half")
    handle = os.open(tmp_path / ".x-2", os.O_RDONLY)
    assert claim(handle)
    remove_abandoned(tmp_path, ".x-")
    assert sorted(os.listdir(tmp_path)) == [".x-2", ".x-3", ".y-1"]
    os.utime(tmp_path / ".x-3", (0, 0))
    os.close(handle)
    os.utime(tmp_path / ".x-2", (0, 0))
    remove_abandoned(tmp_path, ".x-")
    assert os.listdir(tmp_path) == [".y-1"]
    assert MIN_AGE > 1
