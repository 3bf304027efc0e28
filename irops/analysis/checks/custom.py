"""Custom rules: found by entry points or loaded from modules, and checked after those of irops."""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import DefinitionError, Diagnostic, Location
from irops.diagnostics.rule import Rule
from irops.diagnostics.rules import add_rules, all_rules, rule
from irops.ir.model import Layer
from irops.spec.extension import module_of

ENTRY_POINTS = "irops.rules"


def rules() -> tuple[Rule, ...]:
    """All rules, by code: those of irops, then the custom rules of installed packages.

    Raises:  DefinitionError if a package cannot be imported, or its rules are invalid
    """
    load_installed_rules()
    return all_rules()


@cache
def load_installed_rules() -> None:
    """Add the rules of packages that register a module. Raises: DefinitionError"""
    if not _are_installed():
        return
    from importlib.metadata import entry_points  # slow to import

    for entry in entry_points(group=ENTRY_POINTS):
        try:
            module = entry.load()
        except Exception as error:
            message = (
                f"the package {entry.value} ({ENTRY_POINTS}: {entry.name}) cannot be imported: {_text(error)}"
            )
            raise _error("failed-import", message, Location(entry.value)) from error
        _add(module, entry.value)


def _are_installed() -> bool:
    """Whether an installed package registers rules: most do not, and this takes a tenth of the time."""
    group = f"[{ENTRY_POINTS}]".encode()
    for folder in map(Path, dict.fromkeys(sys.path)):
        for file in folder.glob("*-info/entry_points.txt"):
            with suppress(OSError):  # packages that cannot be read cannot be imported either
                if group in file.read_bytes():
                    return True
    return False


def load_rules(source: str | Path) -> None:
    """Add the rules of a module, by name, or by the path of a .py file. Raises: DefinitionError"""
    name = str(source)
    if name.endswith(".py"):
        if not Path(name).is_file():
            raise _error("failed-import", f"{name} does not exist", Location(name))
        return _add(module_of(Path(name)), name)
    try:
        module = importlib.import_module(name)
    except Exception as error:
        message = f"the module {name} of custom rules cannot be imported: {_text(error)}"
        raise _error("failed-import", message, Location(name)) from error
    return _add(module, name)


def _add(module: ModuleType, name: str) -> None:
    place = Location(getattr(module, "__file__", None) or name)
    listed = getattr(module, "RULES", None)
    if not isinstance(listed, (tuple, list)):
        raise _error("invalid-rule", f"{name} has no tuple RULES of irops.Rule objects", place)
    try:
        add_rules(listed)
    except ValueError as error:
        raise _error("invalid-rule", str(error), place) from None


def custom_findings(
    analysis: ModelAnalysis, inferred: Inferred, more: Iterable[Rule] = ()
) -> Iterator[Diagnostic]:
    """What the checks of custom rules find in a model. more: rules beside those that were added."""
    chosen = [one for one in dict.fromkeys((*all_rules(), *more)) if one.check is not None]
    if not chosen:
        return
    paths = {id(layer): path for path, layer in analysis.model.walk()}
    for one in chosen:
        assert one.check is not None
        try:
            for layer, message in one.check(analysis.model, inferred):
                yield Diagnostic(one, str(message), _place(analysis, layer, paths))
        except Exception as error:
            message = f"the check of {one.code} failed: {_text(error)}"
            yield Diagnostic(rule("failed-rule"), message, _code_place(one, error))


def _place(analysis: ModelAnalysis, layer: Any, paths: dict[int, tuple[str, ...]]) -> Location:
    if layer is None:
        return analysis.model.location()
    if not isinstance(layer, Layer):
        raise TypeError(f"it gave {layer!r} in place of a layer of the model, or None")
    return analysis.model.location(layer, paths.get(id(layer), ()))


def _code_place(failed: Rule, error: Exception) -> Location:
    """The line of the check that failed, or called what failed."""
    code = getattr(failed.check, "__code__", None)
    file = None if code is None else code.co_filename
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return Location(file, lines[-1] if lines else getattr(code, "co_firstlineno", None))


def _text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _error(name: str, message: str, place: Location) -> DefinitionError:
    return DefinitionError([Diagnostic(rule(name), message, place)])
