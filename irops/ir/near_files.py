"""Which file a person may have meant by a path that leads to none."""

from __future__ import annotations

import os
from pathlib import Path

from irops.diagnostics.suggestions import similar
from irops.files.urls import looks_cut

LISTED = 5
"""So many files of the folder are named where none has a similar name."""


def near(path: str, suffix: str) -> tuple[str, ...]:
    """Notes for a path that leads to no file: a similar path, or what the folder contains.

    suffix: of the files that may be meant; a folder may be meant as well
    """
    if looks_cut(path):
        return ("a URL must be passed as a text: pathlib removes one of its slashes",)
    folder = Path(path).parent
    if not folder.is_dir():
        return (f"the folder {folder} does not exist",)
    files = sorted(one.name for one in folder.glob(f"*{suffix}"))
    meant = similar_path(path, suffix)
    if meant is not None:
        return (f"did you mean {meant}?",)
    return (f"the folder contains {', '.join(files[:LISTED])}",) if files else ()


def similar_path(path: str, suffix: str) -> str | None:
    """The path of the file with the suffix, or of the folder, whose name is most like that of a path; None if
    none is like it.
    """
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or ".") as entries:
            paths = {_stem(one.name, suffix): one.name for one in entries if _may_be_meant(one, suffix)}
    except (OSError, ValueError):
        return None
    meant = similar(_stem(name, suffix), paths)
    return None if meant is None else os.path.join(folder, paths[meant])


def _may_be_meant(entry: os.DirEntry[str], suffix: str) -> bool:
    return entry.name.endswith(suffix) or entry.is_dir()


def _stem(name: str, suffix: str) -> str:
    """Without the suffix, which would make all names similar."""
    return name.removesuffix(suffix)
