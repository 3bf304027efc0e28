"""Every command ends with the exit codes that its help states: 0 success, 1 findings, 2 wrong usage."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from irops.cli.main import COMMANDS, command_named
from irops.cli.parser import exit_codes

Irops = Callable[..., Any]
FAULTY = '<layer type="Odd" version="extension" category="sort"><summary>Odd.</summary></layer>'
SUCCESS = {
    "check": ("MODEL",),
    "infer": ("MODEL",),
    "run": ("MODEL", "--fill", "ones"),
    "why": ("MODEL", "y"),
    "inspect": ("MODEL",),
    "convert": ("MODEL", "--target", "2023.0", "--output", "OUT.xml"),
    "extract": ("MODEL", "--to", "y", "--output", "OUT.xml"),
    "diff": ("MODEL", "MODEL"),
    "compare": ("MODEL", "--fill", "ones", "--b", "reference"),
    "reduce": ("MODEL", "--command", "true", "--fill", "ones", "-o", "OUT"),
    "draw": ("MODEL", "--output", "OUT.svg"),
    "survey": ("MODEL", "--output", "OUT", "-j", "1"),
    "backends": (),
    "conformance": ("--backend", "numba", "--op", "Reverse-1", "--examples", "1"),
    "docs": ("--output", "OUT", "--format", "markdown"),
    "explain": ("IR202",),
    "ops": (),
    "new": ("CubeRoot", "--category", "arithmetic", "--output", "OUT"),
    "server": (),
}
FINDINGS = {
    "check": ("BROKEN",),
    "infer": ("BROKEN",),
    "run": ("BROKEN", "--fill", "ones"),
    "why": ("BROKEN", "0"),
    "inspect": ("MALFORMED",),
    "convert": ("MALFORMED", "--target", "2023.0", "--output", "OUT.xml"),
    "extract": ("MALFORMED", "--to", "y", "--output", "OUT.xml"),
    "diff": ("MODEL", "MALFORMED"),
    "compare": ("MALFORMED", "--fill", "ones"),
    "reduce": ("MALFORMED", "--rule", "IR401", "-o", "OUT"),
    "draw": ("MALFORMED", "--output", "OUT.svg"),
    "survey": ("BROKEN", "-o", "OUT", "-j", "1"),
    "backends": ("--definitions", "FAULTY"),
    "conformance": ("--backend", "numba", "--op", "Odd-extension", "--definitions", "FAULTY"),
    "docs": ("--output", "OUT", "--definitions", "FAULTY"),
    "explain": ("Odd-extension", "--definitions", "FAULTY"),
    "ops": ("--definitions", "FAULTY"),
}
REFUSED = {
    "check": [
        ("ABSENT",),
        ("--nonsense",),
        ("FOLDER",),
        ("MODEL", "ABSENT"),
        ("PIPE",),
        ("MODEL", "--baseline", "ABSENT"),
    ],
    "infer": [
        ("ABSENT",),
        ("MODEL", "--shape", "typo:1"),
        ("MODEL", "--shape", "x:a b"),
        ("MODEL", "--input", "x=ABSENT"),
    ],
    "run": [
        ("ABSENT",),
        ("MODEL",),
        ("MODEL", "--input", "x=ABSENT"),
        ("MODEL", "--fill", "ones", "--keep", "typo"),
    ],
    "why": [("ABSENT", "y"), ("MODEL",), ("MODEL", "typo"), ("MODEL", "y", "--axis", "9")],
    "inspect": [
        ("ABSENT",),
        ("FOLDER",),
        (),
        ("ABSENT", "--weights"),
        ("FOLDER", "--weights"),
        ("--weights", "MODEL"),
        ("MODEL", "--weights", "--sort", "typo"),
        ("MODEL", "--sort", "zeros"),
    ],
    "convert": [
        ("ABSENT", "--target", "2023.0", "-o", "OUT.xml"),
        ("MODEL", "--target", "typo", "-o", "OUT.xml"),
        ("MODEL", "--target", "2023.0", "-o", "OUT.onnx"),
        ("MODEL", "-o", "OUT.xml"),
        ("ABSENT", "--target", "onnx", "-o", "OUT.onnx"),
        ("MODEL", "--target", "onnx", "-o", "ABSENT/m.onnx"),
        ("MODEL", "--target", "onnx:99", "-o", "OUT.onnx"),
        ("MODEL", "--target", "openvino", "-o", "OUT.onnx"),
        ("MODEL", "--target", "openvino", "--upgrade", "-o", "OUT.xml"),
    ],
    "extract": [("ABSENT", "-o", "OUT.xml"), ("MODEL",)],
    "compare": [
        ("ABSENT", "--fill", "ones"),
        ("MODEL",),
        ("MODEL", "--fill", "ones", "--b", "typo"),
        ("MODEL", "--fill", "ones", "--b", "ABSENT.npz"),
    ],
    "reduce": [
        ("ABSENT", "--rule", "IR401", "-o", "OUT"),
        ("MODEL", "--rule", "IR4O1", "-o", "OUT"),
        ("MODEL", "--command", "true", "-o", "OUT"),
        ("MODEL", "--command", "./absent.sh", "--fill", "ones", "-o", "OUT"),
        ("MODEL", "--command", "true", "--rule", "IR401", "-o", "OUT"),
        ("MODEL", "--fill", "ones", "-o", "OUT"),
    ],
    "draw": [("ABSENT", "-o", "OUT.svg"), ("MODEL",), ("MODEL", "-o", "OUT.typo")],
    "diff": [("MODEL", "ABSENT"), ("MODEL",), ("MODEL", "MODEL", "--ignore", "typo")],
    "backends": [("--op", "typo")],
    "conformance": [("--backend", "typo"), (), ("--backend", "reference", "--seconds", "0")],
    "docs": [("--output", "FOLDER"), ()],
    "survey": [
        ("ABSENT", "-o", "OUT"),
        (),
        ("FOLDER", "-o", "OUT"),
        ("MODEL", "-o", "OUT", "--tasks", "typo"),
        ("MODEL", "-o", "OUT", "--tasks", "run", "--sources", "typo"),
        ("MODEL", "-o", "OUT", "--tasks", "target", "--targets", "typo"),
        ("MODEL", "-o", "MODEL"),
        ("MODEL", "-o", "OUT", "--against", "ABSENT"),
    ],
    "explain": [("typo",), ("--files",), ("typo", "--files"), ("IR202", "--files")],
    "ops": [("--category", "typo"), ("--opset", "99"), ("--definitions", "ABSENT")],
    "new": [("1st", "--category", "sort"), ("CubeRoot", "--category", "typo")],
    "server": [("--tcp", "typo"), ("--tcp", "localhost:65536"), ("--definitions", "ABSENT")],
}


@pytest.fixture(autouse=True)
def no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let irops server end at once."""
    monkeypatch.setattr("irops.server.features.serve", lambda *_: None)


