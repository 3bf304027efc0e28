"""The report of a check: the findings in one model, and the line that sums up those of many."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from irops.diagnostics.diagnostic import Diagnostic, Rule, Severity, errors_of, in_document_order
from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import plural, printable, shortened
from irops.diagnostics.rules import rules_of


@dataclass(frozen=True, slots=True)
class Report:
    """The findings in one model, in document order.

    path: of the model file, if the model comes from a file; fixed: findings that were fixed.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    path: str | None = None
    fixed: tuple[Diagnostic, ...] = ()

    @staticmethod
    def of(diagnostics: Iterable[Diagnostic], path: str | None = None) -> "Report":
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
    ) -> "Report":
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

    def _repr_html_(self) -> str:
        """A table for notebooks: every finding with its place."""
        rows = ((d.severity, d.code, d.location, d.message) for d in self.diagnostics)
        return html_table(repr(self)[1:-1], ("", "rule", "place", "message"), rows)


def summary(reports: Sequence[Report], known: int = 0, others: int = 0) -> str:
    """2 errors, 1 warning in model.xml · no findings in 3 files

    known: the number of findings omitted because the baseline accepts them; others: the number of skipped
    files that are not models.
    """
    errors, warnings = (
        sum(len(findings) for findings in side) for side in zip(*((r.errors, r.warnings) for r in reports))
    )
    fixed = sum(len(report.fixed) for report in reports)
    counted = [f"{fixed} fixed"] * bool(fixed) + [
        plural(n, word) for n, word in ((errors, "error"), (warnings, "warning")) if n
    ]
    affected = [report for report in reports if len(report) or report.fixed] or reports
    if len(reports) == 1:
        where = printable(reports[0].path or "the model")
    elif len(affected) < len(reports):
        where = f"{len(affected)} of {plural(len(reports), 'file')}"
    else:
        where = plural(len(reports), "file")
    omitted = [plural(known, "known finding")] * bool(known) + [
        f"{plural(others, 'other .xml file')} in folders"
    ] * bool(others)
    if not errors and not warnings:
        counted.append("no findings")
    return f"{', '.join(counted)} in {where}" + (f"; omitted: {', '.join(omitted)}" if omitted else "")
