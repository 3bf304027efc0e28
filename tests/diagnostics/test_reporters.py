"""Findings, reported in five formats, and cases in JUnit files; the bytes of a message and of a report are
bounded, however long the texts of a file are.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hostile_models import chain, layer, net, parameter, relu, result
from stored import check_stored
from tables import table

import irops
from irops.diagnostics import formats
from irops.diagnostics.diagnostic import MAX_DESCRIPTION, MAX_MESSAGE, MAX_NOTE, Diagnostic, Fix, Location
from irops.diagnostics.formats import FORMATS, JUnitCase, file_of, fingerprints, render, suite_of
from irops.diagnostics.printable import MAX_NAME, abridged, shown
from irops.diagnostics.report import Report
from irops.diagnostics.rules import rule

ERROR = Diagnostic(
    rule("violated-constraint"),
    "ReverseSequence-1 requires: one length each; got 4 and 5",
    Location("dir a/m.xml", 57, 25, 12, "rev"),
    constraint="ReverseSequence-1:C1",
    facts='layer 12 "rev": data f32[4,10]',
    notes=("OpenVINO refuses it",),
)
WARNING = Diagnostic(
    rule("dead-layer"),
    "nothing depends on it",
    Location("dir a/m.xml", 9, 5, 3, "idle", ("loop", "body", "if", "then_body")),
)
NOWHERE = Diagnostic(rule("cycle"), "round and round", Location())
REPORT = Report.of([ERROR, WARNING], "dir a/m.xml")


@pytest.mark.parametrize(("select", "ignore", "codes"), table(__file__, "rules_are_selected_and_ignored"))
def test_rules_are_selected_and_ignored(
    select: tuple[str, ...], ignore: tuple[str, ...], codes: list[str]
) -> None:
    assert [d.code for d in REPORT.narrowed(select, ignore)] == codes


def test_full_shows_facts_sub_graph_notes_and_the_explain_command() -> None:
    assert formats.render([REPORT], "full").splitlines() == [
        "dir a/m.xml:9:5: warning IR208 nothing depends on it",
        '    layer 3 "idle"',
        '    in: the then_body of "if", in the body of "loop"',
        "    explain: irops explain IR208",
        "dir a/m.xml:57:25: error IR401 ReverseSequence-1 requires: one length each; got 4 and 5",
        '    layer 12 "rev": data f32[4,10]',
        "    note: OpenVINO refuses it",
        "    explain: irops explain ReverseSequence-1:C1",
    ]


def test_colours_change_no_letter() -> None:
    assert formats.render_in_colour([REPORT]).plain + "\n" == formats.render([REPORT], "full")


def test_a_name_cannot_write_to_the_terminal() -> None:
    place = Location("m.xml", 1, 1, 1, "a\nb")
    sly = Report((Diagnostic(rule("cycle"), 'layer \x1b[31m"a\nb" feeds itself\u202e', place),), "m.xml")
    for text in (formats.render([sly], "concise"), formats.render([sly], "full")):
        assert r'm.xml:1:1: error IR207 layer \x1b[31m"a\nb" feeds itself\u202e' in text
        assert "\x1b" not in text


RULES = Path(irops.__file__).parent / "diagnostics" / "rules"
REPORTED = ("IR208", "IR228", "IR311", "IR401", "IR405", "IR501")
"""Rules whose files are reported in all formats: with a sub-graph, a fix, facts, notes."""


@pytest.mark.parametrize("form", FORMATS)
def test_reports_of_files_are_as_stored(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(RULES)
    reports = [irops.check(f"{code}.xml") for code in REPORTED]
    text = render([*reports, Report.of([NOWHERE, ERROR], "dir a/m.xml")], form)
    check_stored(__file__, form, text.replace(irops.__version__, "VERSION"))


def test_json_keeps_to_its_schema() -> None:
    reported = json.loads(formats.render([REPORT, Report((), "other.xml")], "json"))
    assert reported["version"] == 1
    assert [file["path"] for file in reported["files"]] == ["dir a/m.xml", "other.xml"]
    assert reported["files"][1]["diagnostics"] == []
    warning, error = reported["files"][0]["diagnostics"]
    assert warning["layer"] == {"id": 3, "name": "idle", "path": ["loop", "body", "if", "then_body"]}
    assert error == {
        "code": "IR401",
        "name": "violated-constraint",
        "severity": "error",
        "message": ERROR.message,
        "line": 57,
        "column": 25,
        "layer": {"id": 12, "name": "rev", "path": []},
        "constraint": "ReverseSequence-1:C1",
        "facts": ERROR.facts,
        "notes": ["OpenVINO refuses it"],
        "url": None,
        "fix": None,
    }


def test_json_says_null_where_nothing_is_known() -> None:
    reported = json.loads(formats.render([Report((NOWHERE,))], "json"))["files"][0]
    assert reported["path"] is None
    assert [reported["diagnostics"][0][key] for key in ("line", "layer", "constraint")] == [None] * 3


@pytest.mark.parametrize(
    ("message", "location", "notes", "line"),
    [
        (
            "100% of\r\nit",
            Location("a,b:c.xml", 2, 3),
            ("so",),
            "a%2Cb%3Ac.xml,line=2,col=3::100%25 of%0D%0Ait%0Aso",
        ),
        (
            "of \x9b31m \u202e\tlayers",
            Location("\x1b[2J.xml", 2, 3),
            (),
            r"\x1b[2J.xml,line=2,col=3::of \x9b31m \u202e\tlayers",
        ),
        ("round and round", Location(), (), "m.xml::round and round"),
    ],
    ids=["what has a meaning there", "what writes to a terminal", "no place"],
)
def test_github_annotations_are_escaped(
    message: str, location: Location, notes: tuple[str, ...], line: str
) -> None:
    report = Report((Diagnostic(rule("cycle"), message, location, notes=notes),), "m.xml")
    expected = line.replace("::", ",title=IR207 cycle::")
    assert formats.render([report], "github") == f"::error file={expected}\n"


def test_gitlab_issues_have_distinct_fingerprints_and_places() -> None:
    issues = json.loads(formats.render([REPORT, Report((NOWHERE, NOWHERE), "other.xml")], "gitlab"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues) == 4
    assert issues[1]["check_name"] == "IR401 violated-constraint"
    assert issues[1]["location"] == {"path": "dir a/m.xml", "lines": {"begin": 57}}
    assert (issues[0]["severity"], issues[1]["severity"]) == ("minor", "major")
    assert issues[1]["description"].splitlines()[0] == ERROR.message
    assert issues[2]["location"] == {"path": "other.xml", "lines": {"begin": 1}}


def test_sarif_has_rules_regions_and_layers() -> None:
    reported = json.loads(formats.render([REPORT, Report((NOWHERE,), "other.xml")], "sarif"))
    (run,) = reported["runs"]
    assert reported["version"] == "2.1.0"
    assert [r["id"] for r in run["tool"]["driver"]["rules"]] == ["IR207", "IR208", "IR401"]
    assert all(r["help"]["text"] and r["shortDescription"]["text"] for r in run["tool"]["driver"]["rules"])
    first, second, last = run["results"]
    expected = [run["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] for r in run["results"]]
    assert [r["ruleId"] for r in run["results"]] == expected
    assert (first["level"], second["level"]) == ("warning", "error")
    place = second["locations"][0]
    expected = {"artifactLocation": {"uri": "dir%20a/m.xml"}, "region": {"startLine": 57, "startColumn": 25}}
    assert place["physicalLocation"] == expected
    assert first["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "loop/body/if/then_body/idle"
    assert "region" not in last["locations"][0]["physicalLocation"]
    assert run["columnKind"] == "unicodeCodePoints"
    kept = [*formats.fingerprints(REPORT), *formats.fingerprints(Report((NOWHERE,), "other.xml"))]
    assert [r["partialFingerprints"]["iropsFinding/v1"] for r in run["results"]] == kept


def test_every_finding_is_a_line_of_its_own_in_the_order_of_files() -> None:
    assert len(re.findall(r"^\S.*(?:error|warning) IR", formats.render([REPORT, REPORT], "full"), re.M)) == 4


HOSTILE = '<b> & "\x00\x1b\u202e\n]]>'
SHOWN = '<b> & "\\x00\\x1b\\u202e\\n]]>'


def test_every_text_is_escaped_and_cases_are_counted():
    failed = JUnitCase(HOSTILE, HOSTILE, failure=(HOSTILE, HOSTILE, f"first\n{HOSTILE}"))
    cases = [
        failed,
        JUnitCase("a", "b", skipped=HOSTILE),
        JUnitCase("a", "c", output=HOSTILE),
        JUnitCase("a", "d"),
    ]
    suite = ElementTree.fromstring(file_of(suite_of(HOSTILE, cases, compared=HOSTILE)))
    counts = {key: suite.attrib[key] for key in ("tests", "failures", "skipped", "errors")}
    assert counts == {"tests": "4", "failures": "1", "skipped": "1", "errors": "0"}
    first, second, third, last = suite.findall("testcase")
    failure = first.find("failure")
    assert {suite.attrib["name"], *first.attrib.values(), *failure.attrib.values()} == {SHOWN}
    assert failure.text == "first\n" + SHOWN.replace("\\n", "\n")
    assert second.find("skipped").attrib == {"message": SHOWN}
    assert third.findtext("system-out") == SHOWN
    assert not list(last)
    assert suite.find("properties/property").attrib == {"name": "compared", "value": SHOWN}


LONG = "n" * 100_000
EDGES = [(0, 0, 1, 0), *[(0, 0, 1, 0)] * 1000, (1, 1, 2, 0)]
MODELS: dict[str, Callable[[], str]] = {
    "edges to a layer with a long name": lambda: net([parameter(), relu(1, LONG), result(2)], EDGES),
    "layers with one long type": lambda: chain(20, lambda k: layer(k, "a", LONG, "", (0,), (1,))),
    "layers with one long version": lambda: chain(
        20, lambda k: layer(k, "a", "ReLU", "", (0,), (1,), version=LONG)
    ),
    "a long element": lambda: chain(2, more=f"<{LONG}>{'<a/>' * 1000}</{LONG}>"),
    "long attributes": lambda: chain(20, lambda k: relu(k, data=f'<data {LONG}="{LONG}"/>')),
    "long names of tensors": lambda: chain(20).replace('id="1" prec', f'id="1" names="{LONG}" prec'),
    "a cycle of long names": lambda: net([relu(1, LONG), relu(2, LONG + "2")], [(1, 1, 2, 0), (2, 1, 1, 0)]),
    "a long number": lambda: chain(20).replace('from-layer="1"', f'from-layer="{"1" * 100_000}"'),
    "a long precision": lambda: chain(20).replace("FP32", LONG),
    "a long dimension": lambda: chain(20).replace("<dim>2", f"<dim>{LONG}"),
    "a long text": lambda: chain(2).replace("<layers>", f"<layers>{LONG}"),
}


@pytest.mark.parametrize("name", MODELS)
def test_reports_are_short_in_every_format(name: str) -> None:
    report = irops.check("m.xml", text=MODELS[name]().encode())
    assert len(report)
    for form in FORMATS:
        assert len(render([report], form)) < 20_000 + 8_000 * len(report)
    for finding in report:
        assert len(finding.message) <= MAX_MESSAGE
        assert all(len(note) <= MAX_NOTE for note in finding.notes)
        assert len(finding.facts or "") <= MAX_MESSAGE


def test_the_thousand_edges_of_a_long_name_make_a_small_report() -> None:
    report = irops.check("m.xml", text=MODELS["edges to a layer with a long name"]().encode())
    assert len(report) > 999
    assert all(len(render([report], form)) < 5_000_000 for form in FORMATS)


def test_bodies_within_bodies_of_long_names_have_a_short_path() -> None:
    path = (LONG, "body") * 80
    finding = Diagnostic(rule("cycle"), "m", Location("m.xml", 1, 1, 0, LONG, path))
    assert all(len(render([Report((finding,))], form)) < 20_000 for form in FORMATS)
    (shown_finding,) = json.loads(render([Report((finding,))], "json"))["files"][0]["diagnostics"]
    assert len(shown_finding["layer"]["path"]) < 20


def test_long_texts_of_a_finding_keep_their_start_and_end() -> None:
    text = "start" + LONG + "end"
    finding = Diagnostic(rule("cycle"), text, Location(), facts=text, notes=(text, "short"))
    assert finding.message.startswith("start")
    assert finding.message.endswith("end")
    assert (len(finding.message), len(finding.facts or "")) == (MAX_MESSAGE, MAX_MESSAGE)
    assert (len(finding.notes[0]), finding.notes[1]) == (MAX_NOTE, "short")
    assert len(Fix(text, ()).what) == MAX_DESCRIPTION


@pytest.mark.parametrize("width", [4, 5, 10, 99])
def test_abridged_texts_have_the_width_and_others_stay(width: int) -> None:
    assert abridged("x" * width, width) == "x" * width
    assert len(abridged("x" * (width + 1), width)) == width


def test_names_are_shown_without_control_characters() -> None:
    assert shown("a\u202eb\x1b") == "a\\u202eb\\x1b"
    assert len(shown(LONG)) == MAX_NAME


def test_findings_of_different_long_names_have_different_fingerprints() -> None:
    findings = [Diagnostic(rule("cycle"), "m", Location(None, 1, 1, 0, LONG + end)) for end in "ab"]
    first, second = fingerprints(Report(tuple(findings)))
    assert first.partition(":")[0] != second.partition(":")[0]
