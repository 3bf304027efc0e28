"""Custom rules: registered by installed packages under an entry point, or loaded from modules."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from types import ModuleType

from irops.diagnostics.diagnostic import DefinitionError, Diagnostic, Location, Rule
from irops.diagnostics.rules import add_rules, all_rules, rule
from irops.spec.extension import module_of
from irops.spec.plugins import RULES, is_registered


def rules() -> tuple[Rule, ...]:
    """All rules, by code: those of irops, then the custom rules of installed packages.

    Raises:  DefinitionError if a package cannot be imported, or its rules are invalid
    """
    load_installed_rules()
    return all_rules()


@cache
def load_installed_rules() -> None:
    """Add the rules of packages that register a module. Raises: DefinitionError"""
    if not is_registered(RULES):
        return
    from importlib.metadata import entry_points  # slow to import

    for entry in entry_points(group=RULES):
        try:
            module = entry.load()
        except Exception as error:
            message = (
                f"the package {entry.value} ({RULES}: {entry.name}) cannot be imported: {error_text(error)}"
            )
            raise _error("failed-import", message, Location(entry.value)) from error
        _add(module, entry.value)


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
        message = f"the module {name} of custom rules cannot be imported: {error_text(error)}"
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


def error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _error(name: str, message: str, place: Location) -> DefinitionError:
    return DefinitionError([Diagnostic(rule(name), message, place)])
