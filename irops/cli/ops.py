"""List the defined ops.

example:
  irops ops --category movement
  irops ops --opset 8 --text reverse
  irops ops --text "batch normalization"
  irops ops --text auto_pad
  irops ops --opset 17 --undefined
"""

import argparse
import sys
from collections.abc import Sequence
from typing import NamedTuple

from irops.cli.display import print_json, table
from irops.cli.main import Refusal
from irops.cli.models import normal, registry_of
from irops.cli.options import add_extensions, add_format, add_option, argument_errors
from irops.cli.parser import CLEAN, DEFINITION_ERRORS
from irops.cli.streams import show
from irops.diagnostics.printable import plural
from irops.diagnostics.suggestions import meant_or_all
from irops.dialects import Dialect, dialect_named, dialects
from irops.dialects.registry import Registry, default_registry
from irops.document.coverage import coverage
from irops.spec.definition import OPENVINO, Definition
from irops.spec.releases import categories

EXIT_1 = DEFINITION_ERRORS


class OpEntry(NamedTuple):
    """One row of a list of ops. opsets: those of its dialect that contain this version, or empty."""

    op: str
    category: str
    opsets: tuple[str, ...]
    summary: str
    defined: bool = True


def configure(parser: argparse.ArgumentParser) -> None:
    names = [dialect.name for dialect in dialects()]
    dialect = f"the dialect of the ops; default: {names[0]}, with custom ops of --definitions and plug-ins"
    add_option(parser, "--dialect", dialect, choices=names, default=names[0])
    add_option(parser, "--category C", "only ops of this category (movement, activation …)")
    add_option(parser, "--opset N", "only the op versions in this opset of the dialect (8 or opset8)")
    add_option(
        parser,
        "--text WORDS",
        "only ops whose name, usual names, attributes, summary or description contain all of these words,"
        " the best matches first",
    )
    add_option(parser, "--undefined", "list the ops of the dialect that irops does not define")
    add_format(parser)
    add_option(parser, "--quiet -q", "print only the names")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    registry, dialect = registry_of(args) or default_registry(), dialect_named(args.dialect)
    entries = _undefined(args, registry, dialect) if args.undefined else _defined(args, registry, dialect)
    if args.category is not None and not entries and args.category not in categories():
        raise Refusal(f"unknown category {args.category!r}; {meant_or_all(args.category, categories())}")
    if args.output_format == "json":
        print_json(1, {"ops": [entry._asdict() for entry in entries]})
    elif args.quiet:
        sys.stdout.write("".join(f"{entry.op}\n" for entry in entries))
    else:
        _show(entries, _covered(args, dialect))
    return CLEAN


def _defined(args: argparse.Namespace, registry: Registry, dialect: Dialect) -> list[OpEntry]:
    """An entry for each definition, which may hold several versions; the best matches of a search first."""
    opset, words = _opset(args.opset, dialect), tuple(normal([args.text or ""]).split())
    ranked: list[tuple[int, OpEntry]] = []
    for op in registry.ids(dialect.name):
        definition = registry.op(op).definition
        entry = OpEntry(op, definition.category, dialect.opsets_of(op), definition.summary)
        place = _rank(definition, words) if words else 0
        if (
            place is not None
            and args.category in (None, entry.category)
            and (opset is None or opset in entry.opsets)
        ):
            ranked.append((place, entry))
    return [entry for _, entry in sorted(ranked, key=lambda one: one[0])]


def _rank(definition: Definition, words: Sequence[str]) -> int | None:
    """The first text of a definition with which all words have occurred; None if a word is in none.

    The texts: names; attributes, inputs and outputs; the summary; the description.
    """
    ports = (port.name for port in (*definition.inputs, *definition.outputs))
    names, parts = [definition.id, *definition.keywords], [*definition.attributes, *ports]
    texts = (names, parts, [definition.summary], [definition.description])
    read = ""
    for place, text in enumerate(texts):
        read += normal(text)
        if all(word in read for word in words):
            return place
    return None


def _undefined(args: argparse.Namespace, registry: Registry, dialect: Dialect) -> list[OpEntry]:
    opset, words = _opset(args.opset, dialect, required=True), (args.text or "").lower().split()
    versions = registry.versions(dialect.name)
    return [
        OpEntry(version.id, version.category, version.opsets, "", defined=False)
        for version in dialect.listed(opset)
        if version.id not in versions
        and args.category in (None, version.category)
        and all(word in version.id.lower() for word in words)
    ]


def _opset(text: str | None, dialect: Dialect, *, required: bool = False) -> str | None:
    """The opset with a name. required: whether the dialect must have opsets even if none is named."""
    if not dialect.opsets and (required or text is not None):
        raise Refusal(f"{dialect.name} has no opsets; --opset and --undefined are not available")
    if text is None:
        return None
    with argument_errors():
        return dialect.opset(text)


def _covered(args: argparse.Namespace, dialect: Dialect) -> str:
    """How many types of another dialect are defined, where all of its ops are listed; else empty."""
    chosen = (args.category, args.opset, args.text)
    covered = None if args.undefined or any(chosen) or dialect.name == OPENVINO else coverage(dialect)
    return "" if covered is None else f"; {covered}; --undefined lists the others"


def _show(entries: list[OpEntry], covered: str = "") -> None:
    if not entries:
        print("0 ops")
        return
    out = table("", "op", "category", "opsets", "summary")
    for entry in entries:
        out.add_row(entry.op, entry.category, _range(entry.opsets), entry.summary)
    out.caption = plural(len(entries), "op") + covered
    show(out)


def _range(names: tuple[str, ...]) -> str:
    """The first and the last opset: 1-16."""
    numbers = [name.removeprefix("opset") for name in names]
    return "-".join(dict.fromkeys(numbers[:1] + numbers[-1:]))
