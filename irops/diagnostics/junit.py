"""JUnit files, which continuous integration shows: suites of cases that passed, failed or were skipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from irops.diagnostics.printable import printable

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


@dataclass(frozen=True, slots=True)
class Case:
    """A test case. failure: kind, reason and text of one that failed; skipped: why it was not judged;
    output: a note about one that passed
    """

    of: str
    name: str
    failure: tuple[str, str, str] | None = None
    skipped: str | None = None
    output: str = ""


def suite_of(name: str, cases: Sequence[Case], **properties: str) -> Element:
    """A suite. Control characters of all texts are escaped; lines of the text of a failure are kept."""
    from xml.etree.ElementTree import Element, SubElement  # slow to import

    counts = {
        "tests": len(cases),
        "failures": sum(case.failure is not None for case in cases),
        "skipped": sum(case.skipped is not None for case in cases),
        "errors": 0,
    }
    attributes = {"name": printable(name), **{key: str(count) for key, count in counts.items()}}
    suite = Element("testsuite", attributes)
    if properties:
        listed = SubElement(suite, "properties")
        for key, value in properties.items():
            SubElement(listed, "property", name=key, value=printable(value))
    for case in cases:
        at = SubElement(suite, "testcase", classname=printable(case.of), name=printable(case.name))
        if case.failure is not None:
            kind, reason, text = case.failure
            failure = SubElement(at, "failure", type=printable(kind), message=printable(reason))
            failure.text = "\n".join(map(printable, text.split("\n")))
        elif case.skipped is not None:
            SubElement(at, "skipped", message=printable(case.skipped))
        elif case.output:
            SubElement(at, "system-out").text = printable(case.output)
    return suite


def file_of(root: Element) -> str:
    """The text of a file. root: a suite, or testsuites"""
    from xml.etree.ElementTree import indent, tostring

    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'
