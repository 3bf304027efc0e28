"""The detail of a cell, read from its JSON: every text shortened, and nothing trusted."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from irops.surveys.report.elements import plain

MAX_FINDINGS = 200
"""How many findings of a cell are kept; the others are counted."""
MAX_OPS = 2000
"""How many ops of a model are kept."""
MAX_LAYER = 200
"""The greatest number of characters of the name of a layer."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding. excerpt: what its line has before the column and from it on; empty where there is none."""

    code: str
    name: str
    severity: str
    message: str
    line: int | None
    column: int | None
    layer: str
    op: str
    excerpt: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Detail:
    """findings: the first ones; counts: of all findings by code; ops: layers of the model by op version;
    first: the first wrong layer of a comparison; others: what else is in the detail.
    """

    findings: tuple[Finding, ...] = ()
    counts: tuple[tuple[str, int], ...] = ()
    ops: tuple[tuple[str, int], ...] = ()
    message: str = ""
    first: tuple[tuple[str, str], ...] = ()
    others: tuple[tuple[str, str], ...] = ()

    @property
    def total(self) -> int:
        """The number of findings, those that are not kept included."""
        return max(len(self.findings), sum(count for _, count in self.counts))

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of all findings, sorted."""
        return tuple(sorted({code for code, _ in self.counts} | {f.code for f in self.findings if f.code}))


def read_detail(stored: str) -> Detail:
    """The detail that a row stores. What is not as irops writes it becomes a message."""
    try:
        content = json.loads(stored) if stored else {}
    except (ValueError, RecursionError):
        return Detail(message="the detail of this row is not valid JSON")
    if not isinstance(content, dict):
        return Detail(message=plain(stored))
    parts = ("findings", "counts", "ops", "message", "first")
    stored_findings = content.get("findings")
    findings = stored_findings[:MAX_FINDINGS] if isinstance(stored_findings, list) else []
    return Detail(
        tuple(_finding(one) for one in findings if isinstance(one, dict)),
        _numbers(content.get("counts")),
        _numbers(content.get("ops")),
        plain(content.get("message") or ""),
        _texts(content.get("first")),
        _texts({key: value for key, value in content.items() if key not in parts}),
    )


def _finding(stored: Mapping[str, Any]) -> Finding:
    excerpt = stored.get("excerpt")
    pieces = excerpt if isinstance(excerpt, list) and len(excerpt) == 2 else ("", "")
    return Finding(
        plain(stored.get("code") or "", 40),
        plain(stored.get("name") or "", 80),
        plain(stored.get("severity") or "", 20),
        plain(stored.get("message") or ""),
        _count(stored.get("line")),
        _count(stored.get("column")),
        plain(layer_text(stored.get("layer")), MAX_LAYER),
        plain(stored.get("op") or "", 80),
        (plain(pieces[0], 400), plain(pieces[1], 400)),
    )


def layer_text(layer: object) -> str:
    """A layer as text, whether its name is stored alone or with its id and path."""
    if isinstance(layer, Mapping):
        path = layer.get("path")
        name = layer.get("name") or f"layer {layer.get('id')}"
        return "/".join(map(str, (*(path if isinstance(path, list) else ()), name)))
    return "" if layer is None else str(layer)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _numbers(stored: object) -> tuple[tuple[str, int], ...]:
    pairs = stored.items() if isinstance(stored, Mapping) else ()
    counts = ((plain(key, 80), _count(value)) for key, value in sorted(pairs)[:MAX_OPS])
    return tuple((key, count) for key, count in counts if count is not None)


def _texts(stored: object) -> tuple[tuple[str, str], ...]:
    """The entries of an object as texts; those without a value are left out."""
    if not isinstance(stored, Mapping):
        return (("", plain(stored)),) if stored else ()
    entries = ((plain(key, 80), value) for key, value in sorted(stored.items()))
    return tuple((key, _value_text(value)) for key, value in entries if value not in (None, "", [], {}))


def _value_text(value: object) -> str:
    return plain(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True))
