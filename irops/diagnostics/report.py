"""The report of a check: the findings in one model."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from hashlib import sha256
from typing import Any

from irops.diagnostics.diagnostic import Diagnostic, Edit, Fix, Location, errors_of, in_document_order
from irops.diagnostics.printable import MAX_NAME, Markup, html_table, plural, shortened
from irops.diagnostics.rule import Rule, Severity
from irops.diagnostics.rules import rule, rules_of


@dataclass(frozen=True, slots=True)
class Report:
    """The findings in one model, in document order.

    path: of the model file, if the model comes from a file; fixed: findings that were fixed.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    path: str | None = None
    fixed: tuple[Diagnostic, ...] = ()

    @staticmethod
    def of(diagnostics: Iterable[Diagnostic], path: str | None = None) -> Report:
        """A report of findings in any order."""
        return Report(in_document_order(diagnostics), path)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return errors_of(self.diagnostics)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is Severity.WARNING)

    @property
    def ok(self) -> bool:
        """Whether there are no errors; warnings are allowed."""
        return not self.errors

    def narrowed(
        self, select: Iterable[str] = (), ignore: Iterable[str] = (), custom: Iterable[Rule] = ()
    ) -> Report:
        """The findings of the selected rules (all, if none is selected) that are not ignored.

        custom: rules that the words may name beside all_rules()
        Raises:  ValueError if select or ignore names no rule; see selection.rules_of
        """
        wanted, unwanted = (rules_of(words, custom) for words in (select, ignore))
        if not wanted and not unwanted:
            return self
        return replace(
            self,
            diagnostics=tuple(d for d in self if (not wanted or d.code in wanted) and d.code not in unwanted),
        )

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.diagnostics)

    def __len__(self) -> int:
        return len(self.diagnostics)

    def __bool__(self) -> bool:
        """True even without findings, unlike other sized objects."""
        return True

    def __str__(self) -> str:
        return "\n".join(map(str, self.diagnostics)) or "no findings"

    def __repr__(self) -> str:
        counts = f"{plural(len(self.errors), 'error')}, {plural(len(self.warnings), 'warning')}"
        return f"<Report of {shortened(self.path or '<model>', 80)}: {counts}>"

    def _repr_html_(self) -> Markup:
        """What notebooks show: every finding with its place."""
        rows = ((d.severity, d.code, d.location, d.message) for d in self.diagnostics)
        return html_table(repr(self)[1:-1], ("", "rule", "place", "message"), rows)


# Reports as JSON, complete: what is read back is equal to what was written, excerpts included.


def report_as_text(report: Report) -> str | None:
    """The text of a report of irops' own rules; None for one that cannot be read back unchanged."""
    text = json.dumps(
        {"path": report.path, "diagnostics": list(map(_as_data, report))}, separators=(",", ":")
    )
    read = report_of_text(text)
    places = (tuple(found.location.excerpt for found in each) for each in (report, read or ()))
    return text if read == report and len(set(places)) == 1 else None


def report_of_text(text: str | bytes) -> Report | None:
    """The report of a text; None if the text is not that of a report."""
    try:
        content = json.loads(text)
        path = content["path"]
        findings = tuple(_of_data(*each) for each in content["diagnostics"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return Report(findings, path)


_OF_LOCATION = tuple(one.name for one in fields(Location))


def _as_data(found: Diagnostic) -> list[Any]:
    where = found.location
    edits = None if found.fix is None else [[edit.start, edit.end, edit.text] for edit in found.fix.edits]
    return [
        found.code,
        found.message,
        [getattr(where, name) for name in _OF_LOCATION],
        found.constraint,
        found.facts,
        found.notes,
        found.level,
        None if found.fix is None else [found.fix.what, edits],
    ]


def _of_data(
    code: str, message: str, where: list[Any], constraint: Any, facts: Any, notes: Any, level: Any, fix: Any
) -> Diagnostic:
    place = dict(zip(_OF_LOCATION, where, strict=True))
    for name in ("path", "excerpt", "bytes"):
        place[name] = None if place[name] is None else tuple(place[name])
    return Diagnostic(
        rule(code),
        message,
        Location(**place),
        constraint,
        facts,
        tuple(notes),
        None if level is None else Severity(level),
        None if fix is None else Fix(fix[0], tuple(Edit(*edit) for edit in fix[1])),
    )


# Fingerprints, which identify a finding even after other parts of its file have changed.

_NUMBER = re.compile(r"\d+")


def fingerprints(report: Report) -> tuple[str, ...]:
    """A fingerprint for each finding of a report, independent of file name, lines, columns and layer ids.

    Findings that agree in everything else are numbered in order.
    """
    seen: Counter[str] = Counter()
    return tuple(_numbered(_digest(diagnostic), seen) for diagnostic in report)


def _numbered(digest: str, seen: Counter[str]) -> str:
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"


@lru_cache(1024)
def _identifying(name: str) -> str:
    """The name, or its hash if it is long: the same name may occur in a thousand findings."""
    return name if len(name) <= MAX_NAME else sha256(name.encode("utf-8", "surrogatepass")).hexdigest()


def _digest(diagnostic: Diagnostic) -> str:
    where = diagnostic.location
    subject = (
        _NUMBER.sub("#", diagnostic.message) if where.layer_name is None else _identifying(where.layer_name)
    )
    identity = (diagnostic.code, diagnostic.constraint, tuple(map(_identifying, where.path)), subject)
    return sha256(repr(identity).encode("utf-8", "surrogatepass")).hexdigest()[:32]
