"""Collects what is wrong with a file while it is read."""
from __future__ import annotations

from irops.diagnostics.diagnostic import Diagnostic, ReadError, in_document_order
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.ir.locate import Source
from irops.ir.model import Layer

TOLD = 1000
"""How many findings of one file are told: more help nobody, and finding their places takes time."""


class Faults:
    """The findings so far. layer and path say where the reader is, so that each finding can name its layer."""

    __slots__ = ("found", "layer", "path", "source", "untold")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[Diagnostic] = []
        self.untold = 0
        self.layer: Layer | None = None
        self.path: tuple[str, ...] = ()

    def add(self, name: str, message: str, at: int, *, attribute: str | None = None, child: tuple[str, int] | None = None,
            notes: tuple[str, ...] = (), level: Severity | None = None) -> None:
        """Note a finding at the element that starts at a byte offset, at one of its attributes, or at its n-th child of a tag."""
        if len(self.found) >= TOLD:
            self.untold += 1
            return
        if child is not None:
            found = self.source.child_offset(at, *child)
            at = at if found is None else found
        self.found.append(Diagnostic(rule(name), message, self.source.location(at, self.layer, self.path, attribute),
                                     notes=notes, level=level))

    def stop(self, name: str, message: str, at: int, *, notes: tuple[str, ...] = ()) -> ReadError:
        """The error that ends reading, followed by all that was found before; to be raised."""
        last = Diagnostic(rule(name), message, self.source.location(at, self.layer, self.path), notes=notes)
        return ReadError((last, *self.in_order()))

    def in_order(self) -> tuple[Diagnostic, ...]:
        """All findings in the order of the file; behind them, how many more there are."""
        if self.untold:
            self.untold, more = 0, self.untold
            end = self.source.location(len(self.source.data))
            self.found.append(Diagnostic(rule("more-faults"), f"{more} more findings are not told, only the first {TOLD}", end))
        return in_document_order(self.found)
