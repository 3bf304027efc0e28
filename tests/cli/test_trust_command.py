"""Settings are data: what they name as code runs only where a person has said so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from irops.cli.command import commands

Irops = Callable[..., Any]
STRANGER = 54321
RULES = "import pathlib\npathlib.Path(__file__).with_suffix('.ran').touch()\nRULES = ()\n"
TRUSTING = ("check", "survey", "rules", "explain", "server")
needs_owners = pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() != 0, reason="only root can give files to another user"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, whose settings name a module."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    monkeypatch.delenv("SUDO_UID", raising=False)
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "code.py").write_text(RULES)
    (folder / "irops.toml").write_text('ignore = ["IR208"]\nrules = ["code.py"]\n')
    monkeypatch.chdir(folder)
    return folder


def has_run(folder: Path) -> bool:
    """Whether the module has run, in a new process as each call of a command is one."""
    ran = (folder / "code.ran").exists()
    (folder / "code.ran").unlink(missing_ok=True)
    for name in [name for name, module in sys.modules.items() if getattr(module, "RULES", None) == ()]:
        del sys.modules[name]
    return ran


def test_code_runs_only_in_a_trusted_folder(folder: Path, reversing: Path, irops: Irops):
    result = irops("check", reversing)
    assert result.status == 0
    assert result.err.startswith(
        f"{folder}/irops.toml:2:1: warning IR704 custom rules are not loaded: code.py"
    )
    assert f"irops trust {folder} trusts it, --trust-settings does so once" in result.err
    assert result.err.count("IR704") == 2  # the warning, and how to read about it
    assert not has_run(folder)
    assert irops("trust", ".").out == f"{folder} is trusted\n"
    assert irops("check", reversing).err == ""
    assert has_run(folder)
    assert irops("trust").out == f"{folder}\n"
    assert json.loads(irops("trust", "--output-format", "json").out) == {
        "version": 1,
        "folders": [str(folder)],
    }
    assert irops("trust", "--remove", folder).out == f"{folder} is not trusted any more\n"
    assert "IR704" in irops("check", reversing).err
    assert not has_run(folder)
    assert irops("trust").out == "no folder is trusted\n"


def test_the_option_trusts_for_one_call(folder: Path, reversing: Path, irops: Irops):
    assert irops("check", reversing, "--trust-settings").err == ""
    assert has_run(folder)
    assert "IR704" in irops("check", reversing).err
    assert not has_run(folder)


def test_a_strict_check_fails_if_rules_are_left_out(folder: Path, reversing: Path, irops: Irops):
    assert irops("check", reversing).status == 0
    assert irops("check", reversing, "--strict").status == 1
    assert irops("check", reversing, "--strict", "--trust-settings").status == 0
    assert irops("check", reversing, "--strict", "--exit-zero").status == 0


@pytest.mark.parametrize("command", [name for name in commands() if name not in TRUSTING])
def test_other_commands_have_no_way_to_run_it(command: str, folder: Path, irops: Irops):
    assert "--trust-settings" not in irops(command, "--help").out
    assert not has_run(folder)


@pytest.mark.parametrize("words", [("rules",), ("explain", "CODE001"), ("explain", "CODE001", "CODE002")])
def test_commands_about_rules_warn_once(folder: Path, irops: Irops, words: tuple[str, ...]):
    assert irops(*words).err.count("warning IR704") == 1
    assert not has_run(folder)
    assert "IR704" not in irops(*words, "--trust-settings").err
    assert has_run(folder)


def test_commands_without_rules_say_nothing(folder: Path, reversing: Path, irops: Irops):
    for command in ("infer", "inspect"):
        assert "IR704" not in irops(command, reversing).err
    assert not has_run(folder)


def test_what_is_data_applies_without_trust(folder: Path, reversing: Path, irops: Irops):
    (folder / "irops.toml").write_text('rules = ["code.py"]\nignore = ["TEAM001"]\n[limits]\nlayers = 1\n')
    result = irops("check", reversing)
    assert "limit" in result.out
    assert "IR704" in result.err
    assert not has_run(folder)


def test_a_module_by_name_is_code_too(folder: Path, reversing: Path, irops: Irops):
    (folder / "irops.toml").write_text('rules = ["antigravity"]\n')
    assert "IR704" in irops("check", reversing).err
    assert "antigravity" not in sys.modules


def test_a_folder_in_a_trusted_one_is_not_trusted(
    folder: Path, reversing: Path, irops: Irops, monkeypatch: Any
):
    irops("trust", folder)
    clone = folder / "clone"
    clone.mkdir()
    (clone / "irops.toml").write_text('rules = ["../code.py"]\n')
    monkeypatch.chdir(clone)
    assert "IR704" in irops("check", reversing).err
    assert not has_run(folder)


@pytest.mark.parametrize("end", [".git/", ".git"])
def test_the_search_ends_at_the_root_of_a_repository(
    end: str, folder: Path, reversing: Path, irops: Irops, monkeypatch: pytest.MonkeyPatch
):
    inner = folder / "repository" / "models"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    assert "IR704" in irops("check", reversing).err
    root = inner.parent / ".git"
    _ = (
        root.mkdir() if end.endswith("/") else root.write_text("gitdir: elsewhere\n")
    )  # a worktree, a submodule
    assert irops("check", reversing).err == ""
    (inner.parent / "irops.toml").write_text("[limits]\nlayers = 1\n")
    assert "limit" in irops("check", reversing).out


def test_the_search_ends_at_home(
    folder: Path, reversing: Path, irops: Irops, monkeypatch: pytest.MonkeyPatch
):
    home = folder / "home"
    (home / "work").mkdir(parents=True)
    monkeypatch.chdir(home / "work")
    assert "IR704" in irops("check", reversing).err
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    assert irops("check", reversing).err == ""


@needs_owners
@pytest.mark.parametrize("where", ["irops.toml", "."])
def test_settings_of_another_user_are_not_read(where: str, folder: Path, reversing: Path, irops: Irops):
    irops("trust", folder)
    (folder / "irops.toml").write_text("[limits]\nlayers = 1\n")
    assert "limit" in irops("check", reversing).out
    os.chown(folder / where, STRANGER, STRANGER)
    result = irops("check", reversing)
    assert "limit" not in result.out
    assert (
        f"warning IR705 settings are not read: {folder}/irops.toml belongs to user {STRANGER}" in result.err
    )
    assert "IR705" in irops("infer", reversing).err


@needs_owners
def test_the_search_ends_at_a_folder_of_another_user(
    folder: Path, reversing: Path, irops: Irops, monkeypatch: pytest.MonkeyPatch
):
    own = folder / "theirs" / "own"
    own.mkdir(parents=True)
    os.chown(folder / "theirs", STRANGER, STRANGER)
    monkeypatch.chdir(own)
    assert irops("check", reversing).err == ""
    monkeypatch.setenv("SUDO_UID", str(STRANGER))
    assert "IR704" in irops("check", reversing).err


def test_names_in_the_warning_are_escaped(folder: Path, reversing: Path, irops: Irops):
    (folder / "irops.toml").write_text('rules = ["\\u001b[31m\\n::error::x.py"]\n')
    err = irops("check", reversing).err
    assert "\x1b" not in err
    assert "\n::error" not in err


def test_an_unusable_list_is_reported_and_trusts_nothing(folder: Path, reversing: Path, irops: Irops):
    irops("trust", folder)
    (folder.parent / "configuration" / "irops" / "trusted.json").write_text("{")
    assert irops("trust").status == 2
    result = irops("check", reversing)
    assert "warning IR706" in result.err
    assert "warning IR704" in result.err
    assert not has_run(folder)


def test_the_module_runs_in_no_process_of_a_parallel_check(folder: Path, reversing: Path):
    command = [sys.executable, "-P", "-m", "irops", "check", reversing, reversing, "-j", "2"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "IR704" in done.stderr
    assert not has_run(folder)
