"""List what can compute, which ops each backend has, and why one cannot compute.

Where nobody says what shall compute, the fastest that is installed does, and
the reference what that one has no kernel for.

example:
  irops backends
  irops backends --op ReverseSequence-1
  irops backends --output-format json
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from irops.backends.backend import Backend, backend_names, backend_of, chain, missing
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.main import CLEAN
from irops.cli.subjects import definition_of
from irops.diagnostics.printable import plural
from irops.dialects import dialects
from irops.registry import Registry, default_registry

NAMED = 3
"""Ops up to which the table has their names, not their number."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A backend of the list. missing: what it lacks, or None; ops: those it has kernels for, as far as was
    asked.
    """

    backend: str
    default: bool
    missing: str | None
    ops: tuple[str, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--op",
        metavar="OP",
        action="append",
        default=[],
        dest="ops",
        help="only ask about this op (ReverseSequence-1), or the newest version of a type",
    )
    parser.add_argument("--output-format", choices=("full", "json"), default="full", help="default: full")
    parser.add_argument("--quiet", "-q", action="store_true", help="names of those that can compute only")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    registry = registry_of(args) or default_registry()
    named = tuple(definition_of(op, registry).id for op in args.ops)
    ops = named or (
        () if args.quiet else tuple(op for dialect in dialects() for op in registry.ids(dialect.name))
    )
    defaults = {backend.name for backend in chain(None)}
    entries = [entry(name, name in defaults, registry, ops) for name in backend_names()]
    if args.output_format == "json":
        json.dump({"version": 1, "backends": [asdict(one) for one in entries]}, sys.stdout, indent=2)
        print()
    elif args.quiet:
        sys.stdout.write(
            "".join(f"{one.backend}\n" for one in entries if one.missing is None and (one.ops or not named))
        )
    else:
        _show(entries)
    return CLEAN


def entry(name: str, default: bool, registry: Registry, ops: Iterable[str]) -> Entry:
    """What is to be said of a backend; one of another package that cannot be loaded lacks what its import
    says.
    """
    try:
        backend = backend_of(name)
    except Exception as error:
        return Entry(name, default, f"cannot be loaded: {type(error).__name__}: {error}", ())
    lacks = missing(backend)
    return Entry(
        name, default, lacks, () if lacks else tuple(op for op in ops if _has(backend, registry, op))
    )


def _has(backend: Backend, registry: Registry, op: str) -> bool:
    return backend.kernel(registry.op(op)) is not None


def _show(entries: list[Entry]) -> None:
    from irops.cli.streams import show
    from irops.cli.tables import table

    out = table("", "backend", "default", ">ops", "")
    out.title = None
    for one in entries:
        if one.missing is None:
            more = " …" if len(one.ops) > NAMED else ""
            out.add_row(
                one.backend,
                "yes" if one.default else "",
                str(len(one.ops)),
                ", ".join(one.ops[:NAMED]) + more,
            )
        else:
            out.add_row(one.backend, "", "", one.missing)
    out.caption = (
        f"{sum(one.missing is None for one in entries)} of {plural(len(entries), 'backend')} can compute"
    )
    show(out)
