"""The pages of ops: their views, and comparisons of versions and dialects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from irops.conformance.odd_inputs.measure import WORDS, Verdict, irops_verdict, replies, verdict
from irops.conformance.odd_inputs.runtimes import RUNTIMES
from irops.conformance.odd_inputs.table import (
    COMPARISONS,
    ELEMENT_TYPES,
    TYPES,
    Column,
    Comparison,
    OddInput,
    Reply,
)
from irops.diagnostics.rules import all_rules
from irops.dialects import dialect_named, dialect_of_id, others
from irops.document.views import (
    CaseView,
    case_view,
    domain_text,
    elements_text,
    faculties,
    grid_text,
    op_view,
    port_text,
    release_of,
    tensor_text,
)
from irops.registry import Registry
from irops.spec.cases import counterexamples
from irops.spec.definition import Attribute, Definition, Note
from irops.spec.op import Op
from irops.spec.opsets import OPSETS, OpVersion, opsets
from irops.spec.releases import releases

# A table that compares definitions of the same op: one row per input, attribute or constraint.


@dataclass(frozen=True, slots=True)
class ComparisonCell:
    """A cell of the table. name: the name in this definition, if any; detail: additional text."""

    text: str
    name: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class DeclaredRow:
    """A row. cells: one per definition, None if it has no such item; is_prose: texts are sentences, whose
    wording is not compared.
    """

    what: str
    cells: tuple[ComparisonCell | None, ...]
    is_prose: bool = False

    @property
    def differs(self) -> bool:
        """Whether the definitions differ."""
        return (
            len(
                {
                    None if cell is None else ("" if self.is_prose else cell.text, cell.detail)
                    for cell in self.cells
                }
            )
            > 1
        )


def declared_rows(registry: Registry, definitions: Sequence[Definition]) -> tuple[DeclaredRow, ...]:
    """Rows for inputs, types, attributes, output, gradient and constraints of the definitions. All of them
    share the functions of the first one.
    """
    first_definition = definitions[0]
    rows = [
        DeclaredRow(f"input {index}", tuple(_input(d, index) for d in definitions))
        for index in range(len(first_definition.inputs))
    ]
    rows += [
        DeclaredRow(f"types of input {index}", tuple(_types(registry, d, index) for d in definitions))
        for index in range(len(first_definition.inputs))
    ]
    attribute_names = list(
        dict.fromkeys(
            attribute.stands_for or name for d in definitions for name, attribute in d.attributes.items()
        )
    )
    rows += [
        DeclaredRow("attribute", tuple(_attribute(d, name) for d in definitions)) for name in attribute_names
    ]
    rows.append(
        DeclaredRow(
            "output", tuple(ComparisonCell(d.outputs[0].text, d.outputs[0].name) for d in definitions)
        )
    )
    rows.append(DeclaredRow("gradient", tuple(_gradient(d) for d in definitions), is_prose=True))
    numbers = list(dict.fromkeys(number for d in definitions for number in d.constraints))
    rows += [
        DeclaredRow(number, tuple(_constraint(d, number) for d in definitions), is_prose=True)
        for number in numbers
    ]
    return tuple(rows)


def _input(definition: Definition, index: int) -> ComparisonCell:
    port = definition.inputs[index]
    return ComparisonCell(port_text(port) or "any rank", port.name)


def _types(registry: Registry, definition: Definition, index: int) -> ComparisonCell:
    """The element types of an input; as detail, those that later versions add."""
    allowed = definition.inputs[index].allowed
    later: dict[str, str] = {}
    for version in dialect_named(definition.dialect).versions(definition.file_id):
        for name in registry.op(version).definition.inputs[index].allowed - allowed:
            later.setdefault(name, version.rpartition("-")[2])
    detail = ", ".join(f"{name} from opset {opset} on" for name, opset in sorted(later.items()))
    return ComparisonCell(" ".join(kind.name for kind in TYPES if kind.name in allowed), detail=detail)


def _attribute(definition: Definition, name: str) -> ComparisonCell | None:
    attribute = next(
        (
            a
            for attribute_name, a in definition.attributes.items()
            if (a.stands_for or attribute_name) == name
        ),
        None,
    )
    if attribute is None:
        return None
    return ComparisonCell(
        f"{_default(attribute)}; {domain_text(attribute) or attribute.type}",
        attribute.label or attribute.name,
        _detail(attribute),
    )


def _default(attribute: Attribute) -> str:
    if attribute.default is not None:
        return f"default {attribute.default}"
    return "required" if attribute.required else "no default"


def _detail(attribute: Attribute) -> str:
    parts = []
    if attribute.switch:
        parts.append(f"enabled by {attribute.switch}")
    if attribute.builder:
        parts.append("of the builder, not an attribute of the node")
    if attribute.reader_default not in (None, attribute.default):
        parts.append(f"OpenVINO reads {attribute.reader_default} if it is missing")
    if attribute.reader_requires == "yes":
        parts.append("OpenVINO refuses a layer without it")
    elif attribute.reader_requires:
        parts.append(f"OpenVINO refuses a layer without it where {attribute.reader_requires}")
    return "; ".join(parts)


def _constraint(definition: Definition, number: str) -> ComparisonCell | None:
    constraint = definition.constraints.get(number)
    if constraint is None:
        return None
    details = [
        word
        for word, applies in (
            ("a warning", constraint.severity == "warning"),
            ("on values", constraint.when == "run"),
        )
        if applies
    ]
    return ComparisonCell(constraint.text, detail="; ".join(details))


def _gradient(definition: Definition) -> ComparisonCell | None:
    texts = [
        f"of {g.of}, saves {' '.join(g.saves) or 'nothing'}{f', with {g.when}' if g.when else ''}: {g.text}"
        for g in definition.gradients.values()
    ]
    return ComparisonCell(" ".join(texts)) if texts else None


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


# Pages.

# Where OpenVINO's specification, reader, inference and kernels differ, from the notes of definitions.

PARTS = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (r"specif", r"\bread", r"\binfer", r"\bkernel|plug-in|\bruns?\b|\bcomput")
)
"""The words by which notes name parts of OpenVINO: specification, reader, inference, and what computes."""


@dataclass(frozen=True, slots=True)
class ComparisonNote:
    """A note. subject: the constraint, attribute or port that it is about; proof: a counterexample of the
    constraint, and what irops reports.
    """

    definition: Definition
    subject: str
    text: str
    proof: CaseView | None


def differences(ops: Iterable[Op]) -> Iterator[ComparisonNote]:
    """The notes that say that parts of OpenVINO differ, in the order of the ops."""
    for op in ops:
        for note in op.definition.notes:
            if "OpenVINO" in note.text and sum(words.search(note.text) is not None for words in PARTS) >= 2:
                yield ComparisonNote(
                    op.definition, _subject(op.definition, note), note.text, _proof(op, note)
                )


def _subject(definition: Definition, note: Note) -> str:
    constraint = definition.constraints.get(note.of or "")
    return note.of or "the op" if constraint is None else f"{constraint.id}: {constraint.text}"


def _proof(op: Op, note: Note) -> CaseView | None:
    cases = (case for case in counterexamples(op.definition) if case.violates == note.of and case.net is None)
    first = next(cases, None) if note.of else None
    return None if first is None else case_view(op, first)


# Pages about all ops: what irops can do with each, and where OpenVINO differs.


def overview_pages(ops: Sequence[Op], page: Callable[..., str]) -> Iterator[tuple[str, str]]:
    """Relative path and text of each page. page: renders a template"""
    yield "ops/faculties.md", page("faculties", rows=[faculties(op) for op in ops])
    categories: dict[str, list[ComparisonNote]] = {}
    for difference in differences(ops):
        categories.setdefault(difference.definition.category, []).append(difference)
    categories = dict(sorted(categories.items()))
    total = sum(map(len, categories.values()))
    yield "differences/index.md", page("differences", categories=categories, total=total)
    for category, members in categories.items():
        groups = [(op, list(items)) for op, items in groupby(members, key=lambda item: item.definition.id)]
        yield f"differences/{category}.md", page("difference", category=category, groups=groups)


Page = tuple[str, str]


class OpPages:
    """The pages of the ops of a registry. page: renders a template; conformance: the page with results of
    backends, relative to the pages of ops, or ''.
    """

    def __init__(
        self,
        registry: Registry,
        page: Callable[..., str],
        *,
        with_runtimes: bool,
        custom_only: bool,
        conformance: str = "",
    ) -> None:
        self.registry, self.page, self.with_runtimes = registry, page, with_runtimes
        self.custom_only, self.links = custom_only, {"conformance": conformance}
        self.ids = tuple(registry.extensions()) if custom_only else registry.ids()
        self.definitions = [registry.op(op).definition for op in self.ids]
        self.others = {} if custom_only else {d.name: self._newest(d.name) for d in others()}

    @property
    def count(self) -> int:
        """The number of pages of ops, rules, opsets and comparisons."""
        own = len(self.ids) + sum(map(len, self.others.values()))
        return own if self.custom_only else own + len(all_rules()) + len(OPSETS) + len(COMPARISONS)

    def pages(self) -> Iterator[Page]:
        """Relative path and text of each page."""
        names = {dialect.name: dialect.title for dialect in others()}
        categories = self._categories()
        yield (
            "ops/index.md",
            self.page(
                "ops",
                title="Ops" if self.custom_only else "The ops of OpenVINO IR",
                definitions=self.definitions,
                categories=categories,
                others=self.others,
                names=names,
                custom_only=self.custom_only,
            ),
        )
        for category, members in categories.items():
            yield f"ops/{category}.md", self.page("category", title=category, members=members)
        for dialect, ops in self.others.items():
            members = [op.definition for op in ops]
            yield f"ops/{dialect}.md", self.page("category", title=names[dialect], members=members)
        for op in (*map(self.registry.op, self.ids), *(op for ops in self.others.values() for op in ops)):
            view, twin = op_view(self.registry, op), op.definition.same_as
            facts = {
                "names": names,
                "has_others": bool(self.others),
                "twin_page": twin and self.registry.op(twin).definition.page,
            }
            yield f"ops/{op.definition.page}.md", self.page("op", view=view, **facts, **self.links)
        if not self.custom_only:
            yield from overview_pages([self.registry.op(op) for op in self.ids], self.page)
            yield from self._comparisons()
            yield from self._opsets()

    def _newest(self, dialect: str) -> list[Op]:
        """The ops of another dialect; if a definition covers several versions, the newest one."""
        return [self.registry.op(self.registry.newest(op)) for op in self.registry.ids(dialect)]

    def _comparisons(self) -> Iterator[Page]:
        yield "comparisons/index.md", self.page("comparisons", comparisons=COMPARISONS)
        for comparison in COMPARISONS:
            view = comparison_view(self.registry, comparison, with_runtimes=self.with_runtimes)
            yield f"comparisons/{comparison.name}.md", self.page("comparison", view=view)

    def _opsets(self) -> Iterator[Page]:
        new = {opset: [v for v in opsets().all() if v.since == opset] for opset in OPSETS}
        since = releases().opsets
        table = [(opset, since.get(opset), new[opset]) for opset in OPSETS]
        yield "opsets/index.md", self.page("opsets", opsets=table, ids=self.ids)
        for opset in OPSETS:
            values: dict[str, Any] = {"since": since.get(opset), "new": new[opset], "ids": self.ids}
            yield (
                f"opsets/{opset}.md",
                self.page("opset", opset=opset, categories=_versions_in(opset), **values),
            )
        yield (
            "opsets/ops-by-release.md",
            self.page("by_release", releases=self._by_release(), oldest=releases().oldest),
        )

    def _by_release(self) -> list[tuple[str, list[str]]]:
        """The ids of op versions by the release that reads them first, the newest release first."""
        since = {d.id: release_of(d) for d in self.definitions}
        return [
            (name, ids)
            for name in reversed(releases().names)
            if (ids := [op for op, release in since.items() if release == name])
        ]

    def _categories(self) -> dict[str, list[Definition]]:
        by_category: dict[str, list[Definition]] = {}
        for definition in self.definitions:
            by_category.setdefault(definition.category, []).append(definition)
        return dict(sorted(by_category.items()))


def _versions_in(opset: str) -> dict[str, list[OpVersion]]:
    by_category: dict[str, list[OpVersion]] = {}
    for version in opsets().all():
        if opset in version.opsets:
            by_category.setdefault(version.category, []).append(version)
    return dict(sorted(by_category.items()))
