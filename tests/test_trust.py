"""The list of trusted folders: where it is, who may write it, and what counts as a folder."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import pytest

from irops.files.trust import (
    TrustError,
    configuration_folder,
    distrust,
    foreign_owner,
    is_trusted,
    trust,
    trusted_folders,
)

STRANGER = 54321
needs_owners = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files to another user"
)


@pytest.fixture(autouse=True)
def configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    return tmp_path / "configuration" / "irops"


def test_folders_are_added_and_removed(tmp_path: Path):
    assert trusted_folders() == ()
    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        trust(tmp_path / name)
    trust(tmp_path / "a")
    assert trusted_folders() == (str(tmp_path / "a"), str(tmp_path / "b"))
    assert distrust(tmp_path / "a")
    assert not distrust(tmp_path / "a")
    assert trusted_folders() == (str(tmp_path / "b"),)


def test_a_folder_is_what_links_lead_to_and_not_what_is_in_it(tmp_path: Path):
    (tmp_path / "a" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to("a")
    trust(tmp_path / "link")
    assert is_trusted(tmp_path / "a")
    assert not is_trusted(tmp_path / "a" / "inner")
    assert not is_trusted(tmp_path)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to(".")
    assert not is_trusted(tmp_path / "link")


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_nobody_else_may_read_or_write_the_list(tmp_path: Path, configuration: Path):
    before = os.umask(0)
    try:
        trust(tmp_path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(configuration.stat().st_mode) == 0o700
    assert stat.S_IMODE((configuration / "trusted.json").stat().st_mode) == 0o600
    assert os.listdir(configuration) == ["trusted.json"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@pytest.mark.parametrize("where", ["", "trusted.json"])
@pytest.mark.parametrize("mode", [0o720, 0o702])
def test_a_list_that_others_may_write_is_not_used(tmp_path: Path, configuration: Path, where: str, mode: int):
    trust(tmp_path)
    (configuration / where).chmod(mode)
    with pytest.raises(TrustError, match="other users may write to it"):
        is_trusted(tmp_path)
    with pytest.raises(TrustError):
        trust(tmp_path)


@needs_owners
@pytest.mark.parametrize("where", ["", "trusted.json"])
def test_a_list_of_another_user_is_not_used(tmp_path: Path, configuration: Path, where: str):
    trust(tmp_path)
    os.chown(configuration / where, STRANGER, STRANGER)
    with pytest.raises(TrustError, match=f"belongs to user {STRANGER}"):
        is_trusted(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"folders": "/"}', '{"folders": [1]}', "\xff"])
def test_a_damaged_list_is_an_error_and_trusts_nothing(tmp_path: Path, configuration: Path, text: str):
    trust(tmp_path)
    (configuration / "trusted.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(TrustError):
        is_trusted(tmp_path)


def test_a_list_that_is_no_file_is_an_error(tmp_path: Path, configuration: Path):
    configuration.mkdir(parents=True, mode=0o700)
    (configuration / "trusted.json").mkdir()
    with pytest.raises(TrustError):
        trusted_folders()


def test_names_with_line_ends_are_one_folder(tmp_path: Path, configuration: Path):
    odd = tmp_path / "a\n\x1b[31m b"
    odd.mkdir()
    trust(odd)
    assert trusted_folders() == (str(odd),)
    assert len(json.loads((configuration / "trusted.json").read_text())["folders"]) == 1


def test_without_a_home_nothing_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert configuration_folder() is None
    assert not is_trusted(tmp_path)
    with pytest.raises(TrustError, match="no home folder"):
        trust(tmp_path)


@needs_owners
def test_owners_are_those_of_the_link_and_of_its_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("SUDO_UID", raising=False)
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    assert foreign_owner(tmp_path / "link") is None
    os.chown(tmp_path / "link", STRANGER, STRANGER, follow_symlinks=False)
    assert (foreign_owner(tmp_path / "file"), foreign_owner(tmp_path / "link")) == (None, STRANGER)
    os.chown(tmp_path / "link", 0, 0, follow_symlinks=False)
    os.chown(tmp_path / "file", STRANGER, STRANGER)
    assert foreign_owner(tmp_path / "link") == STRANGER
    monkeypatch.setenv("SUDO_UID", str(STRANGER))
    assert foreign_owner(tmp_path / "link") is None
    monkeypatch.setenv("SUDO_UID", "²")
    assert foreign_owner(tmp_path / "link") == STRANGER
