"""The one way in which irops starts other programs: which code they find, which environment they get, and
that they end with the process that started them.

The folder in which a person works may hold anybody's files. A Python that irops starts (`start_python`) finds
no module in it, unless the person has named it in PYTHONPATH, or the program that calls irops lies there.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subprocess import Popen

PACKAGE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
"""The folder that holds the package irops."""
PASSED = frozenset(
    {
        "PYTHONASYNCIODEBUG",
        "PYTHONDEVMODE",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONFAULTHANDLER",
        "PYTHONHASHSEED",
        "PYTHONHOME",
        "PYTHONIOENCODING",
        "PYTHONMALLOC",
        "PYTHONNOUSERSITE",
        "PYTHONOPTIMIZE",
        "PYTHONPYCACHEPREFIX",
        "PYTHONTRACEMALLOC",
        "PYTHONUNBUFFERED",
        "PYTHONUSERBASE",
        "PYTHONUTF8",
        "PYTHONWARNINGS",
    }
)
"""The variables of Python itself that a child gets, beside PYTHONPATH. Others run code (PYTHONSTARTUP,
PYTHONINSPECT, PYTHONBREAKPOINT), or are for one process alone. Those of libraries, CUDA_VISIBLE_DEVICES say,
are all passed: the environment belongs to the person who starts irops.
"""


def start_python(
    module: str, *arguments: str, environment: Mapping[str, str] | None = None, **options: Any
) -> Popen[bytes]:
    """Start `python -P -m module arguments`, which finds no module in its current folder.

    environment: variables beside those of this process; options: of Popen
    """
    from subprocess import Popen  # as slow to import as a small command

    command = [sys.executable, "-P", "-m", module, *arguments]
    return Popen(command, env=child_environment(environment or {}), **options)


def child_environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a Python that irops starts, with the folders of modules. more: further variables"""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON") or name in PASSED
    }
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(paths_of_children()),
        "PYTHONSAFEPATH": "1",
        **(more or {}),
    }


def paths_of_children() -> list[str]:
    """The folders of modules of this process, and that of irops, without the current one (see below)."""
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


def program(name: str) -> str | None:
    """The absolute path of a program in PATH; None if there is none. The current folder does not count, not
    even on Windows, which looks there first, or as a relative folder of PATH.
    """
    suffixes = os.environ.get("PATHEXT", ".EXE").split(os.pathsep) if os.name == "nt" else [""]
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for suffix in suffixes if os.path.isabs(folder) else ():
            path = os.path.join(folder, f"{name}{suffix}")
            if os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None


# A process ends with its parent, whatever signal the parent dies of.

PR_SET_PDEATHSIG = 1
POLL_SECONDS = 0.5
ORPHANED = 2
"""The exit status of a process that ends because its parent did; nobody sees it."""


def end_with_parent(parent: int) -> None:
    """End this process when its parent ends. parent: the id that the parent had when it started this process.

    On Linux the kernel does it, even during a long computation; elsewhere a thread watches.
    """
    if os.name == "nt" or os.getppid() == 0:  # in another namespace: the parent cannot be seen
        return
    if not _signalled_by_kernel():
        from threading import Thread

        Thread(target=_watch, args=(parent,), daemon=True, name="irops parent").start()
    elif os.getppid() != parent:  # it died before the kernel knew whom to signal
        os._exit(ORPHANED)


def _signalled_by_kernel() -> bool:
    if sys.platform != "linux":
        return False
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(POLL_SECONDS)
    os._exit(ORPHANED)
