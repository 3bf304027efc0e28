"""Test a backend against the definitions of ops.

The cases are examples, counterexamples and generated cases. Each result is
compared with the reference: bit for bit for ops that only move elements. A
failing case is shrunk and printed as a self-contained program. The backend
runs in a separate process; a crash is reported as a failure. Declined cases
are counted. Ops can be tested in several processes, or on the workers of a
Dask cluster.

example:
  irops conformance --source openvino --op ReverseSequence-1
  irops conformance --source mine --examples 2000 --output-format junit
  irops conformance --source mine --scheduler tcp://host:8786
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory

from irops.backends.catalogue import backend_names
from irops.cli.display import progress_bar, table
from irops.cli.models import definition_of, registry_of
from irops.cli.options import add_extensions, add_option, refusing, seconds_above_zero
from irops.cli.parser import CLEAN, FINDINGS
from irops.cli.streams import show
from irops.cli.worker_options import add_workers, is_distributed, workers_of
from irops.conformance import verdict
from irops.conformance.kit import STORAGE, UnusableBackendError, run_conformance
from irops.conformance.verdict import KINDS, ConformanceReport, OpReport, Status
from irops.diagnostics.printable import plural, printable
from irops.dialects.registry import default_registry
from irops.environment import MissingExtraError

EXIT_1 = "a case failed"

FORMATS = ("table", "json", "junit")
MANY = 6
"""The table lists this many reasons to decline per op; the other formats list all."""


def configure(parser: argparse.ArgumentParser) -> None:
    add_option(parser, "--source NAME...", f"{', '.join(backend_names())}", required=True, dest="backends")
    op = "an op such as Reverse-1; repeatable; default: all ops that the backend implements"
    add_option(parser, "--op OP...", op, dest="ops")
    add_option(parser, "--examples N", "number of generated cases per op", at_least=1, default=500)
    add_option(parser, "--seed N", "seed of the case generator", at_least=0, default=0)
    seconds = "time limit for generated cases, in seconds per op; default: 30"
    add_option(parser, "--seconds S", seconds, type=seconds_above_zero, default=30.0)
    add_option(parser, "--output-format", "", choices=FORMATS, default="table")
    add_option(parser, "--quiet -q", "no progress")
    add_workers(parser, jobs="1")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    registry = registry_of(args) or default_registry()
    ops = [definition_of(name, registry).id for name in args.ops] or None
    reports = []
    with refusing(MissingExtraError, UnusableBackendError), _storage(), ExitStack() as stack:
        workers = stack.enter_context(workers_of(args)) if is_distributed(args) else None
        for backend in args.backends:
            with progress_bar(f"testing {backend}", quiet=args.quiet) as progress:
                reports.append(
                    run_conformance(
                        backend,
                        ops,
                        examples=args.examples,
                        seed=args.seed,
                        seconds=args.seconds,
                        definitions=args.definitions,
                        modules=args.modules,
                        workers=workers,
                        progress=progress,
                    )
                )
    if args.output_format == "table":
        for report in reports:
            _show(report)
    else:
        form = verdict.as_json if args.output_format == "json" else verdict.as_junit
        sys.stdout.write(form(reports))
    return CLEAN if all(report.ok for report in reports) else FINDINGS


@contextmanager
def _storage() -> Iterator[None]:
    """Keep the files of Hypothesis in a temporary folder; by default it writes to the current folder."""
    if STORAGE in os.environ:
        yield
        return
    with TemporaryDirectory(prefix="irops-") as folder:
        os.environ[STORAGE] = folder
        try:
            yield
        finally:
            del os.environ[STORAGE]


def _show(report: ConformanceReport) -> None:
    counts = (">examples", ">counter-\nexamples", ">generated", ">declined", ">failed")
    out = table(f"backend {report.backend}", "op", *counts)
    for op in report.ops:
        out.add_row(
            op.op,
            *(f"{op.count(kind, Status.PASSED)}/{op.count(kind)}" for kind in KINDS),
            str(op.count(status=Status.DECLINED)),
            str(op.count(status=Status.FAILED)),
        )
    cases, failed = sum(op.count() for op in report.ops), sum(len(op.failures) for op in report.ops)
    out.caption = f"{plural(cases, 'case')}, {plural(failed, 'failure')}"
    show(out)
    print("", *_reasons(report.ops), *_failures(report), sep="\n")


def _reasons(ops: Sequence[OpReport]) -> list[str]:
    lines = []
    for op in ops:
        if op.note:
            lines.append(f"{op.op}: {op.note}")
        reasons = op.declined.most_common()
        lines += [f"{op.op} declined {count}: {printable(reason)}" for reason, count in reasons[:MANY]]
        if reasons[MANY:]:
            declined = sum(count for _, count in reasons[MANY:])
            lines.append(f"{op.op} declined {declined} for {plural(len(reasons) - MANY, 'other reason')}")
    return [*lines, ""] if lines else []


def _failures(report: ConformanceReport) -> list[str]:
    lines = []
    for op, outcome in report.failures():
        lines += [f"{op.op}, {printable(outcome.case)}: {printable(outcome.verdict.reason)}", ""]
        if outcome.snippet:
            lines += [*(f"    {printable(line)}" for line in outcome.snippet.split("\n")), ""]
    return lines