@pytest.fixture
def words(tmp_path: Path, reversing: Path, broken: Path) -> Callable[[str, tuple[str, ...]], list[str]]:
    """The words of a command line, with the names of files in place of words in capital letters."""
    faulty, folder = tmp_path / "faulty", tmp_path / "folder"
    faulty.mkdir()
    (faulty / "Odd-extension.xml").write_text(FAULTY)
    folder.mkdir()
    (folder / "note.txt").write_text("a user's file")
    (tmp_path / "malformed.xml").write_text("<net><layers><layer id='0'/></layers>")
    places = {
        "MODEL": reversing,
        "BROKEN": broken,
        "MALFORMED": tmp_path / "malformed.xml",
        "ABSENT": tmp_path / "absent.xml",
        "PIPE": Path("/dev/null"),
        "FOLDER": folder,
        "FAULTY": faulty,
        "OUT": tmp_path / "out",
    }
    pattern = re.compile("|".join(places))
    return lambda command, rest: [command, *(pattern.sub(lambda m: str(places[m[0]]), w) for w in rest)]


FURTHER = [
    (0, ("inspect", "MODEL", "--weights")),
    (1, ("inspect", "MALFORMED", "--weights")),
    (0, ("convert", "MODEL", "--target", "openvino", "--output", "OUT.xml")),
    (1, ("convert", "MALFORMED", "--target", "onnx", "--output", "OUT.onnx")),
    (0, ("explain",)),
    (0, ("explain", "Reverse-1", "--files")),
    (1, ("explain", "Odd-extension", "--files", "--definitions", "FAULTY")),
]
"""Codes of what a command does with other options."""
SLOW = {"docs": "writes all pages", "conformance": "starts backends"}
COMMANDS_THAT_SUCCEED = [
    pytest.param(command, marks=pytest.mark.slow(SLOW[command]) if command in SLOW else ())
    for command in SUCCESS
]


@pytest.mark.parametrize("command", COMMANDS_THAT_SUCCEED)
def test_success_is_0(command: str, words: Any, irops: Irops) -> None:
    assert irops(*words(command, SUCCESS[command])).status == 0


@pytest.mark.parametrize("command", FINDINGS)
def test_findings_are_1(command: str, words: Any, irops: Irops) -> None:
    result = irops(*words(command, FINDINGS[command]))
    assert result.status == 1
    assert re.search(r"error\s+(IR|OD)\d+", result.out + result.err)


@pytest.mark.parametrize(("status", "line"), FURTHER)
def test_other_uses_end_with_the_same_codes(
    status: int, line: tuple[str, ...], words: Any, irops: Irops
) -> None:
    assert irops(*words(line[0], line[1:])).status == status


@pytest.mark.parametrize(("command", "rest"), [(c, rest) for c, many in REFUSED.items() for rest in many])
def test_wrong_usage_and_unreadable_paths_are_2(
    command: str, rest: tuple[str, ...], words: Any, irops: Irops
) -> None:
    result = irops(*words(command, rest))
    assert result.status == 2
    assert result.out + result.err


@pytest.mark.parametrize("command", COMMANDS)
def test_help_states_the_codes(command: str, irops: Irops) -> None:
    assert command in SUCCESS
    assert command in REFUSED
    text = irops(command, "--help").out
    assert text.endswith(exit_codes(command_named(command)[0].EXIT_1) + "\n")
    assert ("\n  1  " in text) is (command in FINDINGS)


def test_a_warning_is_1_only_with_strict(irops: Irops, valid_model: Path) -> None:
    warned = Path(__file__).parents[2] / "irops/diagnostics/rules" / "IR208.xml"
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
