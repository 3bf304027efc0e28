"""Evaluate a model and show its results.

Inputs are loaded from files or generated. An input is identified by its tensor
name, the name of its layer, or its position.

example:
  irops run model.xml --fill random --seed 7
  irops run model.xml --load-inputs in.npz --save-outputs out.npz
  irops run model.xml --load-inputs in.npz --expect out.npz
  irops run model.xml --input x=x.npy --fill zeros --shape lengths:2 --keep all
  irops run model.xml --fill random --profile trace.json
  irops run model.xml --load-inputs batch.npz --scheduler tcp://host:8786
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from irops.analysis.signature import Signature
from irops.backends.catalogue import backend_names
from irops.cli.array_files import load_all
from irops.cli.command import CLEAN, FINDINGS, Command
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.findings import print_diagnostics
from irops.cli.input_options import add_inputs, inputs_of
from irops.cli.main import Refusal
from irops.cli.model_files import add_model
from irops.cli.options import add_limits, limits_of
from irops.cli.parser import Written
from irops.cli.progress import progress_bar
from irops.cli.settings import settings
from irops.cli.streams import say, show
from irops.cli.tables import table
from irops.cli.values import first_elements, minimum_mean_maximum
from irops.cli.worker_options import add_workers, is_distributed, workers_of
from irops.debugging.compare.agreement import Expectation, expectation
from irops.debugging.sources.source import Context
from irops.diagnostics.printable import Printable, literal, printable, shown
from irops.dialects.reading import read
from irops.editing.splitting.split import run
from irops.ir.model import Model
from irops.ir.tensor_files import save_all
from irops.runtime.profile import Batching, Profile, Total
from irops.runtime.session import Keep, Results, Session
from irops.values.element import Array, element_type_of
from irops.values.shape import Shape
from irops.values.tensors import arrays_in, fact_of

if TYPE_CHECKING:
    from rich.table import Table

COMMAND = Command(
    "evaluate a model on given inputs",
    30,
    code_1="the model has errors, cannot be evaluated, or --expect fails",
    is_guarded=True,
    completion={"--backend": "BACKEND", "--expect": ".npz", "--save-outputs": ".npz"},
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_inputs(parser)
    outputs = parser.add_argument_group("outputs")
    outputs.add_argument(
        "--save-outputs", action=Written, metavar="FILE", help="write the results to an .npz file"
    )
    outputs.add_argument(
        "--keep",
        metavar="LAYERS",
        action="append",
        default=[],
        help="also keep the outputs of these layers: names separated by commas, or all",
    )
    parser.add_argument(
        "--backend",
        metavar="NAME",
        action="append",
        default=[],
        dest="backends",
        help=(
            f"a backend, in order of preference: {', '.join(backend_names())}; repeatable; default: the"
            " fastest installed one"
        ),
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="compare every result with the inferred type and shape, and with the reference",
    )
    parser.add_argument(
        "--expect",
        metavar="FILE",
        help="compare the results with those in an .npz file; what rounding explains is accepted",
    )
    parser.add_argument(
        "--profile",
        action=Written,
        metavar="TRACE.json",
        nargs="?",
        const="",
        type=trace_file,
        help="show time and bytes by op and of the slowest layers; write a trace for Perfetto or Chrome",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="show no results, no progress")
    parser.add_argument(
        "--allow-rounding",
        action="store_true",
        help=(
            "with --jobs, --scheduler or --cluster, which split the batch: distribute more layers; results"
            " may differ by rounding"
        ),
    )
    add_workers(parser, "this process alone")
    add_limits(parser)
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    limits = limits_of(args, settings().limits)
    model = read(args.model, args.weights, limits=limits)
    keep = [name for text in args.keep for name in text.split(",") if name]
    with progress_bar("evaluating", quiet=args.quiet) as progress:
        backends = (*(b for b in args.backends if b != "reference"), "reference") if args.backends else None
        session = Session(
            model,
            backends=backends,
            registry=registry_of(args),
            limits=limits,
            verify=args.verify,
            progress=progress,
        )
        inputs, _ = inputs_of(session.analysis, args, limits)
        try:
            kept = frozenset[int]() if keep == ["all"] else session.kept(keep)
        except KeyError as error:
            raise Refusal(f"--keep: {error.args[0]}") from None
        wanted: Keep = "all" if keep == ["all"] else kept
        if is_distributed(args):
            outcome = _distributed(args, model, inputs, wanted, backends)
        else:
            outcome = session.run(inputs, keep=wanted, profile=args.profile is not None)
        expected = _expectation(session, inputs, outcome, args.expect) if args.expect else None
    if args.save_outputs:
        arrays = dict(part for item in outcome.items() for part in arrays_in(*item))
        for name, written in save_all(args.save_outputs, arrays).items():
            say(f"result {shown(name)!r} is saved as {written!r}", sys.stderr)
    if not args.quiet:
        _show(session.signature, outcome)
    if outcome.batching is not None and not args.quiet:
        say(_sentence(outcome.batching), sys.stderr)
    if outcome.profile is not None:
        report_profile(outcome.profile, args.profile, quiet=args.quiet)
    if outcome.warnings:
        sys.stdout.flush()
        print_diagnostics(outcome.warnings, sys.stderr)
    if args.verify and not args.quiet:
        say(printable(outcome.record.verification()), sys.stderr)
    if expected is None:
        return CLEAN
    if not args.quiet:
        sys.stdout.flush()
        say("\n".join(map(printable, expected.lines(args.expect))), sys.stderr)
    return CLEAN if expected.ok else FINDINGS


def _distributed(
    args: argparse.Namespace,
    model: Model,
    inputs: Mapping[str | int, Array],
    keep: Keep,
    backends: tuple[str, ...] | None,
) -> Results:
    """The results, with the batch split among workers."""
    if args.profile is not None:
        raise Refusal("--profile measures this process, it cannot be given with workers")
    with workers_of(args) as workers:
        return run(
            args.model if args.weights is None else model,
            inputs,
            backends=backends,
            keep=keep,
            registry=registry_of(args),
            limits=limits_of(args, settings().limits),
            verify=args.verify,
            client=workers,
            exact=not args.allow_rounding,
        )


def _sentence(batching: Batching) -> Printable:
    """How the batch was split."""
    text = repr(batching).removeprefix("<Batching ").removesuffix(">")
    kept_here: Printable = (
        f"; rounding keeps {shown(batching.uneven[0])!r} here" if batching.uneven else literal("")
    )
    return f"split the batch: {printable(text)}{kept_here}"


def _expectation(
    session: Session, inputs: Mapping[str | int, Array], outcome: Results, path: str
) -> Expectation:
    """The results compared with those of a file."""
    context = Context(session.analysis, session.signature.arrays(inputs))
    results = {port.name: outcome[port.position] for port in session.signature.results}
    try:
        return expectation(context, results, load_all(path, session.analysis.limits))
    except KeyError as error:
        raise Refusal(f"--expect {path}: {error.args[0]}") from None


def _show(signature: Signature, outcome: Results) -> None:
    result_names = set(signature.result_names)
    for title, names in (
        (literal("results"), [n for n in outcome if n in result_names]),
        (literal("kept"), [n for n in outcome if n not in result_names]),
    ):
        if names:
            out = table(title, "name", "type", "shape", "values", ">min", ">mean", ">max")
            for name in names:
                value = outcome[name]
                if not isinstance(value, np.ndarray):
                    out.add_row(shown(name), printable(str(fact_of(value))), *[literal("")] * 5)
                for part, array in arrays_in(name, value):
                    out.add_row(
                        shown(part),
                        printable(str(element_type_of(array))),
                        printable(str(Shape(array.shape))),
                        first_elements(array),
                        *minimum_mean_maximum(array),
                    )
            show(out, *([literal("")] if title == "results" and len(outcome) > len(names) else []))


LAYER, OP, BACKEND = literal("layer"), literal("op"), literal("backend")
SLOWEST = 10
"""Number of layers shown."""


def trace_file(text: str) -> str:
    """The type of the option: a .json file, so that a model is never taken for it, and overwritten."""
    if text and not text.endswith(".json"):
        raise argparse.ArgumentTypeError(f"{text!r} is no .json file for the trace; write MODEL first")
    return text


def report_profile(profile: Profile, file: str, *, quiet: bool) -> None:
    """Show what a run takes, and write its trace if a file is named. Raises: OSError"""
    if file:
        profile.write(file)
        dropped: Printable = f", without {profile.dropped:,} events" if profile.dropped else literal("")
        say(f"the trace is saved as {printable(file)!r}{dropped}", sys.stderr)
    if not quiet:
        times: Printable = (
            f"{profile.seconds * 1e3:,.1f} ms in all, {profile.planning * 1e3:,.1f} ms of them planning"
        )
        by_op = _table(f"time by op: {times}", (OP, BACKEND), profile, profile.ops)
        slowest = profile.layers[:SLOWEST]
        show("", by_op, "", _table("slowest layers", (LAYER, OP, BACKEND), profile, slowest))


def _table(title: Printable, names: Sequence[Printable], profile: Profile, totals: Sequence[Total]) -> Table:
    out = table(title, *names, ">calls", ">ms", ">share", ">bytes")
    for total in totals:
        layer = "/".join((*total.path, total.name))
        texts: dict[Printable, Printable] = {
            LAYER: shown(layer),
            OP: shown(total.op),
            BACKEND: shown(total.backend),
        }
        out.add_row(
            *(texts[name] for name in names),
            f"{total.calls:,}",
            f"{total.seconds * 1e3:,.2f}",
            f"{profile.share(total):.1%}",
            f"{total.bytes:,}",
        )
    return out
