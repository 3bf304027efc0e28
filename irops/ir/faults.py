"""Collects what is wrong with a file while it is read."""
from __future__ import annotations

from irops.diagnostics.diagnostic import Diagnostic, ReadError, in_document_order
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.ir.locate import Source
from irops.ir.model import Layer


class Faults:
    """The findings so far. layer and path say where the reader is, so that each finding can name its layer."""

    __slots__ = ("found", "layer", "path", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[Diagnostic] = []
        self.layer: Layer | None = None
        self.path: tuple[str, ...] = ()

    def add(self, name: str, message: str, at: int, *, attribute: str | None = None, notes: tuple[str, ...] = (),
            level: Severity | None = None) -> None:
        """Note a finding at the element that starts at a byte offset, or at one of its attributes."""
        location = self.source.location(at, self.layer, self.path, attribute)
        self.found.append(Diagnostic(rule(name), message, location, notes=notes, level=level))

    def stop(self, name: str, message: str, at: int, *, notes: tuple[str, ...] = ()) -> ReadError:
        """The error that ends reading, followed by all that was found before; to be raised."""
        before = self.in_order()
        self.add(name, message, at, notes=notes)
        return ReadError((self.found[-1], *before))

    def in_order(self) -> tuple[Diagnostic, ...]:
        return in_document_order(self.found)
