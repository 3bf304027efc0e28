"""Findings: order, severity, fixes, and the texts in which they are printed."""

import json
from dataclasses import replace

import pytest
from tables import table

from irops.diagnostics import formats
from irops.diagnostics.diagnostic import (
    Diagnostic,
    DiagnosticError,
    Edit,
    Fix,
    Location,
    ReadError,
    Severity,
    applied,
    errors_of,
    fix,
    in_document_order,
)
from irops.diagnostics.printable import paragraphs, plural, printable, printable_lines, shortened
from irops.diagnostics.report import Report, summary
from irops.diagnostics.rules import all_rules, rule, rules_of
from irops.diagnostics.suggestions import MAX_NAMES, did_you_mean, similar


def at(line, column=None, message="m", name="cycle", **more):
    return Diagnostic(rule(name), message, Location("m.xml", line, column), **more)


@pytest.mark.parametrize(
    ("location", "text"),
    [
        (Location(), "<model>"),
        (Location("m.xml"), "m.xml"),
        (Location("m.xml", 3), "m.xml:3"),
        (Location("m.xml", 3, 7), "m.xml:3:7"),
        (Location(None, 3, 7), "<model>:3:7"),
    ],
)
def test_a_location_is_printed_as_far_as_it_is_known(location, text):
    assert str(location) == text


def test_a_finding_is_printed_on_one_line():
    found = at(3, 7, "round and round")
    assert str(found) == "m.xml:3:7: error IR207 round and round"
    assert (found.code, found.name, found.rule.band) == ("IR207", "cycle", "IR2")


def test_a_finding_may_have_another_level_than_its_rule():
    assert at(1).severity is Severity.ERROR
    assert at(1, level=Severity.WARNING).severity is Severity.WARNING
    assert errors_of([at(1), at(2, level=Severity.WARNING), at(3, name="dead-layer")]) == (at(1),)


def test_findings_are_sorted_by_place_and_stay_in_order_at_one_place():
    late, early, none, first, second = at(5), at(3, 9), at(None), at(3, 2, "b"), at(3, 2, "a")
    assert in_document_order([late, early, none, first, second]) == (none, first, second, early, late)
    assert in_document_order([at(3, 2), at(3)]) == (at(3), at(3, 2))


def test_findings_that_are_the_same_are_reported_once():
    assert in_document_order([at(3), at(2), at(3)]) == (at(2), at(3))


@pytest.mark.parametrize(("count", "more"), [(1, ""), (2, " (and 1 more)"), (3, " (and 2 more)")])
def test_an_error_is_printed_as_its_first_finding(count, more):
    error = ReadError(at(k) for k in range(1, count + 1))
    assert str(error) == f"{at(1)}{more}"
    assert len(error.diagnostics) == count
    assert isinstance(error, DiagnosticError)


def test_a_fix_is_one_whose_edits_are_all_known():
    edit = Edit(1, 2, "x")
    assert fix("w", [edit, edit]) == Fix("w", (edit, edit))
    assert fix("w", [edit, None]) is None
    assert fix("w", [None]) is None
    assert fix("w", []) is None


@pytest.mark.parametrize(("edits", "after"), table(__file__, "fixes_change_the_bytes_that_they_name"))
def test_fixes_change_the_bytes_that_they_name(edits, after):
    fixes = [Fix(str(k), (Edit(*edit),)) for k, edit in enumerate(edits)]
    data, done = applied(b"abcdef", fixes)
    assert (data.decode(), done) == (after, fixes)


@pytest.mark.parametrize(
    ("first", "second", "meet"), table(__file__, "of_fixes_that_touch_the_first_is_made")
)
def test_of_fixes_that_touch_the_first_is_made(first, second, meet):
    one, other = Fix("one", (Edit(*first, "X"),)), Fix("other", (Edit(*second, "Y"),))
    _, done = applied(b"abcdef", [one, other])
    assert done == ([one] if meet else [one, other])


def test_a_fix_is_made_whole_or_not_at_all():
    one = Fix("one", (Edit(0, 1, "X"),))
    other = Fix("other", (Edit(4, 5, "Y"), Edit(0, 1, "Z")))
    third = Fix("third", (Edit(4, 5, "W"),))
    assert applied(b"abcdef", [one, other, third]) == (b"XbcdWf", [one, third])


FIXED = at(4, 2, "m", fix=Fix("write FP32", (Edit(3, 7, "FP32"),)))
REPORT = Report.of([at(9, 1), FIXED, at(7, name="dead-layer")], "m.xml")


def test_a_report_counts_and_lists():
    assert (len(REPORT), [d.location.line for d in REPORT]) == (3, [4, 7, 9])
    assert [d.location.line for d in REPORT.warnings] == [7]
    assert [d.location.line for d in REPORT.errors] == [4, 9]
    assert str(REPORT) == "\n".join(map(str, REPORT.diagnostics))
    assert str(Report()) == "no findings"
    assert Report()
    assert not REPORT.ok
    assert Report().ok
    assert Report.of([at(7, name="dead-layer")]).ok
    assert REPORT.narrowed() is REPORT
    assert REPORT.narrowed(["IR208"]).path == "m.xml"


