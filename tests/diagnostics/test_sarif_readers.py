"""SARIF output is read back by independent tools: they find what was reported."""

import json
from pathlib import Path
from typing import Any

import pytest
from tables import table

import irops
from irops.analysis.checks.run import check
from irops.diagnostics import addresses, formats
from irops.diagnostics.diagnostic import Diagnostic, Location, Rule, Severity
from irops.diagnostics.report import Report
from irops.diagnostics.rules import rule
from irops.document.site import rule_pages

SITE = "https://example.org/irops"
FAULTY = sorted((Path(__file__).parents[2] / "irops/diagnostics/rules").glob("IR*.xml"))
ODD = Report(
    (
        Diagnostic(rule("cycle"), "", Location()),
        Diagnostic(
            rule("cycle"),
            "half a \ud800 character",
            Location("odd \udcff name\u00e9:%.xml", 1, None, 3, 'a\ud83d"\n\x00', ("b", "body")),
        ),
        Diagnostic(rule("unchecked-file"), "not checked", Location("a.xml")),
    ),
    "odd \udcff name.xml",
)


@pytest.fixture(scope="module")
def reports() -> list[Report]:
    return [*map(check, map(str, FAULTY)), Report((), "sound.xml"), ODD]


@pytest.fixture(scope="module")
def text(reports: list[Report]) -> str:
    return formats.render(reports, "sarif")


def reported(reports: list[Report]) -> list[tuple[str, str, int | None, int | None]]:
    return [
        (d.code, str(d.severity), d.location.line, d.location.line and (d.location.column or 1))
        for report in reports
        for d in report
    ]


def with_places(found: list[tuple[str, str, Any]]) -> list[tuple[str, str, int | None, int | None]]:
    """A code, a level and a region each, with the line and the column of the region."""
    return [
        (*names, region and region.start_line, region and region.start_column) for *names, region in found
    ]


def test_pydantic_models_of_sarif_read_all_of_it(text: str, reports: list[Report]) -> None:
    reader = pytest.importorskip("sarif_pydantic")
    log = reader.Sarif.model_validate_json(text)
    (run,) = log.runs
    found = [(r.rule_id, r.level.value, r.locations[0].physical_location.region) for r in run.results]
    assert with_places(found) == reported(reports)
    assert all(run.tool.driver.rules[result.rule_index].id == result.rule_id for result in run.results)
    assert not [
        extra for thing in _all_models(log) for extra in thing.model_extra or {} if extra not in NOT_YET_KNOWN
    ]


NOT_YET_KNOWN = {"columnKind", "$schema", "helpUri"}
"""Properties of SARIF 2.1.0 that sarif-pydantic 0.6 takes as extras."""


def _all_models(thing: Any) -> list[Any]:
    found = []
    ahead = [thing]
    while ahead:
        one = ahead.pop()
        if hasattr(one, "model_fields_set"):
            found.append(one)
            ahead.extend(getattr(one, name) for name in type(one).model_fields)
        elif isinstance(one, (list, tuple)):
            ahead.extend(one)
    return found


PARTS = table(__file__, "parts")


def test_the_object_model_of_sarif_has_a_place_for_all_of_it(text: str, reports: list[Report]) -> None:
    om = pytest.importorskip("sarif_om")
    log = _object(om, "SarifLog", json.loads(text))
    found = [(r.rule_id, r.level, r.locations[0].physical_location.region) for r in log.runs[0].results]
    assert with_places(found) == reported(reports)


def _object(om: Any, name: str, content: dict[str, Any]) -> Any:
    """An object of the model; a property that it lacks, or one that it needs and is not there, is an
    error.
    """
    kind = getattr(om, name)
    spelled = {field.metadata["schema_property_name"]: field.name for field in kind.__attrs_attrs__}

    def part(word: str, value: Any) -> Any:
        if word not in PARTS.get(name, {}):
            return value
        if isinstance(value, list):
            return [part(word, one) for one in value]
        return _object(om, PARTS[name][word], value)

    return kind(**{spelled[word]: part(word, value) for word, value in content.items()})


def test_a_run_that_left_a_file_unchecked_says_so(text: str) -> None:
    for sarif, whole in ((text, False), (formats.render([Report((), "a.xml")], "sarif"), True)):
        assert json.loads(sarif)["runs"][0]["invocations"] == [{"executionSuccessful": whole}]


def test_paths_are_uris_whatever_their_bytes(text: str) -> None:
    uris = [
        r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for r in json.loads(text)["runs"][0]["results"]
    ]
    assert uris[-2:] == ["odd%20%FF%20name%C3%A9%3A%25.xml", "a.xml"]
    assert uris[0].startswith("file:///")
    assert all(uri.isascii() for uri in uris)


def test_every_rule_brings_its_help(text: str) -> None:
    for one in json.loads(text)["runs"][0]["tool"]["driver"]["rules"]:
        assert one["help"]["text"].endswith(f"irops explain {one['id']}")
        assert one["help"]["markdown"].endswith(f"`irops explain {one['id']}`")
        assert one["fullDescription"]["text"] in one["help"]["text"]


def test_without_a_site_rules_have_no_address(text: str) -> None:
    assert addresses.SITE == ""
    assert not [one for one in json.loads(text)["runs"][0]["tool"]["driver"]["rules"] if "helpUri" in one]
    assert json.loads(formats.render([ODD], "json"))["files"][0]["diagnostics"][-1]["url"] is None
    assert json.loads(formats.render([ODD], "gitlab"))[-1]["content"]["body"].endswith(
        f"`irops explain {ODD.diagnostics[-1].code}`"
    )


def test_every_rule_links_to_its_page(reports: list[Report], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "SITE", SITE)
    text = formats.render(reports, "sarif")
    links = {one["id"]: one["helpUri"] for one in json.loads(text)["runs"][0]["tool"]["driver"]["rules"]}
    paths = {path for path, _ in rule_pages(lambda *_, **__: "")}
    assert len(links) > 50
    for code, link in links.items():
        page = link.removeprefix(f"{SITE}/{irops.__version__}/").removesuffix(".html")
        assert f"{page}.md" in paths
        assert page.endswith(f"/{code}")
    (finding,) = json.loads(formats.render([ODD], "json"))["files"][0]["diagnostics"][-1:]
    assert finding["url"] == links[finding["code"]]
    assert (
        f"[{finding['code']}]({finding['url']})"
        in json.loads(formats.render([ODD], "gitlab"))[-1]["content"]["body"]
    )


def test_a_custom_rule_links_to_no_page() -> None:
    custom = Rule("ACME001", "no-name", Severity.ERROR, "a layer has no name", "Name it.")
    report = Report((Diagnostic(custom, "no name", Location("a.xml")),), "a.xml")
    (described,) = json.loads(formats.render([report], "sarif"))["runs"][0]["tool"]["driver"]["rules"]
    assert "helpUri" not in described
    assert json.loads(formats.render([report], "json"))["files"][0]["diagnostics"][0]["url"] is None
    expected = {"body": "Name it.\n\n`irops explain ACME001`"}
    assert json.loads(formats.render([report], "gitlab"))[0]["content"] == expected


def test_no_text_holds_half_a_character(text: str) -> None:
    def strings(node: Any) -> list[str]:
        if isinstance(node, dict):
            return strings([*node, *node.values()])
        if isinstance(node, list):
            return [string for part in node for string in strings(part)]
        return [node] if isinstance(node, str) else []

    assert all(string.encode("utf-8") for string in strings(json.loads(text)) if string)
