"""Every command ends with the exit codes that its help states: 0 success, 1 findings, 2 wrong usage."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_words import FINDINGS, REFUSED, SUCCESS, in_folder

from irops.cli.command import commands

Irops = Callable[..., Any]


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let irops view and irops server end at once, whether or not Model Explorer is installed."""
    monkeypatch.setattr("irops.cli.view.require_model_explorer", lambda: None)
    monkeypatch.setattr("irops.cli.view.serve", lambda *_, **__: None)
    monkeypatch.setattr("irops.server.start.serve", lambda *_: None)


@pytest.fixture
def words(tmp_path: Path, reversing: Path, broken: Path) -> Callable[[str, tuple[str, ...]], list[str]]:
    """The words of a command line, with the names of files in place of words in capital letters."""
    return lambda command, rest: [command, *in_folder(rest, tmp_path, reversing, broken)]


@pytest.mark.parametrize("command", SUCCESS)
def test_success_is_0(command: str, words: Any, irops: Irops) -> None:
    assert irops(*words(command, SUCCESS[command])).status == 0


@pytest.mark.parametrize("command", FINDINGS)
def test_findings_are_1(command: str, words: Any, irops: Irops) -> None:
    result = irops(*words(command, FINDINGS[command]))
    assert result.status == 1
    if command == "diff":  # of which 1 says that the models differ
        return
    assert re.search(r"error (IR|OD)\d+", result.out + result.err)


@pytest.mark.parametrize(("command", "rest"), [(c, rest) for c, many in REFUSED.items() for rest in many])
def test_wrong_usage_and_unreadable_paths_are_2(
    command: str, rest: tuple[str, ...], words: Any, irops: Irops
) -> None:
    result = irops(*words(command, rest))
    assert result.status == 2
    assert result.out + result.err


@pytest.mark.parametrize("command", commands())
def test_help_states_the_codes(command: str, irops: Irops) -> None:
    assert command in SUCCESS
    assert command in REFUSED
    text = irops(command, "--help").out
    assert text.endswith(commands()[command].exit_codes() + "\n")
    assert ("\n  1  " in text) is (command in FINDINGS or command in ("rules", "completion"))


def test_a_warning_is_1_only_with_strict(irops: Irops, valid_model: Path) -> None:
    warned = Path(__file__).parents[1] / "rules" / "IR208.xml"
    assert irops("check", warned).status == 0
    assert irops("check", warned, "--strict").status == 1
    assert irops("check", warned, "--strict", "--exit-zero").status == 0
    assert irops("check", valid_model, "--strict").status == 0


def test_a_value_of_an_input_is_given_in_one_way_to_infer_and_run(
    irops: Irops, reversing: Path, tmp_path: Path
) -> None:
    np.save(tmp_path / "l.npy", np.array([2, 1], np.int32))
    file = f"lengths={tmp_path / 'l.npy'}"
    result = irops("infer", reversing, "--input", file, "--shape", "x:2,3", "--ends")
    assert result.status == 0
    assert "[2, 1]" in result.out
    assert irops("run", reversing, "--input", file, "--shape", "x:2,3", "--fill", "ones").status == 0


def test_a_shape_is_given_in_one_way_to_infer_and_run(irops: Irops, reversing: Path) -> None:
    shapes = ("--shape", "x:2,3", "--shape", "lengths:2")
    assert irops("infer", reversing, *shapes).status == 0
    assert irops("run", reversing, *shapes, "--fill", "ones").status == 0
    assert irops("infer", reversing, *shapes) == irops(
        "infer", reversing, "--input", "x:2,3", "--input", "lengths:2"
    )
    result = irops("run", reversing, "--input", "x:2,3")
    assert result.status == 2
    assert "'x:2,3' is not of the form NAME=FILE; --shape NAME:SHAPE gives a shape" in result.err
    result = irops("infer", reversing, "--shape", "x=a.npy")
    assert "'x=a.npy' is not of the form NAME:SHAPE; --input NAME=FILE gives a file" in result.err
