"""Baselines: accepted findings are not reported; new ones are."""

import json

import pytest

from irops.diagnostics.diagnostic import Diagnostic, Location
from irops.diagnostics.formats import fingerprints
from irops.diagnostics.report import Report
from irops.diagnostics.rules import rule

EDGE = '<edge from-layer="0" from-port="0" to-layer="9" to-port="0"/>\n'


def at(line, name="a", message="on line 3", code="unconnected-input"):
    return Diagnostic(rule(code), message, Location("m.xml", line, 5, line, name))


@pytest.fixture
def faulty(reversing):
    """The model with two dangling edges, both reported at the layer x."""
    reversing.write_text(
        reversing.read_text().replace("</edges>", EDGE + EDGE.replace('"9"', '"8"') + "</edges>")
    )
    return reversing


def test_accepted_findings_are_not_reported(irops, faulty, tmp_path):
    known = tmp_path / "known.json"
    assert irops("check", faulty).status == 1
    result = irops("check", faulty, "--write-baseline", known)
    assert result == (0, f"2 findings accepted in {known}\n", "")
    result = irops("check", faulty, "--baseline", known)
    assert result == (0, f"no findings in {faulty}; omitted: 2 known findings\n", "")


def test_new_findings_are_reported(irops, faulty, tmp_path):
    known = tmp_path / "known.json"
    irops("check", faulty, "--write-baseline", known)
    text = (
        faulty.read_text()
        .replace("<layers>", "\n\n<!-- moved -->\n<layers>")
        .replace("</edges>", EDGE.replace('"9"', '"7"') + "</edges>")
    )
    faulty.write_text(text)
    result = irops("check", faulty, "--baseline", known, "--output-format", "concise")
    assert result.status == 1
    assert result.out.count(" IR202 ") == 1
    assert "layer 7" in result.out
    assert result.out.endswith("1 error in " + str(faulty) + "; omitted: 2 known findings\n")


def test_a_baseline_has_paths_relative_to_its_folder(irops, faulty, tmp_path, monkeypatch):
    (tmp_path / "ci").mkdir()
    known = tmp_path / "ci" / "known.json"
    monkeypatch.chdir(tmp_path)
    irops("check", faulty.name, "--write-baseline", "ci/known.json")
    assert list(json.loads(known.read_text())["findings"]) == ["../reversing.xml"]
    monkeypatch.chdir(tmp_path / "ci")
    assert irops("check", faulty, "--baseline", "known.json").status == 0


def test_a_configured_baseline_applies_except_when_one_is_written(irops, faulty, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "irops.toml").write_text('baseline = "known.json"\n')
    assert irops("check", faulty).status == 2
    assert irops("check", faulty, "--write-baseline", "known.json").status == 0
    assert irops("check", faulty).status == 0
    assert irops("check", faulty, "--write-baseline", "known.json").out.startswith("2 findings accepted")


def test_a_baseline_is_deterministic_with_one_line_per_finding(irops, faulty, tmp_path):
    irops("check", faulty, "--write-baseline", tmp_path / "one.json")
    irops("check", faulty, "--write-baseline", tmp_path / "two.json")
    text = (tmp_path / "one.json").read_text()
    assert text == (tmp_path / "two.json").read_text()
    assert text.count('"code": "IR202"') == sum('"code": "IR202"' in line for line in text.splitlines()) == 2


@pytest.mark.parametrize(
    ("text", "expected_text"),
    [
        ("{", "is not a baseline: JSONDecodeError"),
        ("[]", "is not a baseline: TypeError"),
        ('{"version": 2, "findings": {}}', "has version 2; expected version 1"),
        ('{"version": 1}', "is not a baseline: KeyError"),
        ('{"version": 1, "findings": {"a": [{}]}}', "is not a baseline: KeyError"),
        ("[" * 100_000, "is not a baseline: RecursionError"),
    ],
)
def test_an_invalid_baseline_is_refused(text, expected_text, irops, faulty, tmp_path):
    (tmp_path / "known.json").write_text(text)
    result = irops("check", faulty, "--baseline", tmp_path / "known.json")
    assert (result.status, result.out) == (2, "")
    assert expected_text in result.err


def test_a_fingerprint_does_not_depend_on_lines_and_ids():
    assert fingerprints(Report((at(3),), "a/m.xml")) == fingerprints(Report((at(30),), "b/n.xml"))
    nameless = at(3, None, "layer 3 begins on line 17"), at(9, None, "layer 9 begins on line 88")
    assert fingerprints(Report(nameless[:1])) == fingerprints(Report(nameless[1:]))


def test_fingerprints_of_one_file_differ():
    found = (at(3), at(4), at(3, "b"), at(3, code="cycle"), at(3, None), at(4, None, "another message"))
    assert len(set(fingerprints(Report(found)))) == len(found)
