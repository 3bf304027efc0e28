"""IROPS_DISABLE turns parts off by name."""

import pytest

from irops.cli.main import main
from irops.environment import SWITCHES, VARIABLE, enabled


def test_all_parts_are_on_without_the_variable(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert all(enabled(name) for name in SWITCHES)


def test_the_variable_turns_off_what_it_names(monkeypatch):
    monkeypatch.setenv(VARIABLE, "scanner, arena,")
    assert [name for name in SWITCHES if not enabled(name)] == ["scanner", "arena"]


def test_an_unknown_name_is_refused_with_the_names_there_are(monkeypatch):
    monkeypatch.setenv(VARIABLE, "scaner")
    with pytest.raises(ValueError, match="names scaner; it can name scanner, sharing"):
        enabled("cache")


def test_the_command_line_refuses_an_unknown_name(monkeypatch, capsys):
    monkeypatch.setenv(VARIABLE, "fast")
    assert main(["explain"]) == 2
    assert "IROPS_DISABLE names fast" in capsys.readouterr().err
