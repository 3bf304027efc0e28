"""List the ops that irops knows.

example:
  irops ops --category movement
  irops ops --opset 8 --text reverse
  irops ops --dialect onnx --opset 17
  irops ops --dialect onnx --undefined
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
from irops.spec.dialects import DIALECTS, dialect_files
from irops.spec.onnx_opsets import ONNX, onnx_opsets
from irops.spec.opsets import OPSETS, OpVersion, opsets
from irops.spec.types import OPENVINO


@dataclass(frozen=True, slots=True)
class Entry:
    """An op of the list. opsets: of its dialect, those that hold this version; empty where there are none."""

    op: str
    category: str
    opsets: tuple[str, ...]
    summary: str
    defined: bool = True


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dialect",
        choices=(OPENVINO, *DIALECTS),
        default=OPENVINO,
        help="whose ops; default: openvino, with those that --definitions and plug-ins bring",
    )
    parser.add_argument("--category", metavar="C", help="only ops of this category (movement, activation …)")
    parser.add_argument(
        "--opset",
        metavar="N",
        help="only the versions that this opset of OpenVINO holds (8 or opset8), or of ONNX",
    )
    parser.add_argument(
        "--text", metavar="WORDS", help="only ops whose name, summary or description has all of these words"
    )
    parser.add_argument(
        "--undefined",
        action="store_true",
        help="the ops of OpenVINO, or of ONNX, that irops has no definition of",
    )
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="names only")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    registry = registry_of(args) or default_registry()
    if args.dialect == OPENVINO:
        entries = _undefined(args, registry) if args.undefined else _defined(args, registry)
    else:
        entries = _foreign(args, registry)
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
        if (
            args.category in (None, entry.category)
            and (opset is None or opset in entry.opsets)
            and all(word in text for word in words)
        ):
            entries.append(entry)
    return entries


def _undefined(args: argparse.Namespace, registry: Registry) -> list[Entry]:
    opset, words, known = _opset(args.opset), (args.text or "").lower().split(), set(registry.ids())
    return [
        Entry(version.id, version.category, _held(version), "", defined=False)
        for version in opsets().all()
        if version.id not in known
        and args.category in (None, version.category)
        and (opset is None or opset in version.opsets)
        and all(word in version.id.lower() for word in words)
    ]


def _foreign(args: argparse.Namespace, registry: Registry) -> list[Entry]:
    """The ops of another dialect: an entry for each definition, which may hold several versions."""
    if args.dialect != ONNX and (args.undefined or args.opset is not None):
        raise Refusal(f"{args.dialect} has no opsets, and no list of all its ops")
    opset, words = _onnx_opset(args.opset), (args.text or "").lower().split()
    entries = (
        _undefined_of_onnx(opset)
        if args.undefined
        else [_held_entry(registry, op) for op in registry.ids(args.dialect)]
    )
    return [
        entry
        for entry in entries
        if args.category in (None, entry.category)
        and (opset is None or str(opset) in entry.opsets)
        and all(word in f"{entry.op} {entry.summary}".lower() for word in words)
    ]


def _held_entry(registry: Registry, op: str) -> Entry:
    definition, files = registry.op(op).definition, dialect_files()
    held = files.versions(op) if definition.dialect == ONNX else ()
    opsets_of = tuple(
        str(n)
        for n in range(1, onnx_opsets().last + 1)
        if held and files.named(ONNX, definition.type, n) in held
    )
    return Entry(op, definition.category, opsets_of, definition.summary)


def _undefined_of_onnx(opset: int | None) -> list[Entry]:
    """The ops that an opset of ONNX has and irops does not define; of the newest, if none is said."""
    table, files = onnx_opsets(), dialect_files()
    wanted = opset or table.last
    versions = {name: table.version(name, wanted) for name in table.since}
    return [
        Entry(f"{ONNX}:{name}-{number}", "", (str(wanted),), "", defined=False)
        for name, number in versions.items()
        if number is not None and files.named(ONNX, name, wanted) is None
    ]


def _onnx_opset(text: str | None) -> int | None:
    if text is None:
        return None
    number = text.removeprefix("opset")
    if not number.isdecimal() or not 1 <= int(number) <= onnx_opsets().last:
        raise Refusal(f"ONNX has no opset {text!r}; there are 1 to {onnx_opsets().last}")
    return int(number)


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
