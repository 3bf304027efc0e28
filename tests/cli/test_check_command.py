"""irops check and irops explain."""

from pathlib import Path

import pytest
from tables import table

from irops.diagnostics.rules import all_rules

RULES = Path(__file__).parents[2] / "irops/diagnostics/rules"


def test_an_error_exits_with_1_and_is_printed_in_full(irops, broken):
    result = irops("check", broken)
    assert (result.status, result.err) == (1, "")
    assert f"{broken}:12:5: error IR401 ReverseSequence-1 requires: " in result.out
    assert "    explain: irops explain ReverseSequence-1:C1\n" in result.out
    assert result.out.endswith(f"1 error in {broken}\n")


def test_quiet_prints_the_findings(irops, broken, valid_model):
    assert irops("check", valid_model, "-q", "--ignore", "IR304").out == ""
    assert irops("check", broken, "-q", "--output-format", "concise").out.count("\n") == 1


@pytest.mark.parametrize(("form", "start"), table(__file__, "machine_formats_contain_nothing_else"))
def test_machine_formats_contain_nothing_else(form, start, irops, broken):
    result = irops("check", broken, "--output-format", form)
    assert result.out.startswith(start)
    assert result.status == 1


@pytest.mark.parametrize(
    ("name", "start"), [("r.sarif", "{"), ("r.json", '{\n  "version": 1'), ("r.txt", "/")]
)
def test_findings_are_written_in_the_format_of_the_suffix(name, start, irops, broken, tmp_path):
    result = irops("check", broken, "-o", tmp_path / name)
    assert result.status == 1
    assert result.out.endswith(f"error in {broken}\n")
    assert result.err.startswith(f"{tmp_path / name}: written as ")
    assert (tmp_path / name).read_text().startswith(start)
    assert irops("check", broken, "-o", tmp_path / name, "--diff").status == 2


def test_rules_are_selected(irops, broken):
    assert irops("check", broken, "--select", "IR2,IR5").status == 0
    assert irops("check", broken, "--select", "IR2", "--select", "IR4").status == 1


def test_colours_are_written_when_requested(irops, broken, monkeypatch):
    plain = irops("check", broken).out
    assert "\x1b[" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[1;31merror" in irops("check", broken).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert irops("check", broken).out == plain


@pytest.mark.parametrize("code", [rule.code for rule in all_rules()])
def test_every_rule_is_explained_by_code_and_name(code, irops):
    result = irops("explain", code)
    name = next(rule.name for rule in all_rules() if rule.code == code)
    assert result.out.startswith(f"{code} {name} (")
    assert irops("explain", name) == result
    assert all(len(line) <= 80 for line in result.out.splitlines() if " " in line.strip())


def test_a_constraint_is_explained_with_a_counterexample(irops):
    result = irops("explain", "ReverseSequence-1:C1")
    assert "requires: seq_lengths has one element per position" in result.out
    assert "violated by\n" in result.out
    assert "data f32[4,10]" in result.out


def test_an_op_is_explained(irops):
    result = irops("explain", "reversesequence")
    assert result.out.startswith("ReverseSequence-1 (movement)\n")
    assert all(
        f"\n{heading}\n" in result.out
        for heading in ("formula", "attributes", "inputs", "outputs", "constraints", "notes")
    )
    assert "batch_axis (axis of data, default 0): The axis of the batch: each index" in result.out


def test_a_target_release_is_an_option_and_a_setting(irops, tmp_path, monkeypatch):
    path = tmp_path / "model.xml"
    (tmp_path / "irops.toml").write_text('target = "2023.0"\n')
    monkeypatch.chdir(tmp_path)
    model = (RULES / "IR208.xml").read_text().replace('version="opset1"', 'version="opset12"')
    path.write_text(model)
    assert (
        "which OpenVINO 2023.0 does not read; the oldest release that does is 2023.1"
        in irops("check", path).out
    )
    assert "IR941" not in irops("check", path, "--target", "2023.1").out
    assert irops("check", path, "--target", "2023.1.0", "--select", "IR94").status == 0
