"""The contents of a page that compares dialects: plain values without markup."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby

from irops.conformance.odd_inputs.measure import replies
from irops.conformance.odd_inputs.odd_input import ELEMENT_TYPES, OddInput, Reply
from irops.conformance.odd_inputs.runtimes import RUNTIMES
from irops.conformance.odd_inputs.table import Column, Comparison
from irops.conformance.odd_inputs.verdict import WORDS, Verdict, irops_verdict, verdict
from irops.dialects import dialect_of_id
from irops.document.declared import DeclaredRow, declared_rows
from irops.document.elements import elements_text, grid_text, tensor_text
from irops.registry import Registry
from irops.spec.definition import Definition

SAMPLE_WORDS = {
    "same": "the same",
    "accepts": "accepts it",
    "refuses": "refuses",
    "differs": "differs",
    "incomparable": "not representable",
}
"""An example of each tone, for the legend."""
TONES_WITH_ELEMENTS = ("computes", "warns", "accepts", "differs")
"""The tones of cells that show elements: results of irops, and results of runtimes that differ from them."""


@dataclass(frozen=True, slots=True)
class ColumnView:
    """A column. dialect: that of its op; version: that of the runtime; missing: why it is empty, or ''."""

    dialect: str
    label: str
    version: str
    missing: str
    is_irops: bool

    @property
    def full_name(self) -> str:
        """The name for tables without a heading for the dialect."""
        return f"irops, {self.dialect}" if self.is_irops else self.label


@dataclass(frozen=True, slots=True)
class CellView:
    """The result of an unusual input in a column.

    text: the elements or the message; grid: the elements if the table shows them; warnings: those of irops.
    """

    tone: str
    word: str
    text: str
    grid: str
    warnings: tuple[str, ...]
    column: ColumnView


@dataclass(frozen=True, slots=True)
class RowView:
    """A row for one unusual input. differs: whether some runtime differs from irops."""

    name: str
    anchor: str
    attributes: str
    inputs: tuple[tuple[str, str, str], ...]
    cells: tuple[CellView, ...]

    @property
    def differs(self) -> bool:
        return any(cell.tone in ("accepts", "refuses", "differs") for cell in self.cells)


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """The contents of a page. spans: the dialects in the table header, with their numbers of columns."""

    name: str
    title: str
    text: str
    definitions: tuple[Definition, ...]
    declared: tuple[DeclaredRow, ...]
    columns: tuple[ColumnView, ...]
    spans: tuple[tuple[str, int], ...]
    groups: tuple[tuple[str, tuple[RowView, ...]], ...]
    tones: tuple[tuple[str, str], ...]
    samples: dict[str, str]
    with_runtimes: bool


def comparison_view(registry: Registry, comparison: Comparison, *, with_runtimes: bool) -> ComparisonView:
    """The view of a comparison. with_runtimes: run the installed runtimes; otherwise omit their columns."""
    shown_columns = [column for column in comparison.columns if with_runtimes or not column.runtime]
    columns = tuple(_column(column) for column in shown_columns)
    all_replies = [replies(comparison, column) for column in shown_columns]
    rows = {
        odd: _row(
            registry, comparison, odd, shown_columns, columns, [by_odd.get(odd) for by_odd in all_replies]
        )
        for odd in comparison.odd
    }
    definitions = tuple(registry.op(op).definition for op in comparison.ops)
    return ComparisonView(
        comparison.name,
        comparison.title,
        comparison.text,
        definitions,
        declared_rows(registry, definitions),
        columns,
        tuple((dialect, len(list(run))) for dialect, run in groupby(column.dialect for column in columns)),
        tuple((group, tuple(rows[odd] for odd in odds)) for group, odds in _grouped(comparison)),
        tuple(WORDS.items()),
        SAMPLE_WORDS,
        with_runtimes,
    )


def _grouped(comparison: Comparison) -> list[tuple[str, list[OddInput]]]:
    return [(group, list(odds)) for group, odds in groupby(comparison.odd, key=lambda odd: odd.group)]


def _column(column: Column) -> ColumnView:
    dialect = "similar functions" if column.similar_function else dialect_of_id(column.op).title
    if not column.runtime:
        return ColumnView(dialect, "irops", "", "", is_irops=True)
    runtime = RUNTIMES[column.runtime]
    return ColumnView(dialect, runtime.label, runtime.version, runtime.missing or "", is_irops=False)


def _row(
    registry: Registry,
    comparison: Comparison,
    odd: OddInput,
    columns: list[Column],
    views: tuple[ColumnView, ...],
    row_replies: list[Reply | None],
) -> RowView:
    base = registry.op(comparison.ops[0]).definition
    irops_replies = {column.op: reply for column, reply in zip(columns, row_replies) if not column.runtime}
    cells = []
    for column, view, reply in zip(columns, views, row_replies):
        irops_reply = irops_replies[column.op]
        assert irops_reply is not None
        cells.append(_cell(irops_reply, reply, view))
    inputs = tuple(
        (f"{port.name}{_static_knowledge(odd, index)}", tensor_text(array), elements_text(array))
        for index, (port, array) in enumerate(zip(base.inputs, odd.inputs))
    )
    attributes = ", ".join(f"{name}={text}" for name, text in odd.attributes.items())
    if odd.group == ELEMENT_TYPES and not any(cell.tone == "differs" for cell in cells):
        cells = [replace(cell, grid="") for cell in cells]
    anchor = re.sub(r"[^a-z0-9]+", "-", f"{odd.group} {odd.name}".lower()).strip("-")
    return RowView(odd.name, anchor, attributes, inputs, tuple(cells))


def _static_knowledge(odd: OddInput, index: int) -> str:
    """What is known about an input before the model runs, unless it is the shape."""
    if index in odd.constants:
        return ", a constant"
    return ", of unknown rank until it runs" if index in odd.unranked else ""


def _cell(irops_reply: Reply, reply: Reply | None, column: ColumnView) -> CellView:
    if reply is None:
        return CellView("missing", "not installed", column.missing, "", (), column)
    judged: Verdict = irops_verdict(irops_reply) if column.is_irops else verdict(irops_reply, reply)
    array = reply.array
    text = (
        elements_text(array)
        if array is not None
        else f"{reply.text}{' (when it runs)' if reply.loaded else ''}"
    )
    grid = grid_text(array) if array is not None and judged.tone in TONES_WITH_ELEMENTS else ""
    return CellView(judged.tone, judged.word, text, grid, reply.warnings, column)