def test_what_was_fixed_is_printed_before_what_is_left():
    report = Report((at(7),), "m.xml", (FIXED, at(2)))
    for form in ("concise", "full"):
        expected = ["m.xml:4:2: fixed IR207 write FP32", "m.xml:2: fixed IR207 m", "m.xml:7: error IR207 m"]
        assert formats.render([report], form).splitlines()[:3] == expected


def test_full_prints_a_fix_and_the_layer_unless_the_message_names_it():
    named = Diagnostic(rule("cycle"), 'layer "a"', Location("m.xml", 1, 1, 5, "a"))
    unnamed = Diagnostic(rule("cycle"), "round", Location("m.xml", 1, 1, 5, "a"), fix=FIXED.fix)
    assert formats.render([Report((named,))], "full").splitlines()[1:] == ["    explain: irops explain IR207"]
    assert formats.render([Report((unnamed,))], "full").splitlines()[1:] == [
        '    layer 5 "a"',
        "    fix: irops check --fix: write FP32",
        "    explain: irops explain IR207",
    ]


def test_colours_mark_severity_and_code():
    text = formats.render_in_colour([Report((at(1), at(2, name="dead-layer")), fixed=(FIXED,))])
    styles = {str(text.plain[span.start : span.end]): str(span.style) for span in text.spans}
    assert styles["error"] == "bold red"
    assert styles["warning"] == "bold yellow"
    assert styles[" IR207 "] == "cyan"
    assert styles["fixed "] == "bold green"
    assert styles["m.xml:4:2: "] == "bold"
    assert styles["explain: "] == "dim"


def test_the_formats_have_an_order():
    assert list(formats.FORMATS) == ["full", "concise", "json", "sarif", "github", "gitlab"]


def test_json_has_the_version_the_layer_and_the_fix():
    (file,) = json.loads(formats.render([Report((FIXED,), "m.xml", (FIXED,))], "json"))["files"]
    assert file["diagnostics"][0]["fix"] == "write FP32"
    assert file["diagnostics"][0]["layer"] is None
    assert file["fixed"] == file["diagnostics"]
    for id_, name in ((3, None), (None, "a")):
        layer = formats.as_json(Diagnostic(rule("cycle"), "m", Location(None, 1, 1, id_, name)))["layer"]
        assert layer == {"id": id_, "name": name, "path": []}
    assert formats.render([REPORT], "json").startswith('{\n  "version": 1,\n  "files"')


def sarif(*reports):
    """The one run that is reported."""
    (run,) = json.loads(formats.render(reports, "sarif"))["runs"]
    return run


def test_sarif_gives_fixes_as_regions_of_bytes():
    (result,) = sarif(Report((FIXED,), "m.xml"))["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert result["fixes"][0]["description"] == {"text": "write FP32"}
    assert change["artifactLocation"] == {"uri": "m.xml"}
    expected = [{"deletedRegion": {"byteOffset": 3, "byteLength": 4}, "insertedContent": {"text": "FP32"}}]
    assert change["replacements"] == expected


@pytest.mark.parametrize(
    ("location", "region"),
    [
        (Location("m.xml", 3, 7), {"startLine": 3, "startColumn": 7}),
        (Location("m.xml", 3), {"startLine": 3, "startColumn": 1}),
        (Location("m.xml"), None),
    ],
)
def test_sarif_gives_a_region_where_the_line_is_known(location, region):
    (result,) = sarif(Report((Diagnostic(rule("cycle"), "m", location),)))["results"]
    assert result["locations"][0]["physicalLocation"].get("region") == region


@pytest.mark.parametrize(
    ("file", "path", "uri"),
    [
        ("a b.xml", None, "a%20b.xml"),
        (None, "b.xml", "b.xml"),
        (None, None, "model"),
        ("/a/b c.xml", None, "file:///a/b%20c.xml"),
    ],
)
def test_sarif_names_a_file_by_its_uri(file, path, uri):
    (result,) = sarif(Report((Diagnostic(rule("cycle"), "m", Location(file)),), path))["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_sarif_describes_each_rule_once_and_in_order():
    found = Report((at(1, name="dead-layer"), at(2), at(3)))
    run = sarif(found, found)
    rules = run["tool"]["driver"]["rules"]
    assert [r["id"] for r in rules] == ["IR207", "IR208"]
    assert [r["ruleIndex"] for r in run["results"]] == [1, 0, 0] * 2
    assert [r["defaultConfiguration"]["level"] for r in rules] == ["error", "warning"]
    assert rules[0]["help"]["text"].endswith("\n\nirops explain IR207")
    assert rules[0]["help"]["markdown"].endswith("\n\n`irops explain IR207`")
    assert "layer" not in str(run["results"][0].get("properties"))


def test_sarif_joins_message_and_notes():
    found = at(1, notes=("one", "two"), constraint="Op-1:C1", facts="f")
    (result,) = sarif(Report((found,)))["results"]
    assert result["message"]["text"] == "m. one. two"
    assert result["properties"] == {"constraint": "Op-1:C1", "facts": "f"}


@pytest.mark.parametrize(
    ("reports", "options", "text"),
    [
        ([Report()], {}, "no findings in the model"),
        ([Report((at(7, name="dead-layer"),))], {}, "1 warning in the model"),
        ([Report((at(7),))], {}, "1 error in the model"),
        ([REPORT], {}, "2 errors, 1 warning in m.xml"),
        ([replace(REPORT, fixed=(FIXED,))], {}, "1 fixed, 2 errors, 1 warning in m.xml"),
        ([Report((), "m.xml", (FIXED,))], {}, "1 fixed, no findings in m.xml"),
        ([REPORT, REPORT], {}, "4 errors, 2 warnings in 2 files"),
        ([REPORT, Report()], {}, "2 errors, 1 warning in 1 of 2 files"),
        ([REPORT, Report(), REPORT], {}, "4 errors, 2 warnings in 2 of 3 files"),
        ([Report((), "m", (FIXED,)), Report()], {}, "1 fixed, no findings in 1 of 2 files"),
        ([Report(), Report()], {}, "no findings in 2 files"),
        ([REPORT], {"known": 1}, "2 errors, 1 warning in m.xml; omitted: 1 known finding"),
        (
            [REPORT],
            {"known": 2, "others": 1},
            "2 errors, 1 warning in m.xml; omitted: 2 known findings, 1 other .xml file in folders",
        ),
        ([REPORT], {"others": 2}, "2 errors, 1 warning in m.xml; omitted: 2 other .xml files in folders"),
    ],
)
def test_the_summary_says_what_was_found_and_left_out(reports, options, text):
    assert summary(reports, **options) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é \U0001f600", "plain é \U0001f600"),
        ("a\nb\rc\td", r"a\nb\rc\td"),
        ("\x00\x1b\x7f\x9f", r"\x00\x1b\x7f\x9f"),
        ("\ud800", r"\ud800"),
        ("\x1f \x20~\xa0", "\\x1f  ~\xa0"),
        ("\u2028\u202e\u2069", r"\u2028\u202e\u2069"),
    ],
)
def test_what_does_not_print_is_escaped(text, shown):
    assert printable(text) == shown


