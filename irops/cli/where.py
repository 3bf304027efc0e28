"""Show which files define an op: its definition, and its functions with lines.

example:
  irops where ReverseSequence-1
  irops where reverse --output-format json
"""

from __future__ import annotations

import argparse
import inspect
from pathlib import Path

from irops.cli.command import CLEAN, Command
from irops.cli.extensions import add_extensions, registry_of
from irops.cli.lookup import definition_of
from irops.cli.options import add_format
from irops.cli.streams import say, write
from irops.diagnostics.printable import json_text, printable
from irops.ops import stock
from irops.registry import Registry, default_registry
from irops.spec.op import Op

COMMAND = Command("show which files define an op", 220)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "ops", nargs="+", metavar="OP", help="an op (ReverseSequence-1), or a type for its newest version"
    )
    add_format(parser)
    parser.add_argument("--quiet", "-q", action="store_true", help="print only the places")
    add_extensions(parser)


def execute(args: argparse.Namespace) -> int:
    registry = registry_of(args) or default_registry()
    places_by_op = {
        name: source_places(registry, name) for name in (definition_of(op, registry).id for op in args.ops)
    }
    if args.output_format == "json":
        listed = [
            {
                "op": name,
                **{role: {"file": file, "line": line} for role, (file, line) in places_by_role.items()},
            }
            for name, places_by_role in places_by_op.items()
        ]
        write(json_text({"version": 1, "ops": listed}))
        return CLEAN
    for name, places_by_role in places_by_op.items():
        if len(places_by_op) > 1 and not args.quiet:
            say(printable(name))
        for role, (file, line) in places_by_role.items():
            say(f"{'' if args.quiet else f'{printable(role):18}'}{printable(_short(file))}:{line}")
    return CLEAN


def source_places(registry: Registry, op: str) -> dict[str, tuple[str, int]]:
    """File and line of the definition and of each function of an op, by role."""
    places_by_op = registry.op(op)
    places_by_role = {"definition": (places_by_op.definition.path, 1)}
    for role, function in places_by_op.functions.by_role().items():
        code = inspect.unwrap(function).__code__
        places_by_role[role] = (code.co_filename, code.co_firstlineno)
    return places_by_role | _stock_shape_rule(places_by_op, places_by_role)


def _stock_shape_rule(op: Op, places_by_role: dict[str, tuple[str, int]]) -> dict[str, tuple[str, int]]:
    """The shared shape rule of an op that has no shape function."""
    rules = [
        stock.RULES[port.shape[0]]
        for port in op.definition.outputs
        if port.shape and port.shape[0] in stock.RULES
    ]
    if "shape" in places_by_role or not rules:
        return {}
    return {"shape": (rules[0].__code__.co_filename, rules[0].__code__.co_firstlineno)}


def _short(file: str) -> str:
    """The path relative to the current folder, if the file is in it."""
    try:
        return str(Path(file).resolve().relative_to(Path.cwd()))
    except (ValueError, FileNotFoundError):  # elsewhere, or the current folder was removed
        return file
