"""Evaluate a model and show its results.

Inputs are loaded from files or generated. An input is identified by its tensor
name, the name of its layer, or its position.

example:
  irops run model.xml --fill random --seed 7
  irops run model.xml --load-inputs in.npz --save-outputs out.npz
  irops run model.xml --load-inputs in.npz --expect out.npz
  irops run model.xml --input x=x.npy --fill zeros --shape lengths:2 --keep all
  irops run model.xml --fill random --profile
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from irops.analysis.signature import Signature
from irops.backends.catalogue import backend_names
from irops.cli.display import print_diagnostics, print_json, progress_bar, table
from irops.cli.main import Refusal
from irops.cli.models import add_inputs, add_model, inputs_of, load_all, registry_of
from irops.cli.options import add_format, add_option, add_settings, argument_errors, limits_of, written
from irops.cli.parser import CLEAN, FINDINGS
from irops.cli.settings import settings
from irops.cli.streams import show
from irops.cli.values import first_elements, minimum_mean_maximum
from irops.debugging.compare.results import Expectation, expectation
from irops.debugging.sources.source import Context
from irops.diagnostics.printable import printable, shown
from irops.dialects.reading import read
from irops.ir.numpy_files import save_all
from irops.runtime.evaluator import Evaluator, Variables
from irops.runtime.profile import Profile, Total
from irops.runtime.run import walk_model
from irops.runtime.session import Keep, Results, Session
from irops.values.element import Array, element_type_of
from irops.values.shape import Shape
from irops.verdicts.metrics import number
from irops.verdicts.question import is_float

if TYPE_CHECKING:
    from rich.table import Table

VERSION = 1
MAX_ELEMENTS = 1000
"""How many elements of a tensor JSON has."""
EXIT_1 = "the model has errors, cannot be evaluated, or --expect fails"


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_inputs(parser)
    outputs = parser.add_argument_group("outputs")
    add_option(outputs, "--save-outputs FILE", "write the results to an .npz file", type=written)
    keep = "also keep the outputs of these layers: names or patterns separated by commas, or all"
    outputs.add_argument("--keep", metavar="LAYERS", action="append", default=[], help=keep)
    add_option(
        parser,
        "--source NAME...",
        f"a backend, in order of preference: {', '.join(backend_names())}; repeatable; default: the"
        " fastest installed one",
        dest="backends",
    )
    expect = "compare the results with those in an .npz file; what rounding explains is accepted"
    add_option(parser, "--expect FILE", expect)
    add_option(parser, "--profile", "show time and bytes by op and of the slowest layers")
    add_format(parser)
    add_option(parser, "--quiet -q", "show no results, no progress")
    add_settings(parser)


def execute(args: argparse.Namespace) -> int:
    if args.profile and args.output_format == "json":
        raise Refusal("--profile prints tables; give it without --output-format json")
    limits = limits_of(args, settings(args.config).limits)
    model = read(args.model, args.weights, limits=limits)
    keep = [name for text in args.keep for name in text.split(",") if name]
    with progress_bar("evaluating", quiet=args.quiet) as progress:
        backends = (*(b for b in args.backends if b != "reference"), "reference") if args.backends else None
        how: dict[str, Any] = {"limits": limits, "progress": progress}
        session = Session(model, backends=backends, registry=registry_of(args), **how)
        inputs = inputs_of(session.analysis, args)
        with argument_errors("--keep: "):
            kept = frozenset[int]() if keep == ["all"] else session.kept(keep)
        wanted: Keep = "all" if keep == ["all"] else kept
        outcome = session.run(inputs, keep=wanted, profile=args.profile)
        expected = _expectation(session, inputs, outcome, args.expect) if args.expect else None
    if args.save_outputs:
        for name, written in save_all(args.save_outputs, outcome).items():
            print(f"result {shown(name)!r} is saved as {printable(repr(written))}", file=sys.stderr)
    if args.output_format == "json":
        print_json(VERSION, _as_json(session.signature, outcome, expected), args.model)
        args.quiet = True  # the rest is for people
    if not args.quiet:
        _show(session.signature, outcome)
        if any(_has_nan(outcome[port.name]) for port in session.signature.results):
            sys.stdout.flush()
            print(printable(_where_nan_begins(session, inputs)), file=sys.stderr)
    if outcome.profile is not None and not args.quiet:
        _show_profile(outcome.profile)
    if outcome.warnings and args.output_format != "json":
        sys.stdout.flush()
        print_diagnostics(outcome.warnings, sys.stderr)
    if expected is None:
        return CLEAN
    if not args.quiet:
        sys.stdout.flush()
        print("\n".join(map(printable, expected.lines(args.expect))), file=sys.stderr)
    return CLEAN if expected.ok else FINDINGS


def _as_json(signature: Signature, outcome: Results, expected: Expectation | None) -> dict[str, Any]:
    """Results, kept tensors, warnings and what --expect says, for programs."""
    names = {port.name for port in signature.results}
    outputs = {name: {"name": name, **_tensor_as_json(array)} for name, array in outcome.items()}
    judged = {} if expected is None else expected.judgements
    return {
        "results": [output for name, output in outputs.items() if name in names],
        "kept": [output for name, output in outputs.items() if name not in names],
        "warnings": [{"code": found.code, "message": found.message} for found in outcome.warnings],
        "expected": {name: judgement.to_json() for name, judgement in judged.items()},
    }


def _tensor_as_json(array: Array) -> dict[str, Any]:
    """The type, the shape, and the first elements; --save-outputs writes all of them."""
    kind = element_type_of(array)
    flat = array.ravel()[:MAX_ELEMENTS]
    plain = flat.astype(np.float64) if kind.floating else flat
    return {
        "type": str(kind),
        "shape": list(array.shape),
        "elements": [number(item) for item in plain.tolist()],
    }


def _expectation(
    session: Session, inputs: Mapping[str | int, Array], outcome: Results, path: str
) -> Expectation:
    """The results compared with those of a file."""
    context = Context(session.analysis, session.signature.arrays(inputs))
    results = {port.name: outcome[port.name] for port in session.signature.results}
    with argument_errors(f"--expect {path}: "):
        return expectation(context, results, load_all(path, session.analysis.limits))


def _has_nan(array: Array | None) -> bool:
    return array is not None and is_float(array) and bool(np.isnan(array).any())


def _where_nan_begins(session: Session, inputs: Mapping[str | int, Array]) -> str:
    """The first layer that gives NaN where its inputs have none, in another run."""
    evaluator = Evaluator(session.analysis, session.evaluator.backends)
    walk = walk_model(evaluator, session.signature.arrays(inputs), Variables())
    begins = (c.step for c in walk if any(map(_has_nan, c.outputs)) and not any(map(_has_nan, c.inputs)))
    if (step := next(begins, None)) is None:
        return "NaN begins in no layer of another run, which may draw other numbers"
    return f"NaN begins in {step.layer.name} ({step.op.id}, {session.analysis.location(step.layer)})"


def _show(signature: Signature, outcome: Results) -> None:
    result_names = {port.name for port in signature.results}
    for title, names in (
        ("results", [n for n in outcome if n in result_names]),
        ("kept", [n for n in outcome if n not in result_names]),
    ):
        if names:
            out = table(title, "name", "type", "shape", "values", ">min", ">mean", ">max")
            for name in names:
                array = outcome[name]
                values = (first_elements(array), *minimum_mean_maximum(array))
                out.add_row(shown(name), str(element_type_of(array)), str(Shape(array.shape)), *values)
            show(out, *([""] if title == "results" and len(outcome) > len(names) else []))


SLOWEST = 10
"""Number of layers shown."""


def _show_profile(profile: Profile) -> None:
    times = f"{profile.seconds * 1e3:,.1f} ms in all, {profile.planning * 1e3:,.1f} ms of them planning"
    by_op = _table(f"time by op: {times}", ("op", "backend"), profile, profile.ops)
    slowest = profile.layers[:SLOWEST]
    show("", by_op, "", _table("slowest layers", ("layer", "op", "backend"), profile, slowest))


def _table(title: str, names: Sequence[str], profile: Profile, totals: Sequence[Total]) -> "Table":
    out = table(title, *names, ">calls", ">ms", ">share", ">bytes")
    for total in totals:
        layer = "/".join((*total.path, total.name))
        texts = {"layer": shown(layer), "op": shown(total.op), "backend": total.backend}
        measures = (f"{total.seconds * 1e3:,.2f}", f"{profile.share(total):.1%}", f"{total.bytes:,}")
        out.add_row(*(texts[name] for name in names), f"{total.calls:,}", *measures)
    return out