def test_lines_keep_their_ends_and_tabs():
    assert printable_lines("a\tb\x1b\r\nc\n") == "a\tb\\x1b\r\nc\n"
    assert printable_lines("") == ""
    assert printable_lines("a\n\nb\n") == "a\n\nb\n"


def test_words_are_counted():
    assert [plural(n, "file") for n in (0, 1, 2)] == ["0 files", "1 file", "2 files"]
    assert paragraphs(" a\n b\n\n \n\nc ") == ["a b", "c"]


@pytest.mark.parametrize(
    ("words", "count"), table(__file__, "rules_are_chosen_by_code_name_or_the_start_of_a_code")
)
def test_rules_are_chosen_by_code_name_or_the_start_of_a_code(words, count):
    assert len(rules_of(words)) == count


@pytest.mark.parametrize(("word", "hint"), table(__file__, "a_word_that_means_no_rule_is_refused"))
def test_a_word_that_means_no_rule_is_refused(word, hint):
    with pytest.raises(ValueError, match=rf"^there is no rule '{word}'{hint.replace('?', '[?]')}"):
        rules_of([word])
    with pytest.raises(ValueError, match=r"^there is no rule"):
        REPORT.narrowed([word])


def test_a_rule_is_found_by_name_and_by_code():
    assert rule("cycle") is rule("IR207")
    assert [r.code for r in all_rules()] == sorted({r.code for r in all_rules()})
    with pytest.raises(KeyError):
        rule("nothing")
    assert {r.band for r in all_rules()} >= {"IR1", "IR2", "OD1"}


def test_the_code_of_a_rule_that_was_removed_is_not_used_again():
    assert {"IR651", "IR652", "IR653", "IR813"}.isdisjoint(r.code for r in all_rules())


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("softmx", ["Relu", "SoftMax"], "SoftMax"),
        ("SOFTMAX", ["softmax"], "softmax"),
        ("qqq", ["softmax"], None),
        ("a", [], None),
        (12, [12, 13], "12"),
        ("x" * 100, ["x" * 100], "x" * 100),
        ("x" * 101, ["x" * 101], None),
    ],
)
def test_a_similar_name_is_found(name, known, found):
    assert similar(name, known) == found
    assert did_you_mean(name, known) == ("" if found is None else f"; did you mean {found!r}?")


def test_a_similar_name_is_looked_up_among_a_bounded_number():
    many = [f"name{k:06}" for k in range(MAX_NAMES)]
    assert similar("softmx", ["softmax", *many]) == "softmax"
    assert similar("softmx", [*many, "softmax"]) is None
    assert similar("softmx", [*many[1:], "softmax"]) == "softmax"


@pytest.mark.parametrize(("text", "width", "line"), table(__file__, "a_text_is_shortened_to_a_width"))
def test_a_text_is_shortened_to_a_width(text, width, line):
    assert shortened(text, width) == line


def test_a_text_is_shortened_to_60_characters_unless_it_is_said():
    assert shortened("x" * 60) == "x" * 60
    assert shortened("x" * 61) == "x" * 59 + "…"
