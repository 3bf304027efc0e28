"""irops.toml, [tool.irops] and --limit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from irops.cli.settings import Settings, settings
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError

Irops = Callable[..., Any]


def faults_of(folder: Path) -> list[Diagnostic]:
    with pytest.raises(DiagnosticError) as error:
        settings(folder)
    return list(error.value.diagnostics)


def test_nothing_is_set_where_no_file_sets_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert settings(tmp_path).limits == {}


def test_the_nearest_file_counts_and_pyproject_only_if_it_is_about_irops(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "irops.toml").write_text("strict = true\n")
    (inner / "pyproject.toml").write_text("[tool.ruff]\nline-length = 3\n")
    assert settings(inner).strict
    (inner.parent / "pyproject.toml").write_text("[tool.irops]\nignore = ['IR2']\n")
    assert settings(inner) == Settings(ignore=("IR2",))


def test_everything_can_be_set(tmp_path: Path) -> None:
    (tmp_path / "irops.toml").write_text(
        'select = ["IR3"]\nignore = ["IR304", "dead-layer"]\nbaseline = "known.json"\n[limits]\ndepth ='
        ' 90\ntensor_bytes = "16G"\nseconds = 2.5\n'
    )
    assert settings(tmp_path) == Settings(
        {"depth": 90, "tensor_bytes": 16 << 30, "seconds": 2.5},
        ("IR3",),
        ("IR304", "dead-layer"),
        False,
        tmp_path / "known.json",
    )


def test_an_own_file_goes_before_pyproject_of_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.irops]\nstrict = true\n")
    (tmp_path / "irops.toml").write_text("")
    assert not settings(tmp_path).strict


@pytest.mark.parametrize(
    ("text", "name", "line", "column", "said"),
    [
        (
            "strict = true\nlimit = 3\n",
            "unknown-setting",
            2,
            1,
            "'limit' is nothing that can be set; did you mean limits?",
        ),
        ("[limits]\n  detph = 3\n", "unknown-setting", 2, 3, "did you mean depth?"),
        (
            "[limits]\ndepth = 0\n",
            "invalid-setting",
            2,
            1,
            "depth: the limit depth is 0, must be a number above 0",
        ),
        (
            '[limits]\n"depth" = "many"\n',
            "invalid-setting",
            2,
            2,
            "depth: 'many' is no number such as 1000, 16G, 512M or inf",
        ),
        ("limits = 3\n", "invalid-setting", 1, 1, "limits: is 3, must be a table of limits"),
        ("[odd]\nx = 1\n", "unknown-setting", 1, 2, "'odd' is nothing"),
        ("ignore = 'IR2'\n", "invalid-setting", 1, 1, "must be a list of rules in quotes"),
        (
            "ignore = ['dead-lair']\n",
            "invalid-setting",
            1,
            1,
            "ignore: there is no rule 'dead-lair'; did you mean dead-layer?",
        ),
        ("strict = 1\n", "invalid-setting", 1, 1, "strict: is 1, must be true or false"),
        ("baseline = ''\n", "invalid-setting", 1, 1, "must be a path in quotes"),
        ("strict = true\nstrict = = \n", "malformed-settings", 2, 10, "not TOML: "),
    ],
)
def test_what_cannot_be_set_is_told_where_it_stands(
    text: str, name: str, line: int, column: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "irops.toml").write_text(text)
    (found,) = faults_of(tmp_path)
    assert (found.name, found.location.line, found.location.column) == (name, line, column)
    assert said in found.message


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.other]\nstrict = 7\n[tool.irops]\nstrict = 1\nodd = 2\n[tool.irops.limits]\nodd = 3\n"
    )
    assert [(d.name, d.location.line) for d in faults_of(tmp_path)] == [
        ("invalid-setting", 4),
        ("unknown-setting", 5),
        ("unknown-setting", 5),
    ]


def test_settings_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "irops.toml").write_bytes(b"a = '\xff'")
    assert faults_of(tmp_path)[0].message.endswith("is not UTF-8: invalid start byte at byte 5")
    (tmp_path / "irops.toml").write_text("a = " + "[" * 100_000)
    assert faults_of(tmp_path)[0].name == "malformed-settings"


def test_a_setting_that_is_wrong_is_2_and_nothing_is_checked(
    irops: Irops, sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irops.toml").write_text("strikt = true\n")
    told = irops("check", sound)
    assert (told.status, told.out) == (2, "")
    assert "irops.toml:1:1: error IR702 'strikt' is nothing that can be set; did you mean strict?" in told.err


@pytest.mark.parametrize("command", [("check",), ("infer",), ("run", "--fill", "zeros")])
def test_a_limit_that_is_met_is_1_and_says_how_to_raise_it(
    command: tuple[str, ...], irops: Irops, reversing: Path
) -> None:
    told = irops(*command, reversing, "--limit", "depth=3")
    assert told.status == 1
    assert "error IR016 <data> is nested 4 elements deep; the limit is 3 (depth)" in told.out + told.err
    assert "--limit depth=N" in told.out + told.err
    assert irops(*command, reversing, "--limit", "depth=30").status == 0


def test_limits_of_an_evaluation_are_options_too(irops: Irops, reversing: Path) -> None:
    told = irops("run", reversing, "--fill", "zeros", "--limit", "tensor_bytes=7")
    assert told.status == 1
    assert "the limit is 7 (tensor_bytes)" in told.err
    assert (
        irops(
            "run", reversing, "--fill", "zeros", "--limit", "tensor_bytes=1K", "--limit", "run_seconds=inf"
        ).status
        == 0
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("depth", "'depth' is not of the form NAME=VALUE"),
        ("dpth=3", "did you mean depth?"),
        ("depth=x", "'x' is no number"),
        ("depth=-3", "'-3' is no number"),
        ("depth=0", "must be a number above 0"),
        ("depth=1001", "must be at most 1000"),
        ("seconds=\N{ARABIC-INDIC DIGIT TWO}", "is no number"),
    ],
)
def test_an_option_that_is_no_limit_is_2(text: str, said: str, irops: Irops, sound: Path) -> None:
    told = irops("check", sound, "--limit", text)
    assert told.status == 2
    assert said in told.err


def test_settings_hold_unless_an_option_says_otherwise(
    irops: Irops, reversing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irops.toml").write_text("[limits]\ndepth = 3\n")
    assert irops("check", reversing).status == 1
    assert irops("check", reversing, "--limit", "depth=9").status == 0
    (tmp_path / "irops.toml").write_text("ignore = ['IR0']\n[limits]\ndepth = 3\n")
    assert irops("check", reversing).status == 0
