"""List the ops that irops knows.

example:
  irops ops --category movement
  irops ops --opset 8 --text reverse
  irops ops --opset 17 --undefined
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass

from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import CLEAN, Refusal
from irops.diagnostics.printable import plural
from irops.dialects import Dialect, dialect_named, dialects
from irops.registry import Registry, default_registry
from irops.spec.opsets import opsets


@dataclass(frozen=True, slots=True)
class Entry:
    """An op of the list. opsets: of its dialect, those that hold this version; empty where there are none."""

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
        help=f"whose ops; default: {native.name}, with those that --definitions and plug-ins bring",
    )
    parser.add_argument("--category", metavar="C", help="only ops of this category (movement, activation …)")
    parser.add_argument(
        "--opset", metavar="N", help="only the versions that this opset of the dialect holds (8 or opset8)"
    )
    parser.add_argument(
        "--text", metavar="WORDS", help="only ops whose name, summary or description has all of these words"
    )
    parser.add_argument(
        "--undefined", action="store_true", help="the ops of the dialect that irops has no definition of"
    )
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="names only")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    registry, dialect = registry_of(args) or default_registry(), dialect_named(args.dialect)
    entries = _undefined(args, registry, dialect) if args.undefined else _defined(args, registry, dialect)
    if args.category is not None and not entries:
        known = sorted({version.category for version in opsets().all()})
        if args.category not in known:
            raise Refusal(f"there is no category {args.category!r}; there are {', '.join(known)}")
    if args.output_format == "json":
        json.dump({"version": 1, "ops": [asdict(entry) for entry in entries]}, sys.stdout, indent=2)
        print()
    elif args.quiet:
        sys.stdout.write("".join(f"{entry.op}\n" for entry in entries))
    else:
        _show(entries)
    return CLEAN


def _defined(args: argparse.Namespace, registry: Registry, dialect: Dialect) -> list[Entry]:
    """An entry for each definition, which may hold several versions."""
    opset, words = _opset(args.opset, dialect), (args.text or "").lower().split()
    entries = []
    for op in registry.ids(dialect.name):
        definition = registry.op(op).definition
        entry = Entry(op, definition.category, dialect.opsets_of(op), definition.summary)
        text = f"{op} {definition.summary} {definition.description}".lower()
        if (
            args.category in (None, entry.category)
            and (opset is None or opset in entry.opsets)
            and all(word in text for word in words)
        ):
            entries.append(entry)
    return entries


def _undefined(args: argparse.Namespace, registry: Registry, dialect: Dialect) -> list[Entry]:
    if not dialect.opsets:
        raise Refusal(f"{dialect.name} has no opsets, and no list of all its ops")
    opset, words = _opset(args.opset, dialect), (args.text or "").lower().split()
    known = set(registry.versions(dialect.name))
    return [
        Entry(listed.id, listed.category, listed.opsets, "", defined=False)
        for listed in dialect.listed(opset)
        if listed.id not in known
        and args.category in (None, listed.category)
        and all(word in listed.id.lower() for word in words)
    ]


def _opset(text: str | None, dialect: Dialect) -> str | None:
    """The opset that a person names."""
    if text is None:
        return None
    if not dialect.opsets:
        raise Refusal(f"{dialect.name} has no opsets, and no list of all its ops")
    try:
        return dialect.opset(text)
    except ValueError as error:
        raise Refusal(str(error)) from None


def _show(entries: list[Entry]) -> None:
    if not entries:
        print("0 ops")
        return
    from irops.cli.streams import show
    from irops.cli.tables import table

    out = table("", "op", "category", "opsets", "summary")
    out.title = None
    for entry in entries:
        held = [opset.removeprefix("opset") for opset in entry.opsets]
        out.add_row(
            entry.op,
            entry.category,
            held[0] if len(held) == 1 else f"{held[0]}-{held[-1]}" if held else "",
            entry.summary,
        )
    out.caption = plural(len(entries), "op")
    show(out)
