"""What the worker process answers: plain values, with places as lines and columns in characters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from irops.server.outline.elements import Path

Place = tuple[int, int]
"""A line and a column in characters, both from 1."""


@dataclass(frozen=True, slots=True)
class FixRecord:
    """A fix. edits: start, end and the new text of each replacement."""

    what: str
    edits: tuple[tuple[Place, Place, str], ...]


@dataclass(frozen=True, slots=True)
class FindingRecord:
    """A finding; line and column are None where it is about the file as a whole."""

    code: str
    name: str
    is_error: bool
    message: str
    line: int | None
    column: int | None
    notes: tuple[str, ...] = ()
    fix: FixRecord | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """The result for one version of a text.

    outputs: type and shape of each output, by the path of the graph and the id of the layer; seconds: the CPU
    time that the worker used; is_read: whether the text is a model, so that its outputs are those of the text
    """

    findings: tuple[FindingRecord, ...] = ()
    outputs: Mapping[tuple[Path, int], tuple[str, ...]] = field(default_factory=dict)
    seconds: float = 0.0
    is_read: bool = True
