"""Makes the parts of the index from the definitions and the rules."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

from irops.cli.extensions import registry_of
from irops.cli.op_texts import texts_of
from irops.diagnostics.rule import BANDS
from irops.diagnostics.rules import own_rules
from irops.dialects import Dialect, dialect_named, dialects
from irops.document.coverage import coverage
from irops.registry import Registry, default_registry
from irops.spec.definition import Definition
from irops.spec.op_names import normal, parted
from irops.spec.opsets import categories, opsets
from irops.spec.types import OPENVINO


def _dialects(registry: Registry) -> list[dict[str, Any]]:  # noqa: ARG001
    """Each dialect: its name, and its files: how their names end, and what they are."""
    return [
        {"name": one.name, "suffixes": list(one.suffixes), "file_help": one.file_help} for one in dialects()
    ]


def ops_of(registry: Registry) -> dict[str, Any]:
    """The content of a Catalogue."""
    return {
        "dialects": [_dialect(one, registry) for one in dialects()],
        "categories": list(categories()),
        "classes": opsets().classes,
        "listed": [version.id for version in opsets().all()],
        "keywords": {op: list(registry.op(op).definition.keywords) for op in registry.ids()},
    }


def _dialect(dialect: Dialect, registry: Registry) -> dict[str, Any]:
    ids = registry.ids(dialect.name)
    covered = None if dialect.name == OPENVINO else coverage(dialect)
    definitions = [registry.op(op).definition for op in ids]
    return {
        "name": dialect.name,
        "title": dialect.title,
        "opsets": list(dialect.opsets),
        "types": list(dialect.types()),
        "ids": list(ids),
        "versions": list(registry.versions(dialect.name)),
        "layers": _layers(dialect, ids) if dialect.base == OPENVINO else {},
        "coverage": "" if covered is None else str(covered),
        "entries": [
            [op, one.category, list(dialect.opsets_of(op)), one.summary] for op, one in zip(ids, definitions)
        ],
    }


def _layers(dialect: Dialect, ids: tuple[str, ...]) -> dict[str, str]:
    names = {op: parted(op)[1] for op in ids}
    versioned = {f"{name}-{dialect.layer_version(name, 0)}".lower(): op for op, name in names.items()}
    return versioned | {name.lower(): op for op, name in names.items()}


def _search(registry: Registry, dialect: str) -> dict[str, Any]:
    """What the ops of a dialect are searched by: texts in the order of their weight, and attributes."""
    definitions = {op: registry.op(op).definition for op in registry.ids(dialect)}
    return {
        op: {"texts": _searched_texts(one), "attributes": list(one.attributes)}
        for op, one in definitions.items()
    }


def _searched_texts(definition: Definition) -> list[str]:
    """What words are looked up in: names; attributes, inputs and outputs; the summary; the description."""
    ports = (port.name for port in (*definition.inputs, *definition.outputs))
    texts = (
        [definition.id, *definition.keywords],
        [*definition.attributes, *ports],
        [definition.summary],
        [definition.description],
    )
    return [normal(text) for text in texts]


def _rules(registry: Registry) -> dict[str, Any]:  # noqa: ARG001
    """The bands, and the rules of irops by code."""
    fields = ("code", "name", "severity", "summary", "explanation")
    rules = {one.code: {name: str(getattr(one, name)) for name in fields} for one in own_rules()}
    return {"bands": BANDS, "rules": rules}


def _listed(registry: Registry, dialect: str, opset: str) -> list[Any]:  # noqa: ARG001
    """The ops in a dialect's own list, defined or not. opset: one of its opsets, or empty"""
    return [[one.id, one.category, one.opsets] for one in dialect_named(dialect).listed(opset or None)]


def _op_texts(registry: Registry, op: str) -> dict[str, Any]:
    return texts_of(registry.definition(op))


PARTS: dict[str, Callable[..., Any]] = {
    "rules": _rules,
    "dialects": _dialects,
    "ops": ops_of,
    "listed": _listed,
    "search": _search,
    "op_texts": _op_texts,
}
"""By name, the functions that make them, from a registry and further arguments."""


def made(name: str, arguments: Sequence[str], args: argparse.Namespace | None) -> Any:
    """A part of the index. args: with the options of custom ops"""
    registry = None if args is None else registry_of(args)
    return PARTS[name](registry or default_registry(), *arguments)
