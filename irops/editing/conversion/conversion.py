"""What a conversion did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from irops.diagnostics.printable import shortened
from irops.ir.model import Model


@dataclass(frozen=True, slots=True)
class Change:
    """A layer that was converted.

    path: the layers and bodies down to its graph; before: its op; after: the ops in its place; rounds: what
    its results may differ by, empty where they are equal bit for bit
    """

    layer: str
    path: tuple[str, ...]
    before: str
    after: tuple[str, ...]
    rounds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Conversion:
    """A converted model. label: of the target; notes: what is different about its results, or its file"""

    model: Model
    label: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...]

    def summary(self) -> Iterator[str]:
        """A line for each kind of change: 3 SoftMax-8 -> SoftMax-1."""
        counts = Counter((change.before, change.after) for change in self.changes)
        for (before, after), count in counts.items():
            ops = ", ".join(dict.fromkeys(after)) or "removed"
            yield f"{count} {before} -> {ops}"


def notes_of(changes: list[Change]) -> list[str]:
    """What may differ in results, a sentence for each step that rounds, with the layers that it concerns."""
    layers: dict[tuple[str, str], list[str]] = {}
    for change in changes:
        for text in change.rounds:
            layers.setdefault((change.before, text), []).append(change.layer)
    return [
        f"{before}: {text} ({_listed(names)}); results may differ in the last digits"
        for (before, text), names in layers.items()
    ]


def _listed(names: list[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f'"{shortened(names[0])}"{more}'
