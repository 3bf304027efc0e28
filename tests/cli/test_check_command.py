"""irops check and irops explain."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from irops.diagnostics.rules import all_rules

Irops = Callable[..., Any]  # words in; status, out and err back: see conftest.py


def test_a_sound_model_is_0(irops: Irops, sound: Path) -> None:
    told = irops("check", sound, "--ignore", "IR304")
    assert told == (0, f"no findings in {sound}\n", "")


def test_an_error_is_1_and_told_in_full(irops: Irops, broken: Path) -> None:
    told = irops("check", broken)
    assert (told.status, told.err) == (1, "")
    assert f"{broken}:12:5: error IR401 ReverseSequence-1 requires: " in told.out
    assert "    explain: irops explain ReverseSequence-1:C1\n" in told.out
    assert told.out.endswith(f"1 error in {broken}\n")


def test_warnings_alone_are_0_unless_strict(irops: Irops, broken: Path) -> None:
    warned = broken.with_name("IR209.xml")
    assert irops("check", warned).status == 0
    assert irops("check", warned, "--strict").status == 1
    assert irops("check", warned, "--strict", "--ignore", "IR209,IR304").status == 0


def test_quiet_leaves_the_findings(irops: Irops, broken: Path, sound: Path) -> None:
    assert irops("check", sound, "-q", "--ignore", "IR304").out == ""
    assert irops("check", broken, "-q", "--output-format", "concise").out.count("\n") == 1


def test_several_files_are_one_report(irops: Irops, broken: Path, sound: Path) -> None:
    told = irops("check", sound, broken, broken.with_name("absent.xml"), "--output-format", "json")
    assert told.status == 1
    files = json.loads(told.out)["files"]
    assert [[d["code"] for d in file["diagnostics"] if d["code"] != "IR304"] for file in files] == [
        [],
        ["IR401"],
        ["IR001"],
    ]


@pytest.mark.parametrize(
    ("form", "start"), [("sarif", "{"), ("github", "::error file="), ("json", "{"), ("concise", "/")]
)
def test_formats_for_machines_have_nothing_else_in_them(
    form: str, start: str, irops: Irops, broken: Path
) -> None:
    told = irops("check", broken, "--output-format", form)
    assert told.out.startswith(start)
    assert told.status == 1


def test_rules_are_selected(irops: Irops, broken: Path) -> None:
    assert irops("check", broken, "--select", "IR2,IR5").status == 0
    assert irops("check", broken, "--select", "IR2", "--select", "IR4").status == 1
    told = irops("check", broken, "--ignore", "violated-constrain")
    assert told.status == 2
    assert "did you mean violated-constraint?" in told.err


def test_colours_come_where_they_are_asked_for(
    irops: Irops, broken: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = irops("check", broken).out
    assert "\x1b[" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31merror" in irops("check", broken).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert irops("check", broken).out == plain


def test_weights_go_with_one_model(irops: Irops, broken: Path) -> None:
    assert irops("check", broken, broken, "--weights", "w.bin").status == 2


@pytest.mark.parametrize("code", [rule.code for rule in all_rules()])
def test_every_rule_is_explained_by_code_and_name(code: str, irops: Irops) -> None:
    told = irops("explain", code)
    name = next(rule.name for rule in all_rules() if rule.code == code)
    assert told.out.startswith(f"{code} {name} (")
    assert irops("explain", name) == told
    assert all(len(line) <= 80 for line in told.out.splitlines() if " " in line.strip())


def test_case_does_not_matter(irops: Irops) -> None:
    assert (
        irops("explain", "ir202").out
        == irops("explain", "Dangling-Edge").out
        == irops("explain", "IR202").out
    )


def test_a_requirement_is_explained_with_what_breaks_it(irops: Irops) -> None:
    told = irops("explain", "ReverseSequence-1:C1")
    assert "requires: seq_lengths has one element per position" in told.out
    assert "broken by\n" in told.out
    assert "data f32[4,10]" in told.out


def test_an_op_is_explained(irops: Irops) -> None:
    told = irops("explain", "reversesequence")
    assert told.out.startswith("ReverseSequence-1 (movement)\n")
    assert all(
        f"\n{heading}\n" in told.out
        for heading in ("formula", "attributes", "inputs", "outputs", "requirements", "notes")
    )
    assert "batch_axis (axis of data, default 0): The batch axis of data" in told.out


@pytest.mark.parametrize(
    ("subject", "hint"),
    [
        ("danglin-edge", "did you mean dangling-edge"),
        ("Revers-1", "did you mean Reverse-1"),
        ("ReverseSequence-1:C99", "it has C1, C2"),
        ("Qwertyuiop", "irops ops lists all"),
    ],
)
def test_what_cannot_be_explained_brings_the_nearest(subject: str, hint: str, irops: Irops) -> None:
    told = irops("explain", subject)
    assert (told.status, told.out) == (2, "")
    assert hint in told.err
