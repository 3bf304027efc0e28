"""Starts Pythons that find no module in the current folder, which may hold anybody's files: unless the person
has named it in PYTHONPATH, or the program that calls irops lies there.
"""

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subprocess import Popen


PACKAGE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
"""The folder that holds the package irops."""


def start_python(
    module: str, *arguments: str, more: dict[str, str] | None = None, **options: Any
) -> "Popen[Any]":
    """Start `python -P -m module arguments`. more: variables of its environment; options: of Popen"""
    from subprocess import Popen  # as slow to import as a small command

    own = {"PYTHONPATH": os.pathsep.join(paths_of_children()), "PYTHONSAFEPATH": "1"}
    environment = {**os.environ, **own, **(more or {})}
    return Popen([sys.executable, "-P", "-m", module, *arguments], env=environment, **options)


def paths_of_children() -> list[str]:
    """The folders of modules of this process, and that of irops, but not the current folder by accident."""
    paths = [os.path.abspath(path) for path in sys.path if not _is_by_accident(path)]
    return list(dict.fromkeys([*paths, PACKAGE]))


def forget_current_folder() -> None:
    """Take the current folder out of the folders of modules of this process, unless it was asked for."""
    sys.path[:] = [path for path in sys.path if not _is_by_accident(path)]


def _is_by_accident(path: str) -> bool:
    """Whether a folder of sys.path is the current one, and nobody asked for it: Python adds it for -m, -c and
    a prompt, and for an empty entry of PYTHONPATH, such as $PYTHONPATH:/lib has if the variable is not set.
    """
    try:
        here = os.getcwd()
    except OSError:  # it was deleted
        return not path
    if path and os.path.abspath(path) != here:
        return False
    named = (os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path)
    return here not in named and not _has_code_of_this_process(here)


def _has_code_of_this_process(folder: str) -> bool:
    """Whether the program that runs lies in a folder, or has imported modules from it: they are its own."""
    for name, module in list(sys.modules.items()):
        file = None if "." in name else getattr(module, "__file__", None)
        if isinstance(file, str):
            place, base = os.path.split(os.path.abspath(file))
            if folder == (os.path.dirname(place) if base.startswith("__init__.") else place):
                return True
    return False
