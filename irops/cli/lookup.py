"""The registry of a command, and ops by name, with suggestions for names that are those of no op."""

from __future__ import annotations

import argparse
import importlib
import re
from collections.abc import Iterable
from pathlib import Path

from irops.cli.main import Refusal
from irops.cli.options import has_extensions
from irops.diagnostics.rules import all_rules, closest_rules
from irops.dialects import Dialect, others
from irops.registry import Registry
from irops.spec.definition import Definition
from irops.spec.op_names import parted
from irops.spec.opsets import opsets
from irops.spec.types import OPENVINO

_PARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def registry_of(args: argparse.Namespace) -> Registry | None:
    """The default registry with the custom ops of the options; None without such options."""
    for folder in args.definitions:
        if not Path(folder).is_dir():
            raise Refusal(f"--definitions {folder}: no such folder")
    for name in args.modules:
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
            raise Refusal(f"--module {name}: no module of this name") from None
    return Registry(args.definitions, args.modules) if has_extensions(args) else None


def definition_of(name: str, registry: Registry, *, or_rule: bool = False) -> Definition:
    """The definition of an op, of an id in another case, or of the newest version of a type.

    or_rule: whether the name may be meant as that of a rule
    Raises:  Refusal if there is none, with suggestions
    """
    try:
        return registry.definition(name)
    except KeyError:
        raise Refusal(_unknown(name, registry, or_rule)) from None


def normal(names: Iterable[str]) -> str:
    """Names as one text to search in: each as it is, and split into its parts (reverse sequence)."""
    lower = [spelled for name in names for spelled in (name.lower(), _PARTS.sub(" ", name).lower())]
    return " ".join(re.sub("[-_ ]+", " ", name) for name in dict.fromkeys(lower)) + " "


def _unknown(name: str, registry: Registry, or_rule: bool) -> str:
    prefix = name.lower().partition(":")[0]
    dialect = next((one for one in others() if one.name == prefix), None)
    if dialect is not None:
        return _unknown_in(dialect, name, registry)
    listed = (version.id for version in opsets().all())
    versions_of_type = [
        one for one in listed if name.lower() in (one.lower(), one.rpartition("-")[0].lower())
    ]
    if versions_of_type:
        return f"irops does not define {versions_of_type[-1]} yet"
    what = f"unknown {'rule or op' if or_rule else 'op'} {name!r}"
    added = _op_of_layer(name, registry)
    if added is not None:
        return f"{what}; did you mean {added}?"
    rules = closest_rules(name, all_rules()) if or_rule else ()
    matches = [*_called(name, registry)[-2:][::-1], *rules, *registry.similar(name)]
    hint = f"did you mean {' or '.join(matches[:3])}?" if matches else "irops ops lists all ops"
    return f"{what}; {hint}"


def _unknown_in(dialect: Dialect, name: str, registry: Registry) -> str:
    """The sentence for a name with the prefix of a dialect."""
    wanted = parted(name)[1].lower()
    listed = next((op for op in dialect.types() if op.lower() == wanted), None)
    if listed is not None and not any(parted(op)[1] == listed for op in dialect.ids()):
        return f"irops does not define {dialect.title}'s {listed} yet"
    matches = registry.similar(name)
    hint = (
        f"did you mean {' or '.join(matches)}?"
        if matches
        else f"irops ops --dialect {dialect.name} lists all ops"
    )
    return f"unknown op {name!r}; {hint}"


def _op_of_layer(name: str, registry: Registry) -> str | None:
    """The op that a dialect adds to OpenVINO's models, by the type of its layers or that with its version."""
    for dialect in others():
        for op in registry.ids(dialect.name) if dialect.base == OPENVINO else ():
            type_ = parted(op)[1]
            if name.lower() in (type_.lower(), f"{type_}-{dialect.layer_version(type_, 0)}".lower()):
                return op
    return None


def _called(name: str, registry: Registry) -> list[str]:
    """The ids of ops that have a name as a keyword: those that LeakyRelu or conv2d may mean."""
    wanted = normal([name]).split()
    return [
        op
        for op in registry.ids()
        if any(
            wanted == normal([word.rpartition(".")[2]]).split()
            for word in registry.op(op).definition.keywords
        )
    ]
