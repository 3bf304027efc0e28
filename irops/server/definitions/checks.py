"""What is wrong with the text of a definition: its grammar, and its coherence with its functions."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from irops.diagnostics.diagnostic import DefinitionError, Diagnostic, Location
from irops.diagnostics.rule import Severity
from irops.diagnostics.rules import rule
from irops.server.options import ServerOptions
from irops.spec.binding import functions_of
from irops.spec.definition import Definition
from irops.spec.extension import module_of
from irops.spec.load import incoherences, load_definition
from irops.spec.schemas import schemas_folder
from irops.spec.types import OPENVINO


def definition_findings(path: str, text: bytes, options: ServerOptions) -> list[Diagnostic]:
    """The findings on a definition. Functions are imported, and so run, only where they are irops' own or in
    a folder that the options name: an editor may show files of strangers.
    """
    try:
        definition = load_definition(path, text=text)
        modules = modules_of(definition, options)
        if not modules:
            return []
        functions = functions_of(definition, modules)
    except DefinitionError as error:
        return list(error.diagnostics)
    lines = text.decode("utf-8", "replace").splitlines()
    return [_finding(definition, message, lines) for message in incoherences(definition, functions)]


def modules_of(definition: Definition, options: ServerOptions) -> tuple[str, ...]:
    """The names of the modules with the functions of a definition, imported; none where they may not run."""
    path = Path(definition.path).resolve()
    if definition.dialect != OPENVINO:
        return ()  # its functions are those of another op, or in a module of its dialect
    if path.is_relative_to(schemas_folder().resolve()):
        name = f"irops.ops.{definition.category}.{definition.module}"
        if find_spec(name) is None:
            raise _missing(definition, f"module {name}")
        return import_module(name).__name__, *(name for name in sys.modules if name.startswith("irops.ops."))
    if any(path.is_relative_to(Path(folder).resolve()) for folder in options.definitions):
        file = path.parent / f"{definition.module}.py"
        if file.is_file():
            return (module_of(file).__name__, *options.modules)
        if not options.modules:
            raise _missing(definition, f"module {file.name} beside its definition")
        return tuple(import_module(name).__name__ for name in options.modules)
    return ()


def _missing(definition: Definition, what: str) -> DefinitionError:
    place = Location(definition.path, 1)
    return DefinitionError([Diagnostic(rule("missing-function"), f"{definition.id} has no {what}", place)])


def _finding(definition: Definition, message: str, lines: list[str]) -> Diagnostic:
    """A finding on a constraint, at its element; a warning where the functions are sound without it."""
    constraint = message.partition(" ")[0].rpartition(":")[2]
    is_at = (k for k, line in enumerate(lines, 1) if "<constraint" in line and f'"{constraint}"' in line)
    place = Location(definition.path, next(is_at, 1))
    if constraint not in definition.constraints:
        return Diagnostic(rule("undefined-constraint"), message, place)
    return Diagnostic(rule("inconsistent-definition"), message, place, level=Severity.WARNING)
