"""irops.toml, [tool.irops] and --limit."""

import os
from contextlib import chdir
from pathlib import Path

import pytest
from tables import table

from irops.cli.settings import Settings, settings
from irops.diagnostics.diagnostic import DiagnosticError


def settings_in(folder):
    """The settings that are found from a folder upwards."""
    with chdir(folder):
        return settings()


def faults_of(folder):
    with pytest.raises(DiagnosticError) as error:
        settings_in(folder)
    return list(error.value.diagnostics)


def test_settings_are_empty_without_a_file(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert settings_in(tmp_path).limits == {}


def test_the_nearest_file_with_irops_settings_applies(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "irops.toml").write_text("strict = true\n")
    (inner / "pyproject.toml").write_text("[tool.ruff]\nline-length = 3\n")
    assert settings_in(inner).strict
    (inner.parent / "pyproject.toml").write_text("[tool.irops]\nignore = ['IR2']\n")
    assert settings_in(inner) == Settings(ignore=("IR2",))


def test_everything_can_be_set(tmp_path):
    (tmp_path / "irops.toml").write_text(
        'select = ["IR3"]\ntarget = "2023.3.1"\nignore = ["IR304", "dead-layer"]\n'
        'baseline = "known.json"\n[limits]\ndepth = 90\ntensor_bytes = "16G"\nseconds = 2.5\n'
    )
    assert settings_in(tmp_path) == Settings(
        {"depth": 90, "tensor_bytes": 16 << 30, "seconds": 2.5},
        ("IR3",),
        ("IR304", "dead-layer"),
        False,
        tmp_path / "known.json",
        target="2023.3",
    )


def test_irops_toml_takes_precedence_over_pyproject(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.irops]\nstrict = true\n")
    (tmp_path / "irops.toml").write_text("")
    assert not settings_in(tmp_path).strict


@pytest.mark.parametrize(
    ("text", "name", "place", "said"), table(__file__, "an_invalid_setting_is_reported_at_its_position")
)
def test_an_invalid_setting_is_reported_at_its_position(text, name, place, said, tmp_path):
    (tmp_path / "irops.toml").write_text(text)
    (found,) = faults_of(tmp_path)
    assert (found.name, (found.location.line, found.location.column)) == (name, tuple(place))
    assert said in found.message


def test_all_invalid_settings_are_reported_together(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        "[tool.other]\nstrict = 7\n[tool.irops]\nstrict = 1\nodd = 2\n[tool.irops.limits]\nodd = 3\n"
    )
    found = [(d.name, d.location.line) for d in faults_of(tmp_path)]
    assert found == [("invalid-setting", 4), ("unknown-setting", 5), ("unknown-setting", 5)]


def test_settings_that_are_not_text_are_refused(tmp_path):
    (tmp_path / "irops.toml").write_bytes(b"a = '\xff'")
    assert faults_of(tmp_path)[0].message.endswith("is not UTF-8: invalid start byte at byte 5")
    (tmp_path / "irops.toml").write_text("a = " + "[" * 100_000)
    assert faults_of(tmp_path)[0].name == "malformed-settings"


def test_an_invalid_setting_exits_with_2_without_checking(irops, valid_model, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irops.toml").write_text("strikt = true\n")
    result = irops("check", valid_model)
    assert (result.status, result.out) == (2, "")
    assert "irops.toml:1:1: error IR702 unknown setting 'strikt'; did you mean strict?" in result.err


@pytest.mark.parametrize("command", [("check",), ("infer",), ("run", "--fill", "zeros")])
def test_an_exceeded_limit_exits_with_1_and_names_the_option(command, irops, reversing):
    result = irops(*command, reversing, "--limit", "depth=3")
    assert result.status == 1
    assert "error IR016 <data> is nested 4 elements deep; the limit is 3 (depth)" in result.out + result.err
    assert "--limit depth=N" in result.out + result.err
    assert irops(*command, reversing, "--limit", "depth=30", "--limit", "run_seconds=inf").status == 0


def test_options_override_settings(irops, reversing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irops.toml").write_text("[limits]\ndepth = 3\n")
    assert irops("check", reversing).status == 1
    assert irops("check", reversing, "--limit", "depth=9").status == 0
    (tmp_path / "irops.toml").write_text("ignore = ['IR0']\n[limits]\ndepth = 3\n")
    assert irops("check", reversing).status == 0


@pytest.mark.parametrize("text", table(__file__, "the_table_of_pyproject_is_found_however_it_is_spelled"))
def test_the_table_of_pyproject_is_found_however_it_is_spelled(text, tmp_path):
    (tmp_path / "pyproject.toml").write_bytes(text.encode())
    assert settings_in(tmp_path).strict is True


def test_a_pyproject_that_does_not_name_irops_is_not_parsed(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'irops'\nodd = = 1\n")
    assert not settings_in(tmp_path).strict


RULES = 'rules = ["team.py"]\nignore = ["TEAM002", "IR208"]\nstrict = true\n'
TEAM = """
import irops
RULES = (irops.Rule("TEAM001", "a-layer", irops.Severity.WARNING, "a layer", "Explained.", lambda m, f: ()),)
raise SystemExit("this code was run")
"""


def test_rules_of_settings_that_are_found_are_not_loaded(tmp_path, capsys):
    (tmp_path / "irops.toml").write_text(RULES)
    (tmp_path / "team.py").write_text(TEAM)
    found = settings_in(tmp_path)
    assert (found.rules, found.left_out, found.ignore) == ((), (str(tmp_path / "team.py"),), ("IR208",))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"{tmp_path / 'irops.toml'}:1:1: warning IR704 ")
    assert "--config irops.toml loads them" in lines[0]


def test_a_strict_check_that_leaves_rules_out_is_no_success(tmp_path, monkeypatch, irops, valid_model):
    (tmp_path / "irops.toml").write_text(RULES)
    (tmp_path / "team.py").write_text(TEAM)
    monkeypatch.chdir(tmp_path)
    assert irops("check", valid_model).status == 1
    assert "IR704" in irops("check", valid_model).err
    (tmp_path / "irops.toml").write_text(RULES.replace("strict = true", ""))
    assert irops("check", valid_model).status == 0


def test_a_file_that_is_named_applies_with_its_rules(tmp_path, monkeypatch, irops, valid_model):
    (tmp_path / "team.toml").write_text('rules = ["team.py", "acme.rules"]\nstrict = true\n')
    loaded = []
    monkeypatch.setattr("irops.cli.settings.load_rules", loaded.append)
    monkeypatch.chdir(tmp_path)
    assert settings("team.toml") == Settings(strict=True, rules=("team.py", "acme.rules"))
    assert loaded == ["team.py", "acme.rules"]


def test_the_search_ends_at_the_root_of_a_repository_and_at_home(tmp_path, monkeypatch):
    inner = tmp_path / "home" / "repository" / "folder"
    inner.mkdir(parents=True)
    (tmp_path / "irops.toml").write_text("strict = true\n")
    assert settings_in(inner).strict
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert not settings_in(inner).strict
    (tmp_path / "home" / "irops.toml").write_text("strict = true\n")
    assert settings_in(inner).strict
    (inner.parent / ".git").write_text("gitdir: elsewhere\n")
    assert not settings_in(inner).strict


@pytest.mark.parametrize("of", ["the file", "a folder"])
def test_settings_of_another_user_are_not_read(of, tmp_path, monkeypatch, capsys):
    inner = tmp_path / "inner"
    inner.mkdir()
    file = tmp_path / "irops.toml"
    file.write_text("strict = true\n")
    foreign = file if of == "the file" else tmp_path
    own = os.lstat

    def lstat(path):
        found = own(path)
        other = os.geteuid() + 1
        return os.stat_result((*found[:4], other, *found[5:10])) if Path(path) == foreign else found

    monkeypatch.setattr("irops.cli.settings.os.lstat", lstat)
    assert not settings_in(inner).strict
    assert "IR705 settings are not read" in capsys.readouterr().err
