"""Collects the findings of the reader."""

from __future__ import annotations

from irops.diagnostics.diagnostic import Diagnostic, Fix, ReadError, in_document_order
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.files.limits import LIMIT_OF_RULE, Limits
from irops.files.limits import notes as limit_notes
from irops.ir.locate import Source
from irops.ir.model import Layer


class Faults:
    """The findings so far. layer and path are the current position, so that each finding names its layer.

    At most limits.findings are kept: more are not useful, and computing their locations takes time. omitted
    counts the others.
    """

    __slots__ = ("findings", "layer", "limits", "omitted", "path", "source")

    def __init__(self, source: Source, limits: Limits | None = None) -> None:
        self.source, self.limits = source, limits or Limits()
        self.findings: list[Diagnostic] = []
        self.omitted = 0
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
        """Add a finding at the element at a byte offset, at one of its attributes, or at its n-th child.

        child: the tag and the index of the child, counted from 0 among the children of that tag.
        """
        if len(self.findings) >= self.limits.findings:
            self.omitted += 1
            return
        if child is not None:
            offset = self.source.child_offset(at, *child)
            at = at if offset is None else offset
        self.findings.append(
            Diagnostic(
                rule(name),
                message,
                self.source.location(at, self._owner, self.path, attribute),
                notes=notes,
                level=level,
                fix=fix if self.source.as_stored else None,
            )
        )

    @property
    def _owner(self) -> tuple[int | None, str | None]:
        return (None, None) if self.layer is None else (self.layer.id, self.layer.name)

    def stop(self, name: str, message: str, at: int = -1, *, notes: tuple[str, ...] = ()) -> ReadError:
        """The error to raise to stop reading, followed by the findings so far."""
        last = Diagnostic(rule(name), message, self.source.location(at, self._owner, self.path), notes=notes)
        return ReadError((last, *self.in_order()))

    def refuse(self, name: str, what: str, at: int = -1) -> ReadError:
        """The error to raise to stop reading because a limit is exceeded. name: of the rule of that limit."""
        message = f"{what}; {self.limits.message(LIMIT_OF_RULE[name])}"
        return self.stop(name, message, at, notes=limit_notes(name))

    def in_order(self) -> tuple[Diagnostic, ...]:
        """All findings in the order of the file, and one with the number of those that were omitted."""
        if self.omitted:
            self.omitted, more = 0, self.omitted
            end = self.source.location(len(self.source.data))
            self.findings.append(
                Diagnostic(
                    rule("too-many-findings"),
                    f"{more} more findings are not reported; {self.limits.message('findings')}",
                    end,
                    notes=limit_notes("too-many-findings"),
                )
            )
        return in_document_order(self.findings)
