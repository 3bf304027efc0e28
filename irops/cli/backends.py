"""List the backends, the ops each one implements, and why one is unavailable.

Without --source, irops uses the fastest installed backend, and the reference
for ops that this backend does not implement.

example:
  irops backends
  irops backends --op ReverseSequence-1
  irops backends --output-format json
"""

import argparse
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from irops.backends.catalogue import backend_names, backend_of, chain, missing
from irops.cli.display import print_json, table
from irops.cli.models import definition_of, registry_of
from irops.cli.options import add_extensions, add_format, add_option
from irops.cli.parser import CLEAN, DEFINITION_ERRORS
from irops.cli.streams import show
from irops.diagnostics.printable import plural
from irops.dialects import dialects
from irops.dialects.registry import Registry, default_registry

EXIT_1 = DEFINITION_ERRORS

NAMED = 2
"""The table lists the names of this many ops of each backend."""


@dataclass(frozen=True, slots=True)
class BackendEntry:
    """One row of the list.

    missing: why the backend is unavailable, or None; ops: those requested ops that it has kernels for.
    """

    backend: str
    default: bool
    missing: str | None
    ops: tuple[str, ...]


def configure(parser: argparse.ArgumentParser) -> None:
    op = "only consider this op (ReverseSequence-1), or the newest version of a type"
    add_option(parser, "--op OP...", op, dest="ops")
    add_format(parser)
    add_option(parser, "--quiet -q", "print only the names of available backends")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    registry = registry_of(args) or default_registry()
    requested_ops = tuple(definition_of(op, registry).id for op in args.ops)
    ops = requested_ops or (
        () if args.quiet else tuple(op for dialect in dialects() for op in registry.ids(dialect.name))
    )
    defaults = {backend.name for backend in chain(None)}
    entries = [entry(name, name in defaults, registry, ops) for name in backend_names()]
    if args.output_format == "json":
        print_json(1, {"backends": [asdict(row) for row in entries]})
    elif args.quiet:
        available = [row for row in entries if row.missing is None and (row.ops or not requested_ops)]
        sys.stdout.write("".join(f"{row.backend}\n" for row in available))
    else:
        _show(entries)
    return CLEAN


def entry(name: str, default: bool, registry: Registry, ops: Iterable[str]) -> BackendEntry:
    """The row of a backend. If the backend of a plug-in cannot be imported, `missing` is the import error."""
    try:
        backend = backend_of(name)
    except Exception as error:
        return BackendEntry(name, default, f"cannot be loaded: {type(error).__name__}: {error}", ())
    reason = missing(backend)
    kernels = () if reason else tuple(op for op in ops if backend.kernel(registry.op(op)) is not None)
    return BackendEntry(name, default, reason, kernels)


def _show(entries: list[BackendEntry]) -> None:
    out = table("", "backend", "default", ">ops", "")
    for row in entries:
        if row.missing is None:
            named = ", ".join(row.ops[:NAMED]) + (" …" if len(row.ops) > NAMED else "")
            out.add_row(row.backend, "yes" if row.default else "", str(len(row.ops)), named)
        else:
            out.add_row(row.backend, "", "", row.missing)
    out.caption = (
        f"{sum(row.missing is None for row in entries)} of {plural(len(entries), 'backend')} available"
    )
    show(out)
