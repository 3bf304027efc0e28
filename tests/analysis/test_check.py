"""irops.check: everything in one pass, in order, once."""

from pathlib import Path

import pytest

import irops
from irops.analysis.checks.run import CASCADES
from irops.diagnostics.rules import rule

ROOT = Path(__file__).parents[2]
RULES = ROOT / "irops" / "diagnostics" / "rules"


def test_errors_of_all_kinds_are_reported_in_one_pass_in_document_order(tmp_path):
    text = (RULES / "IR202.xml").read_text().replace('element_type="f32"', 'element_type="f31"')
    text = text.replace("<dim>3</dim>", "<dim>3.5</dim>", 1)
    (tmp_path / "m.xml").write_text(text)
    report = irops.check(tmp_path / "m.xml", ignore=["IR304"])
    assert [d.code for d in report] == ["IR314", "IR112", "IR202", "IR202"]
    assert not report.ok


def test_a_file_that_cannot_be_read_is_a_report_with_the_reason(tmp_path):
    report = irops.check(tmp_path / "absent.xml")
    assert [d.code for d in report] == ["IR001"]
    assert report.path == str(tmp_path / "absent.xml")


def test_a_model_that_was_read_is_checked_with_its_places():
    report = irops.check(irops.read(RULES / "IR208.xml"), select=["IR208"])
    assert [(d.code, d.location.line) for d in report] == [("IR208", 15)]
    assert report.path == str(RULES / "IR208.xml")


def test_weights_may_lie_elsewhere(tmp_path):
    (tmp_path / "weights.bin").write_bytes(bytes(24))
    assert "IR501" in {d.code for d in irops.check(RULES / "IR501.xml")}
    assert "IR501" not in {d.code for d in irops.check(RULES / "IR501.xml", tmp_path / "weights.bin")}


def test_rules_are_selected():
    assert {d.code for d in irops.check(RULES / "IR312.xml", select=["IR3"])} == {"IR311", "IR312"}
    assert {d.code for d in irops.check(RULES / "IR312.xml", ignore=["unknown-attribute"])} == {"IR312"}
    with pytest.raises(ValueError, match="there is no rule"):
        irops.check(RULES / "IR312.xml", select=["XR9"])


def test_cascades_are_between_existing_rules():
    for code, suppressed in CASCADES.items():
        assert rule(code).code == code
        assert [rule(name).code for name in suppressed] == list(suppressed)
