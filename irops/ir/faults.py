"""Collects what is wrong with a file while it is read."""

from __future__ import annotations

from irops.diagnostics.diagnostic import Diagnostic, ReadError, in_document_order
from irops.diagnostics.fix import Fix
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.ir.locate import Source
from irops.ir.model import Layer
from irops.limits import OF_RULES, Limits
from irops.limits import notes as limit_notes


class Faults:
    """The findings so far. layer and path say where the reader is, so that each finding can name its layer.

    Of one file, limits.findings are told: more help nobody, and finding their places takes time.
    """

    __slots__ = ("found", "layer", "limits", "path", "source", "untold")

    def __init__(self, source: Source, limits: Limits | None = None) -> None:
        self.source, self.limits = source, limits or Limits()
        self.found: list[Diagnostic] = []
        self.untold = 0
        self.layer: Layer | None = None
        self.path: tuple[str, ...] = ()

    def add(
        self,
        name: str,
        message: str,
        at: int,
        *,
        attribute: str | None = None,
        child: tuple[str, int] | None = None,
        notes: tuple[str, ...] = (),
        level: Severity | None = None,
        fix: Fix | None = None,
    ) -> None:
        """Note a finding at the element that starts at a byte offset, at one of its attributes, or at its
        n-th child of a tag.
        """
        if len(self.found) >= self.limits.findings:
            self.untold += 1
            return
        if child is not None:
            found = self.source.child_offset(at, *child)
            at = at if found is None else found
        self.found.append(
            Diagnostic(
                rule(name),
                message,
                self.source.location(at, self.layer, self.path, attribute),
                notes=notes,
                level=level,
                fix=fix if self.source.as_stored else None,
            )
        )

    def stop(self, name: str, message: str, at: int, *, notes: tuple[str, ...] = ()) -> ReadError:
        """The error that ends reading, followed by all that was found before; to be raised."""
        last = Diagnostic(rule(name), message, self.source.location(at, self.layer, self.path), notes=notes)
        return ReadError((last, *self.in_order()))

    def refuse(self, name: str, what: str, at: int) -> ReadError:
        """The error that ends reading since a limit is met; to be raised. name: of the rule, which is about
        one limit.
        """
        return self.stop(name, f"{what}; {self.limits.said(OF_RULES[name])}", at, notes=limit_notes(name))

    def in_order(self) -> tuple[Diagnostic, ...]:
        """All findings in the order of the file; behind them, how many more there are."""
        if self.untold:
            self.untold, more = 0, self.untold
            end = self.source.location(len(self.source.data))
            self.found.append(
                Diagnostic(
                    rule("too-many-findings"),
                    f"{more} more findings are not told; {self.limits.said('findings')}",
                    end,
                    notes=limit_notes("too-many-findings"),
                )
            )
        return in_document_order(self.found)
