"""What a check found in one file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from irops.diagnostics.diagnostic import Diagnostic, errors_of, in_document_order
from irops.diagnostics.rule import Severity


@dataclass(frozen=True, slots=True)
class Report:
    """The findings in one model, in document order. path: of its file, if it came from one; fixed: findings
    that were put right.
    """

    diagnostics: tuple[Diagnostic, ...] = ()
    path: str | None = None
    fixed: tuple[Diagnostic, ...] = ()

    @staticmethod
    def of(found: Iterable[Diagnostic], path: str | None = None) -> Report:
        """A report of findings in the order in which they came up."""
        return Report(in_document_order(found), path)

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return errors_of(self.diagnostics)

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        return tuple(d for d in self.diagnostics if d.severity is Severity.WARNING)

    @property
    def ok(self) -> bool:
        """Whether there is no error; there may be warnings."""
        return not self.errors

    def narrowed(self, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Report:
        """The findings of the rules that are selected (all, if none is) and not ignored; see
        selection.rules_of.
        """
        from irops.diagnostics.selection import rules_of

        wanted, unwanted = rules_of(select), rules_of(ignore)
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
        """A report without findings is a report."""
        return True

    def __str__(self) -> str:
        return "\n".join(map(str, self.diagnostics)) or "no findings"
