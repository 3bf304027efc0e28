"""What an entry depends on: the code, the libraries, the interpreter, and files beside a model.

A file is identified by its status, not by its content: its size, the time when it was modified, its number.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib.machinery import PathFinder
from pathlib import Path

from irops.files.switches import disabled

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIBRARIES = ("numpy", "ml_dtypes", "lxml", "networkx")
_SUFFIXES = (".py", ".xml", ".rng", ".so", ".pyd")
_TEXTS = (".py", ".xml", ".rng")
_COARSE, _FINE = 2.5, 0.1
"""Seconds within which two changes of a file may have the same time: where the file system counts in
seconds, and where it counts in ticks.
"""


@cache
def specification_folder() -> str:
    """The folder of definitions: in the package, or beside it in a checkout."""
    inside = os.path.join(PACKAGE, "schemas")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(PACKAGE), "schemas")


def own_version() -> str:
    """The version of irops. The package is not imported for it: that would import what uses this module."""
    return str(vars(sys.modules["irops"])["__version__"])


def interpreter() -> list[str]:
    """The versions of irops and of Python, and what changes how both work."""
    return [own_version(), sys.version, sys.platform, repr(sys.flags), ",".join(sorted(disabled()))]


@cache
def everything() -> bytes:
    """All that a result depends on beside its inputs: code, definitions, libraries, interpreter."""
    library_lines = [line for name in LIBRARIES for line in _library(name)]
    return "\n".join([*interpreter(), *library_lines, *tree(PACKAGE), *tree(specification_folder())]).encode(
        "utf-8", "surrogateescape"
    )


def tree(folder: str, suffixes: tuple[str, ...] = _SUFFIXES) -> list[str]:
    """A line for each file of code or definitions in a folder and the folders below it, sorted."""
    lines: list[str] = []
    folders = [folder]
    while folders:
        with os.scandir(folders.pop()) as found:
            for one in found:
                if one.name.endswith(suffixes):
                    lines.append(_line(one.path, one.stat()))
                elif "." not in one.name and one.name != "__pycache__" and one.is_dir():
                    folders.append(one.path)
    return sorted(lines)


@cache
def content() -> str:
    """A digest of the code and the definitions, which is the same on every machine that has the same."""
    digest = sha256()
    for root in (PACKAGE, specification_folder()):
        inner = [path for path in Path(root).rglob("*") if path.suffix in _TEXTS]
        schemas = specification_folder() + os.sep
        for path in sorted(inner):
            if root == PACKAGE and str(path).startswith(schemas):
                continue
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def file_identity(path: str) -> str:
    """What changes with a file, its permissions included; for a file that cannot be found, the reason."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        return f"{os.path.abspath(path)} {type(error).__name__} {getattr(error, 'errno', None)}"
    return (
        f"{_line(os.path.abspath(path), status)} {status.st_ctime_ns} {status.st_dev}"
        f" {os.access(path, os.R_OK)}"
    )


def is_recent(paths: Iterable[str]) -> bool:
    """Whether one of some files was changed so recently that its time may not show another change."""
    for path in paths:
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            continue
        if is_recent_time(max(status.st_mtime_ns, status.st_ctime_ns)):
            return True
    return False


def is_recent_time(modified: int) -> bool:
    """Whether a file changed, at a time in ns, so recently that another change may not show in the time."""
    tick = _FINE if modified % 1_000_000_000 else _COARSE
    return time.time() - modified / 1e9 < tick


def _line(path: str, status: os.stat_result) -> str:
    return f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ino} {status.st_mode}"


def _library(name: str) -> list[str]:
    """The place and the time of installation of a library, which is not imported."""
    found = PathFinder.find_spec(name)
    if found is None or found.origin is None:
        return [name]
    folder = os.path.dirname(found.origin)
    files = [found.origin, *(os.path.join(folder, file) for file in ("version.py", "_version.py"))]
    return [file_identity(file) for file in files]
