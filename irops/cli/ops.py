"""List the defined ops.

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
    """One row of the list. opsets: those of its dialect that contain this version, or empty."""

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
        help="the dialect of the ops; default: openvino, with custom ops of --definitions and plug-ins",
    )
    parser.add_argument("--category", metavar="C", help="only ops of this category (movement, activation …)")
    parser.add_argument(
        "--opset",
        metavar="N",
        help="only the op versions in this opset of the dialect (8 or opset8)",
    )
    parser.add_argument(
        "--text",
        metavar="WORDS",
        help="only ops whose name, summary or description contains all of these words",
    )
    parser.add_argument(
        "--undefined",
        action="store_true",
        help="list the ops of OpenVINO or ONNX that irops does not define",
    )
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="print only the names")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    registry = registry_of(args) or default_registry()
    if args.dialect == OPENVINO:
        entries = _undefined(args, registry) if args.undefined else _defined(args, registry)
    else:
        entries = _foreign(args, registry)
    if args.category is not None and not entries:
        categories = sorted({version.category for version in opsets().all()})
        if args.category not in categories:
            raise Refusal(f"unknown category {args.category!r}; expected one of {', '.join(categories)}")
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
    opset, words, categories = _opset(args.opset), (args.text or "").lower().split(), set(registry.ids())
    return [
        Entry(version.id, version.category, _opsets_with(version), "", defined=False)
        for version in opsets().all()
        if version.id not in categories
        and args.category in (None, version.category)
        and (opset is None or opset in version.opsets)
        and all(word in version.id.lower() for word in words)
    ]


def _foreign(args: argparse.Namespace, registry: Registry) -> list[Entry]:
    """The ops of another dialect: one entry per definition, which may cover several versions."""
    if args.dialect != ONNX and (args.undefined or args.opset is not None):
        raise Refusal(f"{args.dialect} has no opsets; --opset and --undefined are not available")
    opset, words = _onnx_opset(args.opset), (args.text or "").lower().split()
    entries = (
        _undefined_of_onnx(opset)
        if args.undefined
        else [_foreign_entry(registry, op) for op in registry.ids(args.dialect)]
    )
    return [
        entry
        for entry in entries
        if args.category in (None, entry.category)
        and (opset is None or str(opset) in entry.opsets)
        and all(word in f"{entry.op} {entry.summary}".lower() for word in words)
    ]


def _foreign_entry(registry: Registry, op: str) -> Entry:
    definition, files = registry.op(op).definition, dialect_files()
    op_versions = files.versions(op) if definition.dialect == ONNX else ()
    opsets_of = tuple(
        str(n)
        for n in range(1, onnx_opsets().last + 1)
        if op_versions and files.named(ONNX, definition.type, n) in op_versions
    )
    return Entry(op, definition.category, opsets_of, definition.summary)


def _undefined_of_onnx(opset: int | None) -> list[Entry]:
    """The ops of an ONNX opset, the newest by default, that irops does not define."""
    table, files = onnx_opsets(), dialect_files()
    opset_number = opset or table.last
    versions = {name: table.version(name, opset_number) for name in table.since}
    return [
        Entry(f"{ONNX}:{name}-{number}", "", (str(opset_number),), "", defined=False)
        for name, number in versions.items()
        if number is not None and files.named(ONNX, name, opset_number) is None
    ]


def _onnx_opset(text: str | None) -> int | None:
    if text is None:
        return None
    number = text.removeprefix("opset")
    if not number.isdecimal() or not 1 <= int(number) <= onnx_opsets().last:
        raise Refusal(f"unknown ONNX opset {text!r}; expected 1 to {onnx_opsets().last}")
    return int(number)


def _entry(definition: Definition, version: OpVersion | None) -> Entry:
    return Entry(
        definition.id, definition.category, _opsets_with(version) if version else (), definition.summary
    )


def _opsets_with(version: OpVersion) -> tuple[str, ...]:
    return tuple(opset for opset in OPSETS if opset in version.opsets)


def _opset(text: str | None) -> str | None:
    if text is None:
        return None
    name = text if text.startswith("opset") else f"opset{text}"
    if name not in OPSETS:
        raise Refusal(f"unknown opset {name}; expected {OPSETS[0]} to {OPSETS[-1]}")
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
        out.add_row(entry.op, entry.category, _range(entry.opsets), entry.summary)
    out.caption = plural(len(entries), "op")
    show(out)


def _range(names: tuple[str, ...]) -> str:
    """The first and the last opset: 1-16."""
    numbers = [name.removeprefix("opset") for name in names]
    return "-".join(dict.fromkeys(numbers[:1] + numbers[-1:]))
