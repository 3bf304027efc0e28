"""Tell the type and shape of every tensor, and the values known beforehand.

Exit code: 0 if nothing is wrong, 1 if something is.

example:
  irops infer model.xml
  irops infer model.xml --input 'x:[?,3,224,224]'
  irops infer model.xml --input x:batch,3,8..16,224 --output-format json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irops.analysis.infer import infer
from irops.analysis.inferred import Inferred, LayerFacts
from irops.cli.bounded import add_limits, limits_of
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.findings import tell
from irops.cli.main import CLEAN, FINDINGS
from irops.cli.models import model_help
from irops.cli.pairs import named
from irops.cli.settings import settings
from irops.cli.values import exact
from irops.diagnostics.json_format import as_json
from irops.diagnostics.printable import printable
from irops.ir.model import LayerKind
from irops.reading import read

if TYPE_CHECKING:
    from irops.values.fact import Fact

ENDS = (LayerKind.PARAMETER, LayerKind.RESULT)
SMALL = 8
"""Values of so many elements are shown."""


@dataclass(frozen=True, slots=True)
class Row:
    """One output of one layer. path: the layers and bodies on the way to it."""

    path: tuple[str, ...]
    known: LayerFacts
    index: int
    fact: Fact


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help=model_help())
    parser.add_argument("--weights", metavar="FILE", help="the .bin file, if it does not lie beside the .xml")
    parser.add_argument(
        "--input",
        metavar="NAME:SHAPE",
        action="append",
        default=[],
        type=named(":"),
        dest="inputs",
        help=(
            "another shape for an input: ? for any size, 1..8 for an interval, a word for a symbol, ... for"
            " any rank"
        ),
    )
    parser.add_argument("--ends", action="store_true", help="inputs and results only")
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="no table, only what is wrong")
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    limits = limits_of(args, settings().limits)
    facts = infer(
        read(args.model, args.weights, limits=limits),
        dict(args.inputs),
        registry=registry_of(args),
        limits=limits,
    )
    rows = [row for row in _rows(facts) if not args.ends or (row.known.layer.kind in ENDS and not row.path)]
    if args.output_format == "json":
        json.dump(
            {
                "version": 1,
                "path": args.model,
                "outputs": [_json(row) for row in rows],
                "diagnostics": [as_json(diagnostic) for diagnostic in facts.diagnostics],
            },
            sys.stdout,
            indent=2,
        )
        print()
    elif not args.quiet:
        _show(rows)
    if args.output_format != "json" and facts.diagnostics:
        tell(facts.diagnostics, sys.stderr)
    return FINDINGS if facts.errors else CLEAN


def _rows(facts: Inferred, path: tuple[str, ...] = ()) -> Iterator[Row]:
    for known in facts.layers.values():
        for index, fact in enumerate(known.outputs or _inputs_of_a_result(known)):
            yield Row(path, known, index, fact)
        for name, body in known.bodies.items():
            yield from _rows(body, (*path, known.layer.name, name))


def _inputs_of_a_result(known: LayerFacts) -> list[Fact]:
    """A Result gives what it takes."""
    return [fact for fact in known.inputs if fact is not None]


def _json(row: Row) -> dict[str, Any]:
    layer, value = row.known.layer, _value(row)
    return {
        "layer": {"id": layer.id, "name": layer.name, "path": list(row.path)},
        "op": _op(row),
        "index": row.index,
        "type": str(row.fact.element_type),
        "shape": str(row.fact.shape),
        "value": value,
    }


def _op(row: Row) -> str:
    return (
        row.known.op.id if row.known.op is not None else f"{row.known.layer.type} {row.known.layer.version}"
    )


def _value(row: Row) -> str | None:
    """What is known of a small value."""
    if not row.fact.shape.size.known or row.fact.shape.size > SMALL or row.known.failed:
        return None
    return None if row.fact.known is None else exact(row.fact.known)


def _show(rows: list[Row]) -> None:
    from rich.text import Text

    from irops.cli.streams import show
    from irops.cli.tables import table

    for path in dict.fromkeys(row.path for row in rows):
        out = table("", "layer", "op", "type", "shape", "value")
        out.title = None
        for row in (row for row in rows if row.path == path):
            layer = row.known.layer
            name = printable(layer.name) if len(layer.outputs) < 2 else f"{printable(layer.name)}:{row.index}"
            value = "" if layer.is_constant else _value(row) or ""
            out.add_row(name, printable(_op(row)), str(row.fact.element_type), row.fact.shape.spelled, value)
        if path:
            show("", Text(" / ".join(map(printable, path)), "bold"))
        show(out)
