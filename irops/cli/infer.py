"""Infer the type and shape of every tensor, and values known without running.


example:
  irops infer model.xml
  irops infer model.xml --shape 'x:[?,3,224,224]'
  irops infer model.xml --shape x:batch,3,8..16,224 --output-format json
  irops infer model.xml --input lengths=lengths.npy
"""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from irops.analysis.inferred import Inferred, LayerFacts
from irops.analysis.model_analysis import infer
from irops.analysis.signature import Key, Signature
from irops.cli.display import print_diagnostics, print_json, table
from irops.cli.models import add_model, analysis_of, load_one
from irops.cli.options import SHAPE, Pair, add_format, add_option, add_settings, add_shapes, value_of_input
from irops.cli.parser import CLEAN, FINDINGS
from irops.cli.streams import show
from irops.cli.values import exact
from irops.diagnostics.formats import as_json
from irops.diagnostics.printable import MAX_NAME, abridged, shown
from irops.files.limits import Limits
from irops.ir.model import LayerKind
from irops.ir.numpy_files import as_declared
from irops.values.arrays import fact_of
from irops.values.fact import Fact

EXIT_1 = "errors were found"

ENDS = (LayerKind.PARAMETER, LayerKind.RESULT)
MAX_SHAPE = 2000
"""The greatest number of characters of a shape or a value that is shown."""
SMALL = 8
"""Values of at most this many elements are shown."""


@dataclass(frozen=True, slots=True)
class OutputRow:
    """One output of one layer. path: the enclosing layers and bodies, from the outside in."""

    path: tuple[str, ...]
    layer_facts: LayerFacts
    index: int
    fact: Fact


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    shape = "override the shape of an input: ? is any size, 1..8 an interval, a word a symbol, ... any rank"
    add_shapes(parser, shape, dest="inputs")
    value = "an .npy file: infer for this value of an input"
    add_option(parser, "--input NAME=FILE...", value, type=value_of_input, dest="inputs")
    add_option(parser, "--ends", "show only inputs and results")
    add_format(parser)
    add_option(parser, "--quiet -q", "no table, only diagnostics")
    add_settings(parser)


def execute(args: argparse.Namespace) -> int:
    analysis = analysis_of(args)
    overrides = (_override(analysis.signature, pair, analysis.limits) for pair in args.inputs)
    facts = infer(analysis, dict(overrides))
    rows = [
        row for row in _rows(facts) if not args.ends or (row.layer_facts.layer.kind in ENDS and not row.path)
    ]
    if args.output_format == "json":
        diagnostics = [as_json(diagnostic) for diagnostic in facts.diagnostics]
        print_json(1, {"outputs": [_json(row) for row in rows], "diagnostics": diagnostics}, args.model)
    elif not args.quiet:
        _show(rows)
    if args.output_format != "json" and facts.diagnostics:
        print_diagnostics(facts.diagnostics, sys.stderr)
    return FINDINGS if facts.errors else CLEAN


def _override(signature: Signature, pair: Pair, limits: Limits) -> tuple[Key, Any]:
    """The key of an input, and the shape or the Fact that replaces what it declares."""
    port = signature.input_of_text(pair.name)
    if pair.form is SHAPE:
        return port.position, pair.rest
    array = as_declared(load_one(pair.rest, limits), port.fact.element_type)
    return port.position, fact_of(signature.fit(port.layer, array), with_value=True)


def _rows(facts: Inferred, path: tuple[str, ...] = ()) -> Iterator[OutputRow]:
    for layer_facts in facts.layers.values():
        # a Result has no outputs; its inputs are shown
        shown_facts = layer_facts.outputs or [fact for fact in layer_facts.inputs if fact is not None]
        for index, fact in enumerate(shown_facts):
            yield OutputRow(path, layer_facts, index, fact)
        for name, body in layer_facts.bodies.items():
            yield from _rows(body, (*path, layer_facts.layer.name, name))


def _json(row: OutputRow) -> dict[str, Any]:
    layer, value = row.layer_facts.layer, _value(row)
    return {
        "layer": {
            "id": layer.id,
            "name": abridged(layer.name, MAX_NAME),
            "path": [abridged(name, MAX_NAME) for name in row.path],
        },
        "op": _op(row),
        "index": row.index,
        "type": str(row.fact.element_type),
        "shape": abridged(str(row.fact.shape), MAX_SHAPE),
        "symbolic_shape": abridged(row.fact.shape.spelled, MAX_SHAPE),
        "value": value,
    }


def _op(row: OutputRow) -> str:
    op, layer = row.layer_facts.op, row.layer_facts.layer
    return op.id if op is not None else abridged(f"{layer.type} {layer.version}", MAX_NAME)


def _value(row: OutputRow) -> str | None:
    """The known part of a small value as text, or None."""
    if not row.fact.shape.size.known or row.fact.shape.size > SMALL or row.layer_facts.failed:
        return None
    return None if row.fact.known is None else abridged(exact(row.fact.known), MAX_SHAPE)


def _show(rows: list[OutputRow]) -> None:
    from rich.text import Text

    by_path: dict[tuple[str, ...], list[OutputRow]] = {}
    for row in rows:
        by_path.setdefault(row.path, []).append(row)
    for path, rows_of_path in by_path.items():
        out = table("", "layer", "op", "type", "shape", "value")
        for row in rows_of_path:
            layer = row.layer_facts.layer
            name = shown(layer.name) if len(layer.outputs) < 2 else f"{shown(layer.name)}:{row.index}"
            shape = abridged(row.fact.shape.spelled, MAX_SHAPE)
            value = "" if layer.is_constant else _value(row) or ""
            out.add_row(name, shown(_op(row)), str(row.fact.element_type), shape, value)
        if path:
            show("", Text(" / ".join(map(shown, path)), "bold"))
        show(out)
