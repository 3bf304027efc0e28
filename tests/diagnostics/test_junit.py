"""JUnit files: counts, escaped texts, and the lines of a failure."""

from xml.etree import ElementTree

from irops.diagnostics.formats import JUnitCase, file_of, suite_of

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
