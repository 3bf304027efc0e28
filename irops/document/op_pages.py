"""The pages of ops: one for each, and those that list them by category, opset, release and dialect."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from irops.diagnostics.rules import all_rules
from irops.dialects import others
from irops.document.availability import release_of
from irops.document.case_views import CaseView, case_view
from irops.document.declared import COMPARED, declared_rows
from irops.document.faculties import faculties
from irops.document.views import op_view
from irops.registry import Registry
from irops.spec.cases import counterexamples
from irops.spec.definition import Definition, Note
from irops.spec.op import Op
from irops.spec.opsets import OPSETS, OpVersion, opsets
from irops.spec.releases import releases

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
        custom_only: bool,
        conformance: str = "",
    ) -> None:
        self.registry, self.page = registry, page
        self.custom_only, self.links = custom_only, {"conformance": conformance}
        self.ids = tuple(registry.extensions()) if custom_only else registry.ids()
        self.definitions = [registry.op(op).definition for op in self.ids]
        self.others = {} if custom_only else {d.name: self._newest(d.name) for d in others()}

    @property
    def count(self) -> int:
        """The number of pages of ops, rules and opsets, and of the one that compares dialects."""
        own = len(self.ids) + sum(map(len, self.others.values()))
        return own if self.custom_only else own + len(all_rules()) + len(OPSETS) + 1

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
            view = op_view(self.registry, op)
            yield (
                f"ops/{op.definition.page}.md",
                self.page("op", view=view, names=names, has_others=bool(self.others), **self.links),
            )
        if not self.custom_only:
            yield from overview_pages([self.registry.op(op) for op in self.ids], self.page)
            yield self._comparison()
            yield from self._opsets()

    def _newest(self, dialect: str) -> list[Op]:
        """The ops of another dialect; if a definition covers several versions, the newest one."""
        return [self.registry.op(self.registry.newest(op)) for op in self.registry.ids(dialect)]

    def _comparison(self) -> Page:
        definitions = [self.registry.op(op).definition for op in COMPARED]
        declared = declared_rows(self.registry, definitions)
        text = self.page("comparison", definitions=definitions, declared=declared)
        return "comparisons/ReverseSequence.md", text

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


# Pages about all ops: what irops can do with each, and where OpenVINO differs.


def overview_pages(ops: Sequence[Op], page: Callable[..., str]) -> Iterator[tuple[str, str]]:
    """Relative path and text of each page. page: renders a template"""
    yield "ops/faculties.md", page("faculties", rows=[faculties(op) for op in ops])
    categories: dict[str, list[Difference]] = {}
    for difference in differences(ops):
        categories.setdefault(difference.definition.category, []).append(difference)
    categories = dict(sorted(categories.items()))
    total = sum(map(len, categories.values()))
    yield "differences/index.md", page("differences", categories=categories, total=total)
    for category, members in categories.items():
        groups = [(op, list(items)) for op, items in groupby(members, key=lambda item: item.definition.id)]
        yield f"differences/{category}.md", page("difference", category=category, groups=groups)


# Where OpenVINO's specification, reader, inference and kernels differ, from the notes of definitions.

PARTS = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (r"specif", r"\bread", r"\binfer", r"\bkernel|plug-in|\bruns?\b|\bcomput")
)
"""The words by which notes name parts of OpenVINO: specification, reader, inference, and what computes."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A note. subject: the constraint, attribute or port that it is about; proof: a counterexample of the
    constraint, and what irops reports.
    """

    definition: Definition
    subject: str
    text: str
    proof: CaseView | None


def differences(ops: Iterable[Op]) -> Iterator[Difference]:
    """The notes that say that parts of OpenVINO differ, in the order of the ops."""
    for op in ops:
        for note in op.definition.notes:
            if "OpenVINO" in note.text and sum(words.search(note.text) is not None for words in PARTS) >= 2:
                yield Difference(op.definition, _subject(op.definition, note), note.text, _proof(op, note))


def _subject(definition: Definition, note: Note) -> str:
    constraint = definition.constraints.get(note.of or "")
    return note.of or "the op" if constraint is None else f"{constraint.id}: {constraint.text}"


def _proof(op: Op, note: Note) -> CaseView | None:
    cases = (case for case in counterexamples(op.definition) if case.violates == note.of and case.net is None)
    first = next(cases, None) if note.of else None
    return None if first is None else case_view(op, first)
