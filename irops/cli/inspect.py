"""Show a model at a glance: inputs, outputs, ops, weights, opsets, sub-graphs.

Shapes are those that the file declares; irops infer tells those that follow.

example:
  irops inspect model.xml
  irops inspect model.xml --output-format json
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from irops.cli.glance import Glance, Inner, Tensor, glance
from irops.cli.main import CLEAN
from irops.cli.models import model_help
from irops.diagnostics.printable import plural, printable
from irops.reading import read

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.tree import Tree

SHOWN = 20
"""How many kinds of op are listed, unless all are asked for."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it does not lie beside the .xml")
    parser.add_argument(
        "--all", action="store_true", help=f"list all kinds of op, not only the {SHOWN} most frequent"
    )
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="only inputs and outputs")


def execute(args: argparse.Namespace) -> int:
    seen = glance(read(args.model, args.weights))
    if args.output_format == "json":
        json.dump({"version": 1, "path": args.model, **seen.as_json()}, sys.stdout, indent=2)
        print()
        return CLEAN
    _show(seen, args)
    return CLEAN


def _show(seen: Glance, args: argparse.Namespace) -> None:
    from rich.text import Text

    from irops.cli.streams import show

    tensors: tuple[RenderableType, ...] = (
        _tensors("inputs", seen.inputs),
        "",
        _tensors("outputs", seen.outputs),
    )
    if args.quiet:
        show(*tensors)
        return
    facts = [seen.format, plural(seen.layers, "layer"), plural(seen.edges, "edge")]
    if seen.written_by:
        facts.append(f"written by {printable(seen.written_by.partition('-')[0])}")
    show(
        Text.assemble((printable(seen.name) or "(no name)", "bold cyan"), "  ", (" · ".join(facts), "dim")),
        "",
        *tensors,
        "",
    )
    if seen.variables:
        show(
            Text.assemble((plural(len(seen.variables), "variable"), "bold"), ":"),
            *(Text(f"  {printable(name)}") for name in seen.variables),
            "",
        )
    show(_ops(seen, None if args.all else SHOWN), "", _weights(seen), Text(_file(seen), "dim"))
    if seen.subgraphs:
        show("", _tree(seen.subgraphs))


def _tensors(title: str, tensors: tuple[Tensor, ...]) -> Table:
    from irops.cli.tables import table

    others = [
        printable(", ".join(name for name in tensor.names if name != tensor.layer)) for tensor in tensors
    ]
    out = table(title, "name", "type", "shape", *(("tensor names",) if any(others) else ()))
    for tensor, other in zip(tensors, others):
        out.add_row(printable(tensor.layer), tensor.type, tensor.shape, *((other,) if any(others) else ()))
    return out


def _ops(seen: Glance, limit: int | None) -> Table:
    from irops.cli.tables import table

    out = table("ops", "type", "opset", ">count", "")
    most = max(seen.ops.values(), default=1)
    for op, count in list(seen.ops.items())[:limit]:
        type_, _, version = op.rpartition(" ")
        out.add_row(
            printable(type_),
            printable(version.removeprefix("opset")),
            f"{count:,}",
            "▇" * max(1, count * 24 // most),
        )
    if limit is not None and len(seen.ops) > limit:
        rest = list(seen.ops.values())[limit:]
        out.add_row(f"{len(rest)} more kinds", "", f"{sum(rest):,}", "--all lists them")
    return out


def _weights(seen: Glance) -> Table:
    from irops.cli.tables import table

    out = table("weights", "type", ">constants", ">elements", ">bytes")
    for held in seen.weights:
        out.add_row(held.type, f"{held.constants:,}", f"{held.elements:,}", f"{held.bytes:,}")
    if seen.weights:
        out.add_section()
        constants, elements = (
            sum(counts) for counts in zip(*((held.constants, held.elements) for held in seen.weights))
        )
        out.add_row("all", f"{constants:,}", f"{elements:,}", f"{seen.weights_bytes:,}")
    return out


def _file(seen: Glance) -> str:
    if not seen.weights and not seen.weights_file_bytes:
        return "no constants"
    if seen.weights_file is None:
        return f"the constants take {seen.weights_file_bytes:,} bytes"
    unused = seen.weights_file_bytes - seen.weights_bytes
    return f"the file has {seen.weights_file_bytes:,} bytes" + (
        f", {unused:,} of them unused" if unused > 0 else ""
    )


def _tree(inside: tuple[Inner, ...]) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    root = Tree(Text("sub-graphs", "bold"))
    ahead = [(root, inner) for inner in inside]
    while ahead:
        parent, inner = ahead.pop(0)
        branch = parent.add(Text.assemble(printable(inner.layer), (f" {inner.type}", "dim")))
        for name, count, deeper in inner.bodies:
            body = branch.add(Text.assemble(name, (f" {plural(count, 'layer')}", "dim")))
            ahead.extend((body, each) for each in deeper)
    return root
