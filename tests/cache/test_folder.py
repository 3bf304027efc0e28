"""The place of the cache: what the platform uses, or IROPS_CACHE_DIR."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from irops.files.cache import folder
from irops.files.cache.folder import cache_folder


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for name in ("IROPS_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_linux_has_the_folder_of_xdg(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setattr(folder.sys, "platform", "linux")
    assert cache_folder() == str(home / ".cache" / "irops")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/xdg")
    assert cache_folder() == "/var/xdg/irops"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # which its specification says to ignore
    assert cache_folder() == str(home / ".cache" / "irops")


@pytest.mark.skipif(sys.platform == "win32", reason="home folders of POSIX")
def test_macos_has_library_caches(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setattr(folder.sys, "platform", "darwin")
    assert cache_folder() == str(home / "Library" / "Caches" / "irops")


def test_windows_has_local_application_data(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setattr(folder.sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(home))
    assert cache_folder() == str(home / "irops")


def test_a_variable_names_another_place(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.setenv("IROPS_CACHE_DIR", "somewhere")
    monkeypatch.chdir(home)
    assert cache_folder() == str(home / "somewhere")


def test_without_a_home_there_is_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder.sys, "platform", "linux")
    monkeypatch.setattr(folder.os.path, "expanduser", lambda path: path)
    assert cache_folder() is None
