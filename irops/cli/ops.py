"""List the ops that irops knows.

example:
  irops ops --category movement
  irops ops --opset 8 --text reverse
  irops ops --undefined
"""
from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass

from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import CLEAN, Refusal
from irops.diagnostics.printable import plural
from irops.registry import Registry, default_registry
from irops.spec.definition import Definition
from irops.spec.opsets import OPSETS, OpVersion, opsets


@dataclass(frozen=True, slots=True)
class Entry:
    """An op of the list. opsets: those that hold this version; empty for an op that is not OpenVINO's."""

    op: str
    category: str
    opsets: tuple[str, ...]
    summary: str
    defined: bool = True


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--category", metavar="C", help="only ops of this category (movement, activation …)")
    parser.add_argument("--opset", metavar="N", help="only the versions that this opset of OpenVINO holds (8 or opset8)")
    parser.add_argument("--text", metavar="WORDS", help="only ops whose name, summary or description has all of these words")
    parser.add_argument("--undefined", action="store_true", help="the ops of OpenVINO that irops has no definition of")
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="names only")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    registry = registry_of(args) or default_registry()
    entries = _undefined(args, registry) if args.undefined else _defined(args, registry)
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


def _defined(args: argparse.Namespace, registry: Registry) -> list[Entry]:
    opset, words = _opset(args.opset), (args.text or "").lower().split()
    versions = {version.id: version for version in opsets().all()}
    entries = []
    for op in registry.ids():
        definition = registry.op(op).definition
        entry = _entry(definition, versions.get(op))
        text = f"{op} {definition.summary} {definition.description}".lower()
        if args.category in (None, entry.category) and (opset is None or opset in entry.opsets) and all(word in text for word in words):
            entries.append(entry)
    return entries


def _undefined(args: argparse.Namespace, registry: Registry) -> list[Entry]:
    opset, words, known = _opset(args.opset), (args.text or "").lower().split(), set(registry.ids())
    return [
        Entry(version.id, version.category, _held(version), "", defined=False)
        for version in opsets().all() if version.id not in known and args.category in (None, version.category)
        and (opset is None or opset in version.opsets) and all(word in version.id.lower() for word in words)
    ]


def _entry(definition: Definition, version: OpVersion | None) -> Entry:
    return Entry(definition.id, definition.category, _held(version) if version else (), definition.summary)


def _held(version: OpVersion) -> tuple[str, ...]:
    return tuple(opset for opset in OPSETS if opset in version.opsets)


def _opset(text: str | None) -> str | None:
    if text is None:
        return None
    name = text if text.startswith("opset") else f"opset{text}"
    if name not in OPSETS:
        raise Refusal(f"there is no {name}; there are {OPSETS[0]} to {OPSETS[-1]}")
    return name


def _show(entries: list[Entry]) -> None:
    from irops.cli.streams import show
    from irops.cli.tables import table
    out = table("", "op", "category", "opsets", "summary")
    out.title = None
    for entry in entries:
        held = [opset.removeprefix("opset") for opset in entry.opsets]
        out.add_row(entry.op, entry.category, held[0] if len(held) == 1 else f"{held[0]}-{held[-1]}" if held else "", entry.summary)
    out.caption = plural(len(entries), "op")
    show(out)
