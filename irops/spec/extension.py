"""Imports the modules of custom ops, by file or by entry point, and reports errors with their locations."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from threading import RLock
from types import ModuleType

from irops.diagnostics.diagnostic import DefinitionError, Diagnostic, Location
from irops.diagnostics.rules import rule
from irops.spec.plugins import OPS, is_registered

_IMPORTING = RLock()


def module_of(file: Path) -> ModuleType:
    """The module in a file.

    Raises:  DefinitionError if it cannot be imported, with the line of the file that failed
    """
    name = f"irops_extension_{abs(hash(str(file.resolve()))):x}"
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
            raise DefinitionError(
                [Diagnostic(rule("failed-import"), message, Location(str(file), _line_of(error, file)))]
            ) from error
        raise
    return module


def plugin_folders() -> list[Path]:
    """The folders of packages that register under the entry point group.

    Raises:  DefinitionError if one cannot be imported
    """
    if not is_registered(OPS):
        return []
    from importlib.metadata import entry_points  # slow to import

    folders: list[Path] = []
    for entry in entry_points(group=OPS):
        try:
            package = entry.load()
        except Exception as error:
            message = (
                f"the package {entry.value} ({OPS}: {entry.name}) cannot be imported:"
                f" {type(error).__name__}: {error}"
            )
            raise DefinitionError(
                [Diagnostic(rule("failed-import"), message, Location(entry.value))]
            ) from error
        folders += map(Path, getattr(package, "__path__", None) or [Path(package.__file__).parent])
    return folders


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
