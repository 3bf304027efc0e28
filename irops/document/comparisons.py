"""What a page that lays dialects side by side shows: plain values, no markup."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby

from irops.conformance.odd_inputs.measure import replies
from irops.conformance.odd_inputs.odd import ELEMENT_TYPES, Odd, Reply
from irops.conformance.odd_inputs.runtimes import RUNTIMES
from irops.conformance.odd_inputs.table import Column, Comparison
from irops.conformance.odd_inputs.verdict import WORDS, Verdict, own_verdict, verdict
from irops.dialects import dialect_of_id
from irops.document.declared import Declared, declared
from irops.document.elements import elements_text, grid_text, tensor_text
from irops.registry import Registry
from irops.spec.definition import Definition

SAMPLES = {
    "same": "the same",
    "takes": "takes it",
    "refuses": "refuses",
    "differs": "differs",
    "apart": "cannot be said",
}
"""A word of each tone, for the legend."""
NEWS = ("computes", "warns", "takes", "differs")
"""The tones of cells whose elements are shown at once: those of irops, and of runtimes where they are others.
"""


@dataclass(frozen=True, slots=True)
class ColumnView:
    """A column. dialect: whose op it is of; version: of the runtime; missing: why there is nothing in it, or
    ''.
    """

    dialect: str
    label: str
    version: str
    missing: str
    own: bool

    @property
    def full_name(self) -> str:
        """Its name where its dialect does not stand over it."""
        return f"irops, {self.dialect}" if self.own else self.label


@dataclass(frozen=True, slots=True)
class CellView:
    """What became of an odd input in a column.

    text: the elements, or what was said; grid: the elements where they are news; warnings: what irops told
        beside.
    """

    tone: str
    word: str
    text: str
    grid: str
    warnings: tuple[str, ...]
    column: ColumnView


@dataclass(frozen=True, slots=True)
class RowView:
    """An odd input. differs: whether some runtime does not do what irops does."""

    name: str
    anchor: str
    attributes: str
    given: tuple[tuple[str, str, str], ...]
    cells: tuple[CellView, ...]

    @property
    def differs(self) -> bool:
        return any(cell.tone in ("takes", "refuses", "differs") for cell in self.cells)


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """All that the page shows. spans: the dialects over the columns, with how many columns each."""

    name: str
    title: str
    text: str
    definitions: tuple[Definition, ...]
    declared: tuple[Declared, ...]
    columns: tuple[ColumnView, ...]
    spans: tuple[tuple[str, int], ...]
    groups: tuple[tuple[str, tuple[RowView, ...]], ...]
    tones: tuple[tuple[str, str], ...]
    samples: dict[str, str]
    asked: bool


def comparison_view(registry: Registry, compared: Comparison, *, ask: bool) -> ComparisonView:
    """The view of a comparison. ask: whether to ask runtimes; else their columns are left out."""
    picked = [column for column in compared.columns if ask or not column.runtime]
    columns = tuple(_column(column) for column in picked)
    found = [replies(compared, column) for column in picked]
    rows = {
        odd: _row(registry, compared, odd, picked, columns, [replied.get(odd) for replied in found])
        for odd in compared.odd
    }
    definitions = tuple(registry.op(op).definition for op in compared.ops)
    return ComparisonView(
        compared.name,
        compared.title,
        compared.text,
        definitions,
        declared(registry, definitions),
        columns,
        tuple((dialect, len(list(run))) for dialect, run in groupby(column.dialect for column in columns)),
        tuple((group, tuple(rows[odd] for odd in odds)) for group, odds in _grouped(compared)),
        tuple(WORDS.items()),
        SAMPLES,
        ask,
    )


def _grouped(compared: Comparison) -> list[tuple[str, list[Odd]]]:
    return [(group, list(odds)) for group, odds in groupby(compared.odd, key=lambda odd: odd.group)]


def _column(column: Column) -> ColumnView:
    dialect = "neighbours" if column.neighbour else dialect_of_id(column.op).title
    if not column.runtime:
        return ColumnView(dialect, "irops", "", "", own=True)
    runtime = RUNTIMES[column.runtime]
    return ColumnView(dialect, runtime.label, runtime.version, runtime.missing or "", own=False)


def _row(
    registry: Registry,
    compared: Comparison,
    odd: Odd,
    columns: list[Column],
    views: tuple[ColumnView, ...],
    found: list[Reply | None],
) -> RowView:
    base = registry.op(compared.ops[0]).definition
    owns = {column.op: reply for column, reply in zip(columns, found) if not column.runtime}
    cells = []
    for column, view, reply in zip(columns, views, found):
        own = owns[column.op]
        assert own is not None
        cells.append(_cell(own, reply, view))
    given = tuple(
        (f"{port.name}{_known(odd, place)}", tensor_text(array), elements_text(array))
        for place, (port, array) in enumerate(zip(base.inputs, odd.inputs))
    )
    attributes = ", ".join(f"{name}={text}" for name, text in odd.attributes.items())
    if odd.group == ELEMENT_TYPES and not any(cell.tone == "differs" for cell in cells):
        cells = [replace(cell, grid="") for cell in cells]
    anchor = re.sub(r"[^a-z0-9]+", "-", f"{odd.group} {odd.name}".lower()).strip("-")
    return RowView(odd.name, anchor, attributes, given, tuple(cells))


def _known(odd: Odd, place: int) -> str:
    """What is known of an input before the model runs, if that is not its shape alone."""
    return (
        ", a constant"
        if place in odd.constants
        else ", of unknown rank until it runs"
        if place in odd.unranked
        else ""
    )


def _cell(own: Reply, reply: Reply | None, column: ColumnView) -> CellView:
    if reply is None:
        return CellView("missing", "not installed", column.missing, "", (), column)
    found: Verdict = own_verdict(own) if column.own else verdict(own, reply)
    array = reply.array
    text = (
        elements_text(array)
        if array is not None
        else f"{reply.text}{' (when it runs)' if reply.loaded else ''}"
    )
    grid = grid_text(array) if array is not None and found.tone in NEWS else ""
    return CellView(found.tone, found.word, text, grid, reply.warnings, column)
