"""Summarize a model: inputs, outputs, ops, weights, opsets, sub-graphs.

Shapes are those declared in the file; use irops infer for inferred shapes.

example:
  irops inspect model.xml
  irops inspect model.xml --output-format json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import deque
from typing import TYPE_CHECKING

from irops.cli.exit_codes import CLEAN
from irops.cli.model_files import model_help
from irops.cli.model_summary import LayerWithBodies, ModelSummary, OldestRelease, Tensor, summarize
from irops.cli.streams import show
from irops.cli.tables import table
from irops.diagnostics.printable import plural, printable, shown
from irops.reading import read
from irops.spec.releases import UNRELEASED
from irops.urls import without_credentials

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.tree import Tree

SHOWN = 20
"""Number of op types listed without --all."""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it is not next to the .xml file")
    parser.add_argument(
        "--all", action="store_true", help=f"list all op types, not only the {SHOWN} most frequent"
    )
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="only inputs and outputs")


def execute(args: argparse.Namespace) -> int:
    summary = summarize(read(args.model, args.weights))
    if args.output_format == "json":
        json.dump(
            {"version": 1, "path": without_credentials(args.model), **summary.as_json()}, sys.stdout, indent=2
        )
        print()
        return CLEAN
    _show(summary, args)
    return CLEAN


def _show(summary: ModelSummary, args: argparse.Namespace) -> None:
    from rich.text import Text

    tensors: tuple[RenderableType, ...] = (
        _tensors("inputs", summary.inputs),
        "",
        _tensors("outputs", summary.outputs),
    )
    if args.quiet:
        show(*tensors)
        return
    facts = [shown(summary.format), plural(summary.layers, "layer"), plural(summary.edges, "edge")]
    if summary.written_by:
        facts.append(f"written by {shown(summary.written_by.partition('-')[0])}")
    show(
        Text.assemble((shown(summary.name) or "(no name)", "bold cyan"), "  ", (" · ".join(facts), "dim")),
        "",
        *tensors,
        "",
    )
    if summary.variables:
        show(
            Text.assemble((plural(len(summary.variables), "variable"), "bold"), ":"),
            *(Text(f"  {shown(name)}") for name in summary.variables),
            "",
        )
    show(_ops(summary, None if args.all else SHOWN), "", _weights(summary), Text(_file(summary), "dim"))
    if summary.oldest_release is not None:
        show(Text(_release(summary.oldest_release), "dim"))
    if summary.subgraphs:
        show("", _tree(summary.subgraphs))


def _tensors(title: str, tensors: tuple[Tensor, ...]) -> Table:
    others = [shown(", ".join(name for name in tensor.names if name != tensor.layer)) for tensor in tensors]
    out = table(title, "name", "type", "shape", *(("tensor names",) if any(others) else ()))
    for tensor, other in zip(tensors, others):
        row = (shown(text) for text in (tensor.layer, tensor.type, tensor.shape))
        out.add_row(*row, *((other,) if any(others) else ()))
    return out


def _ops(summary: ModelSummary, limit: int | None) -> Table:
    out = table("ops", "type", "opset", ">count", "")
    most = max(summary.ops.values(), default=1)
    for op, count in list(summary.ops.items())[:limit]:
        type_, _, version = op.rpartition(" ")
        out.add_row(
            shown(type_),
            shown(version.removeprefix("opset")),
            f"{count:,}",
            "▇" * max(1, count * 24 // most),
        )
    if limit is not None and len(summary.ops) > limit:
        rest = list(summary.ops.values())[limit:]
        out.add_row(f"{len(rest)} more types", "", f"{sum(rest):,}", "--all lists them")
    return out


def _weights(summary: ModelSummary) -> Table:
    out = table("weights", "type", ">constants", ">elements", ">bytes")
    for of_type in summary.weights:
        out.add_row(of_type.type, f"{of_type.constants:,}", f"{of_type.elements:,}", f"{of_type.bytes:,}")
    if summary.weights:
        out.add_section()
        constants, elements = (
            sum(counts)
            for counts in zip(*((of_type.constants, of_type.elements) for of_type in summary.weights))
        )
        out.add_row("all", f"{constants:,}", f"{elements:,}", f"{summary.weights_bytes:,}")
    return out


def _file(summary: ModelSummary) -> str:
    if not summary.weights and not summary.weights_file_bytes:
        return "no constants"
    if summary.weights_file is None:
        return f"the constants take {summary.weights_file_bytes:,} bytes"
    unused = summary.weights_file_bytes - summary.weights_bytes
    return f"the file has {summary.weights_file_bytes:,} bytes" + (
        f", {unused:,} of them unused" if unused > 0 else ""
    )


def _release(oldest: OldestRelease) -> str:
    """One line: the release, and the first thing that decides it."""
    is_released = oldest.name != UNRELEASED
    text = f"read by OpenVINO {oldest.name} and later" if is_released else "read by no release of OpenVINO"
    if not oldest.decided_by:
        return f"{text}; older releases are not known"
    others = len(oldest.decided_by) - 1
    return f"{text}: {printable(oldest.decided_by[0])}" + (f", and {others} more" if others else "")


def _tree(layers_with_bodies: tuple[LayerWithBodies, ...]) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    root = Tree(Text("sub-graphs", "bold"))
    pending = deque((root, inner) for inner in layers_with_bodies)
    while pending:
        parent, inner = pending.popleft()
        branch = parent.add(Text.assemble(shown(inner.layer), (f" {shown(inner.type)}", "dim")))
        for name, count, nested in inner.bodies:
            body = branch.add(Text.assemble(name, (f" {plural(count, 'layer')}", "dim")))
            pending.extend((body, each) for each in nested)
    return root
