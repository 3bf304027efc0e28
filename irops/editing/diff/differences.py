"""The differences between two models, as text and as an HTML table."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from irops.diagnostics.html_table import html_table
from irops.diagnostics.printable import plural, printable
from irops.pages.render import render

SCHEMA_VERSION = 1
"""Of the JSON form."""


@dataclass(frozen=True, slots=True)
class LayerChange:
    """A layer that is in one model alone, or that is another in the two.

    what: added, removed, changed, rewired, renamed or moved; name: in the second model, in the first for one
    that was removed; op: its id; details: what differs, one phrase each; line: in the file of the model
    """

    what: str
    path: tuple[str, ...]
    name: str
    op: str
    details: tuple[str, ...] = ()
    line: int | None = None

    def __str__(self) -> str:
        place = "/".join((*self.path, self.name))
        details = f": {'; '.join(self.details)}" if self.details else ""
        return printable(f"{self.what} {place} ({self.op}){details}")


@dataclass(frozen=True, slots=True)
class WeightChange:
    """A weight that differs. name: of the layer that uses it; input: of that layer

    kind: changed; stored, where its elements are stored otherwise, in another type or with scales; or
    not compared; greatest, relative: the greatest difference, as it is and divided by the greatest element;
    share: of the elements that differ, from 0 to 1
    """

    kind: str
    path: tuple[str, ...]
    name: str
    input: int
    details: str
    greatest: float | None = None
    relative: float | None = None
    share: float | None = None

    def __str__(self) -> str:
        place = "/".join((*self.path, self.name))
        return f"weights of {printable(place)}, input {self.input}: {printable(self.details)}"


@dataclass(frozen=True, slots=True)
class Difference:
    """The differences between two models. str() is the report.

    added, removed, changed, rewired: LayerChanges; weights: WeightChanges; interface: inputs and outputs of
    the model, in words; renamed, moved, metadata: what does not affect what is computed
    """

    a: str
    b: str
    added: tuple[LayerChange, ...] = ()
    removed: tuple[LayerChange, ...] = ()
    changed: tuple[LayerChange, ...] = ()
    rewired: tuple[LayerChange, ...] = ()
    weights: tuple[WeightChange, ...] = ()
    interface: tuple[str, ...] = ()
    renamed: tuple[LayerChange, ...] = ()
    moved: tuple[LayerChange, ...] = ()
    metadata: tuple[str, ...] = ()
    layers: tuple[int, int] = field(default=(0, 0))

    @property
    def same(self) -> bool:
        """Whether both models compute the same from inputs of the same names: names, order and metadata of
        layers apart.
        """
        return not (
            self.added or self.removed or self.changed or self.rewired or self.weights or self.interface
        )

    def __bool__(self) -> bool:
        """Whether there is a difference that same counts."""
        return not self.same

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        return f"<Difference of {self.a} and {self.b}: {self.summary}>"

    @property
    def summary(self) -> str:
        """The counts, on one line."""
        kinds = ("added", "removed", "changed", "rewired", "renamed", "moved")
        counts = [f"{len(found)} {name}" for name in kinds if (found := getattr(self, name))]
        if self.weights:
            counts.append(plural(len(self.weights), "weight") + " differ" + "s" * (len(self.weights) == 1))
        if self.interface:
            counts.append(plural(len(self.interface), "difference") + " of inputs and outputs")
        if self.metadata:
            counts.append(plural(len(self.metadata), "difference") + " of metadata")
        return ", ".join(counts) or "no difference"

    def _lines(self) -> Iterator[str]:
        yield f"--- {printable(self.a)}: {plural(self.layers[0], 'layer')}"
        yield f"+++ {printable(self.b)}: {plural(self.layers[1], 'layer')}"
        for text in self.interface:
            yield printable(text)
        for name in ("removed", "added", "changed", "rewired"):
            yield from map(str, getattr(self, name))
        yield from map(str, self.weights)
        for name in ("renamed", "moved"):
            yield from map(str, getattr(self, name))
        for text in self.metadata:
            yield printable(text)
        yield self.summary

    def to_json(self) -> dict[str, Any]:
        """The differences as JSON values, with the version of their schema."""
        return {"schema": SCHEMA_VERSION, "same": self.same, "summary": self.summary, **asdict(self)}

    def _repr_html_(self) -> str:
        return table(self)


def table(difference: Any) -> str:
    """The differences as a table for a notebook."""
    return html_table(difference.summary, ("", "layer", "op", ""), _rows(difference))


def page(difference: Any) -> str:
    """The differences as a page of its own. Raises: MissingExtraError"""
    title = f"{difference.a} and {difference.b}"
    return render("diff.html", title=title, summary=difference.summary, rows=_rows(difference))


def _rows(difference: Any) -> Iterator[tuple[str, str, str, str]]:
    """The difference, place, op, details."""
    for text in difference.interface:
        yield "interface", "", "", text
    for what in ("removed", "added", "changed", "rewired", "renamed", "moved"):
        for change in getattr(difference, what):
            line = () if change.line is None else (f"line {change.line}",)
            yield what, "/".join((*change.path, change.name)), change.op, "; ".join((*line, *change.details))
    for weight in difference.weights:
        place = f"{'/'.join((*weight.path, weight.name))}, input {weight.input}"
        yield "weights", place, "", f"{weight.kind}: {weight.details}"
    for text in difference.metadata:
        yield "metadata", "", "", text
