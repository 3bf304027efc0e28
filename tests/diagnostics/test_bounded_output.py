"""The bytes of a message and of a report are bounded, however long the texts of a file are."""

import json
from collections.abc import Callable

import pytest
from hostile_models import chain, layer, net, parameter, relu, result

import irops
from irops.diagnostics.diagnostic import MAX_DESCRIPTION, MAX_MESSAGE, MAX_NOTE, Diagnostic, Fix, Location
from irops.diagnostics.formats import FORMATS, fingerprints, render
from irops.diagnostics.printable import MAX_NAME, abridged, shown
from irops.diagnostics.report import Report
from irops.diagnostics.rules import rule

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
