"""Explain where a size, a shape, an element type or a value comes from.

Prints the size as an expression of the sizes of the model's inputs, says which
inputs make it dynamic or which op depends on data, and follows the fact back to
inputs, constants and attributes, with their lines in the file.

example:
  irops why model.xml relu_9 --axis 1
  irops why model.xml relu_9
  irops why model.xml target_shape --value
  irops why model.xml relu_9 --axis 1 --shape x:batch,3,224,224
"""

import argparse
import sys
from sys import maxsize
from textwrap import wrap
from typing import Any

from irops.analysis.model_analysis import ModelAnalysis, path_of_text
from irops.analysis.signature import Key
from irops.cli.display import print_diagnostics, print_json, table_width
from irops.cli.models import add_model, analysis_of
from irops.cli.options import add_format, add_option, add_settings, add_shapes, argument_errors
from irops.cli.parser import CLEAN, FINDINGS
from irops.cli.streams import show
from irops.debugging.origins.symbolic import NamedSize, SymbolicModel
from irops.debugging.origins.why import Step, Why, why
from irops.diagnostics.diagnostic import Location
from irops.diagnostics.printable import MAX_NAME, abridged, printable

EXIT_1 = "the model has errors"

VERSION = 1
MAX_LINES = 60
"""Number of sentences shown without --all."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "layer",
        metavar="LAYER",
        help="the name of a layer, a tensor, an input or a result, an id, or a part of a name",
    )
    add_option(parser, "--output N", "an output of the layer", at_least=0, default=0)
    subject = parser.add_mutually_exclusive_group()
    add_option(subject, "--axis N", "one size; default: the whole shape", at_least=0)
    value = "the value, or its element number N"
    add_option(subject, "--value N", value, at_least=0, nargs="?", const=True, default=False)
    add_option(subject, "--type", "the element type", dest="element_type")
    add_shapes(parser, "override the shape of an input, as in irops infer; repeatable")
    add_option(parser, "--path LAYER/BODY", "a layer of a body: loop/body", default="")
    add_option(parser, "--all", f"all steps, not only the first {MAX_LINES}")
    add_option(parser, "--quiet -q", "only the first line, without steps")
    add_format(parser)
    add_settings(parser)


def execute(args: argparse.Namespace) -> int:
    analysis = analysis_of(args)
    shapes: dict[Key, Any] = {
        analysis.signature.input_of_text(name).position: shape for name, shape, _ in args.shapes
    }
    model = SymbolicModel(analysis, shapes)
    answer = _answer(model, analysis, args)
    if args.output_format == "json":
        print_json(VERSION, _as_json(answer), args.model)
    else:
        _show(answer, None if args.all else MAX_LINES, quiet=args.quiet)
    errors = model.declared.errors
    if errors and args.output_format != "json":
        sys.stdout.flush()
        print_diagnostics(errors, sys.stderr)
    return FINDINGS if errors else CLEAN


def _answer(model: SymbolicModel, analysis: ModelAnalysis, args: argparse.Namespace) -> Why:
    path = path_of_text(analysis, args.path)
    with argument_errors():
        subject = {"axis": args.axis, "value": args.value, "element_type": args.element_type}
        return why(model, args.layer, output=args.output, path=path, **subject)


def _show(answer: Why, limit: int | None, *, quiet: bool) -> None:
    from rich.text import Text

    lines = [] if quiet else list(answer.lines())
    width = table_width() or maxsize
    folded = [text for line in lines[:limit] for text in _folded(printable(line), width)]
    show(Text(printable(answer.headline), "bold"), *map(Text, folded))
    if limit is not None and len(lines) > limit:
        show(Text(f"{len(lines) - limit} more lines; --all shows them", "dim"))


def _folded(line: str, width: int) -> list[str]:
    """A line of a width; what does not fit is indented, so that each step stands out."""
    margin = " " * (len(line) - len(line.lstrip()))
    folded = wrap(line, width, subsequent_indent=f"{margin}    ", break_on_hyphens=False)
    return folded or [""]


def _as_json(answer: Why) -> dict[str, Any]:
    return {
        "layer": abridged(answer.layer, MAX_NAME),
        "op": answer.op,
        "output": answer.output,
        "subject": answer.subject,
        "declared": answer.value,
        "formula": answer.formula,
        "expressions": [None if expression is None else str(expression) for expression in answer.expressions],
        "sources": [_source_as_json(source) for source in answer.sources.values()],
        "fitted": [_source_as_json(source) for source in answer.fitted],
        "steps": [_step_as_json(step) for step in answer.steps],
    }


def _source_as_json(source: NamedSize) -> dict[str, Any]:
    return {
        "symbol": source.symbol,
        "kind": source.kind.value,
        "layer": abridged(source.layer, MAX_NAME),
        "path": [abridged(name, MAX_NAME) for name in source.path],
        "op": source.op,
        "output": source.output,
        "axis": source.axis,
        "declared": str(source.declared),
        **_place(source.location),
    }


def _step_as_json(step: Step) -> dict[str, Any]:
    return {
        "layer": abridged(step.layer, MAX_NAME),
        "path": [abridged(name, MAX_NAME) for name in step.path],
        "op": step.op,
        **_place(step.location),
        "output": step.output,
        "subject": step.subject,
        "answer": step.answer,
        "reasons": [
            {
                "input": reason.input,
                "subject": reason.subject,
                "answer": reason.answer,
                "producer": abridged(reason.producer, MAX_NAME),
                **_place(reason.location),
                "constant": reason.constant,
            }
            for reason in step.reasons
        ],
        "attributes": dict(step.attributes),
        "note": step.note,
    }


def _place(location: Location) -> dict[str, int | None]:
    return {"line": location.line, "column": location.column}
