"""List the defined ops.

example:
  irops ops --category movement
  irops ops --opset 8 --text reverse
  irops ops --text "batch normalization"
  irops ops --attribute auto_pad
  irops ops --opset 17 --undefined
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass

from irops.cli.exit_codes import CLEAN
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import Refusal
from irops.cli.op_search import rank, with_attribute, words_of
from irops.cli.streams import show
from irops.cli.tables import table
from irops.diagnostics.printable import plural
from irops.diagnostics.suggestions import meant_or_all
from irops.dialects import Dialect, dialect_named, dialects
from irops.document.coverage import coverage
from irops.registry import Registry, default_registry
from irops.spec.opsets import categories
from irops.spec.types import OPENVINO


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the list. opsets: those of its dialect that contain this version, or empty."""

    op: str
    category: str
    opsets: tuple[str, ...]
    summary: str
    defined: bool = True


def configure(parser: argparse.ArgumentParser) -> None:
    native = dialects()[0]
    parser.add_argument(
        "--dialect",
        choices=tuple(dialect.name for dialect in dialects()),
        default=native.name,
        help=f"the dialect of the ops; default: {native.name}, with custom ops of --definitions and plug-ins",
    )
    parser.add_argument("--category", metavar="C", help="only ops of this category (movement, activation …)")
    parser.add_argument(
        "--opset", metavar="N", help="only the op versions in this opset of the dialect (8 or opset8)"
    )
    parser.add_argument(
        "--text",
        metavar="WORDS",
        help=(
            "only ops whose name, usual names, attributes, summary or description contain all of these words,"
            " the best matches first"
        ),
    )
    parser.add_argument(
        "--attribute", metavar="NAME", help="only ops that have this attribute (keep_dims, auto_pad)"
    )
    parser.add_argument(
        "--undefined", action="store_true", help="list the ops of the dialect that irops does not define"
    )
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="print only the names")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    registry, dialect = registry_of(args) or default_registry(), dialect_named(args.dialect)
    entries = _undefined(args, registry, dialect) if args.undefined else _defined(args, registry, dialect)
    if args.category is not None and not entries and args.category not in categories():
        raise Refusal(f"unknown category {args.category!r}; {meant_or_all(args.category, categories())}")
    if args.output_format == "json":
        json.dump({"version": 1, "ops": [asdict(entry) for entry in entries]}, sys.stdout, indent=2)
        print()
    elif args.quiet:
        sys.stdout.write("".join(f"{entry.op}\n" for entry in entries))
    else:
        _show(entries, _covered(args, dialect))
    return CLEAN


def _defined(args: argparse.Namespace, registry: Registry, dialect: Dialect) -> list[Entry]:
    """An entry for each definition, which may hold several versions."""
    opset, words = _opset(args.opset, dialect), words_of(args.text or "")
    ranked: list[tuple[int, Entry]] = []
    for op in registry.ids(dialect.name):
        definition = registry.op(op).definition
        entry = Entry(op, definition.category, dialect.opsets_of(op), definition.summary)
        place = rank(definition, words)
        if (
            place is not None
            and args.category in (None, entry.category)
            and (opset is None or opset in entry.opsets)
            and (args.attribute is None or with_attribute(definition, args.attribute))
        ):
            ranked.append((place, entry))
    return [entry for _, entry in sorted(ranked, key=lambda found: found[0])]


def _undefined(args: argparse.Namespace, registry: Registry, dialect: Dialect) -> list[Entry]:
    if not dialect.opsets:
        raise Refusal(f"{dialect.name} has no opsets; --opset and --undefined are not available")
    opset, words = _opset(args.opset, dialect), (args.text or "").lower().split()
    defined_ids = set(registry.versions(dialect.name))
    return [
        Entry(listed.id, listed.category, listed.opsets, "", defined=False)
        for listed in dialect.listed(opset)
        if listed.id not in defined_ids
        and args.category in (None, listed.category)
        and all(word in listed.id.lower() for word in words)
    ]


def _opset(text: str | None, dialect: Dialect) -> str | None:
    """The opset with a name."""
    if text is None:
        return None
    if not dialect.opsets:
        raise Refusal(f"{dialect.name} has no opsets; --opset and --undefined are not available")
    try:
        return dialect.opset(text)
    except ValueError as error:
        raise Refusal(str(error)) from None


def _covered(args: argparse.Namespace, dialect: Dialect) -> str:
    """How many types of another dialect are defined, where all of its ops are listed; else empty."""
    chosen = (args.category, args.opset, args.text, args.attribute)
    found = None if args.undefined or any(chosen) or dialect.name == OPENVINO else coverage(dialect)
    return "" if found is None else f"; {found}; --undefined lists the others"


def _show(entries: list[Entry], covered: str = "") -> None:
    if not entries:
        print("0 ops")
        return
    out = table("", "op", "category", "opsets", "summary")
    out.title = None
    for entry in entries:
        out.add_row(entry.op, entry.category, _range(entry.opsets), entry.summary)
    out.caption = plural(len(entries), "op") + covered
    show(out)


def _range(names: tuple[str, ...]) -> str:
    """The first and the last opset: 1-16."""
    numbers = [name.removeprefix("opset") for name in names]
    return "-".join(dict.fromkeys(numbers[:1] + numbers[-1:]))
