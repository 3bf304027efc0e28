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


def test_abandoned_folders_are_removed_unless_claimed(tmp_path):
    for name in (".x-1", ".x-2", ".y-1", ".x-1-of-a-user"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "page").write_text("half")
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / ".x-3").write_text("a file")
    os.utime(tmp_path / ".x-3", (0, 0))
    handle = os.open(tmp_path / ".x-2", os.O_RDONLY)
    assert claim(handle)
    kept = [".x-1-of-a-user", ".x-3", ".y-1"]
    remove_abandoned(tmp_path, r"\.x-\d", is_folder=True)
    assert sorted(os.listdir(tmp_path)) == sorted([".x-2", *kept])
    os.close(handle)
    remove_abandoned(tmp_path, r"\.x-\d", is_folder=True)
    assert sorted(os.listdir(tmp_path)) == kept
    assert MIN_AGE > 1


def test_what_a_user_named_alike_stays_and_what_replaces_a_private_file_is_private(tmp_path):
    target, own = tmp_path / "m.xml", tmp_path / ".m.xml.mybackup.part"
    left, folder = tmp_path / ".m.xml.0123abcd.part", tmp_path / ".m.xml.89abcdef.part"
    recent = tmp_path / ".m.xml.11111111.part"
    for path in (target, own, left, recent):
        path.write_text("text")
    folder.mkdir()
    for path in (own, left, folder):
        os.utime(path, (0, 0))
    target.chmod(0o600)
    with PendingFiles(target, tmp_path / "new.xml"):
        parts = [path for path in tmp_path.glob(".*.part") if path not in (own, folder, recent)]
        modes = {path.name.split(".")[1]: path.stat().st_mode & 0o077 for path in parts}
        assert modes["m"] == 0
        assert modes["new"] == 0o066 & ~_umask()
    assert own.exists()
    assert recent.exists()
    assert folder.is_dir()
    assert not left.exists()
    assert target.stat().st_mode & 0o777 == 0o600


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
