"""Which files are meant by files and folders."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from irops.dialects import dialects
from irops.ir.regular import open_regular

_BEFORE_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?(?>\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*>)*+<([A-Za-z_][\w:.-]*)", re.DOTALL
)
LOOKED_AT = 1 << 16
"""How many bytes are looked at to tell what a file is."""


@dataclass(frozen=True, slots=True)
class Found:
    """The files to check, in order, each once; empty: folders that hold none; others: how many .xml files in
    folders are no models.
    """

    files: tuple[str, ...]
    empty: tuple[str, ...]
    others: int


def found_in(paths: Sequence[str]) -> Found:
    """Files as they are named, and the models in folders and all folders below them, by path.

    Links to files are followed, links to folders are not; folders whose names start with a dot are not
    entered.
    """
    files: dict[str, None] = {}
    empty: list[str] = []
    others = 0
    for path in paths:
        if not os.path.isdir(path):
            files[path] = None
            continue
        inside = sorted(_texts(path))
        models = [file for file in inside if not _is_other(file)]
        others += len(inside) - len(models)
        files.update(dict.fromkeys(models))
        if not models:
            empty.append(path)
    return Found(tuple(files), tuple(empty), others)


def model_help() -> str:
    """What the MODEL of a command may be."""
    return "; ".join(dialect.file_help for dialect in dialects() if dialect.file_help)


def _texts(folder: str) -> Iterator[str]:
    suffixes = tuple(suffix for dialect in dialects() for suffix in dialect.suffixes)
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(place, name) for name in names if name.endswith(suffixes))


def _is_other(path: str) -> bool:
    """Whether a file is XML of another kind. What is damaged is told, and so is what has weights beside
    it.
    """
    try:
        with open_regular(path) as file:
            root = _BEFORE_ROOT.match(file.read(LOOKED_AT))
    except OSError:
        return False
    return root is not None and root[1].lower() != b"net" and not Path(path).with_suffix(".bin").exists()
