"""Modules of custom ops and rules: by file, by entry point of installed packages; errors have locations."""

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

from irops.diagnostics.diagnostic import DefinitionError, Diagnostic, Location, Rule
from irops.diagnostics.rules import add_rules, all_rules, rule

OPS, RULES = "irops.ops", "irops.rules"
BY_FILE = "irops_extension_"
"""Prefix of the names of modules that are imported by their file."""


def is_registered(group: str) -> bool:
    """Whether an installed package registers something under a group of entry points.

    importlib.metadata knows what, but takes a tenth of the time of a check to find that there is nothing.
    """
    return group in _registered(tuple(dict.fromkeys(sys.path)))


@lru_cache(maxsize=8)
def _registered(folders: tuple[str, ...]) -> frozenset[str]:
    groups = {f"[{group}]".encode(): group for group in (OPS, RULES)}
    registered: set[str] = set()
    for folder in folders:
        for file in _entry_point_files(folder or "."):
            try:
                with open(file, "rb") as opened:
                    text = opened.read()
            except OSError:  # packages that cannot be read cannot be imported either
                continue
            registered.update(group for sign, group in groups.items() if sign in text)
    return frozenset(registered)


def _entry_point_files(folder: str) -> list[str]:
    """The files that may list entry points, of the packages in a folder of sys.path."""
    try:
        with os.scandir(folder) as found:
            infos = [entry.path for entry in found if entry.name.endswith(("-info", "-INFO"))]
    except OSError:  # an archive, or not there
        return []
    return [os.path.join(info, "entry_points.txt") for info in infos]


_IMPORTING = RLock()


def module_of(file: Path) -> ModuleType:
    """The module in a file.

    Raises:  DefinitionError if it cannot be imported, with the line of the file that failed
    """
    name = f"{BY_FILE}{abs(hash(str(file.resolve()))):x}"
    with _IMPORTING:  # another thread must not get a module that is only partly executed
        return sys.modules[name] if name in sys.modules else _imported(name, file)


def _imported(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, Exception) and not isinstance(error, DefinitionError):
            text = error.msg if isinstance(error, SyntaxError) else error
            message = f"{file.name} cannot be imported: {type(error).__name__}: {text}"
            raise _error("failed-import", message, Location(str(file), _line_of(error, file))) from error
        raise
    return module


def plugin_folders() -> list[Path]:
    """The folders of packages that register under the entry point group.

    Raises:  DefinitionError if one cannot be imported
    """
    folders: list[Path] = []
    for _, package in _installed(OPS):
        folders += map(Path, getattr(package, "__path__", None) or [Path(package.__file__).parent])
    return folders


def _installed(group: str) -> Iterator[tuple[str, Any]]:
    """Objects that packages register under a group, with their entry points. Raises: DefinitionError"""
    if not is_registered(group):
        return
    from importlib.metadata import entry_points  # slow to import

    for entry in entry_points(group=group):
        try:
            loaded = entry.load()
        except Exception as error:
            which = f"the package {entry.value} ({group}: {entry.name})"
            raise _failed_import(which, Location(entry.value), error) from error
        yield entry.value, loaded


def is_extension(module: str) -> bool:
    """Whether a module is not part of irops."""
    return not module.startswith("irops.")


def _line_of(error: Exception, file: Path) -> int | None:
    """The line of the file that raised an error, or called what raised it."""
    names = (str(file), str(file.absolute()))
    if isinstance(error, SyntaxError) and error.filename in names:
        return error.lineno
    import traceback  # slow to import

    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename in names]
    return lines[-1] if lines else None


def rules() -> tuple[Rule, ...]:
    """All rules, by code: those of irops, then the custom rules of installed packages.

    Raises:  DefinitionError if a package cannot be imported, or its rules are invalid
    """
    load_installed_rules()
    return all_rules()


@cache
def load_installed_rules() -> None:
    """Add the rules of packages that register a module. Raises: DefinitionError"""
    for name, module in _installed(RULES):
        _add(module, name)


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
        raise _failed_import(f"the module {name} of custom rules", Location(name), error) from error
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


def _failed_import(which: str, place: Location, error: Exception) -> DefinitionError:
    return _error("failed-import", f"{which} cannot be imported: {error_text(error)}", place)


def _error(name: str, message: str, place: Location) -> DefinitionError:
    return DefinitionError([Diagnostic(rule(name), message, place)])
