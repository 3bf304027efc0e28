"""Find the model files named by paths of files and folders, and by URLs."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from irops.files.urls import is_url, local_path
from irops.ir.opening import models_at
from irops.ir.regular import open_regular
from irops.ir.remote.reasons import RemoteError
from irops.ir.root_tag import root_tag

SNIFFED_BYTES = 1 << 16
"""How many bytes are read to detect the kind of a file."""
HERE = os.path.join(os.curdir, "")
"""Files in the current folder are named without it, as services that show findings name them."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The model files, in order, without duplicates.

    empty: folders without models; others: the number of .xml files in folders that are not models.
    """

    files: tuple[str, ...]
    empty: tuple[str, ...]
    others: int


def model_files(paths: Sequence[str], suffixes: tuple[str, ...]) -> ModelFiles:
    """The named files, and the models in named folders and their subfolders, sorted by path.

    Links to files are followed, links to folders are not; hidden folders are skipped. A URL may be that of a
    folder, too, or a pattern (s3://bucket/**/*.xml).
    suffixes: how names of models end
    """
    files: dict[str, None] = {}
    empty: list[str] = []
    others = 0
    for path in map(local_path, paths):
        if is_url(path):
            models, other_count = _remote(path, suffixes)
        elif os.path.isdir(path):
            models, other_count = _local(path, suffixes)
        else:
            models, other_count = (path,), 0
        files.update(dict.fromkeys(models))
        others += other_count
        if not models:
            empty.append(path)
    return ModelFiles(tuple(files), tuple(empty), others)


def _remote(url: str, suffixes: tuple[str, ...]) -> tuple[Sequence[str], int]:
    """The models of a URL; the URL itself if it cannot be listed, which is reported when it is read."""
    try:
        return models_at(url, suffixes)
    except RemoteError:
        return (url,), 0


def _local(folder: str, suffixes: tuple[str, ...]) -> tuple[Sequence[str], int]:
    """The models in a folder, and the number of .xml files in it that are not models."""
    inside = sorted(_candidates(folder, suffixes))
    models = [file for file in inside if not is_other_xml(file)]
    return models, len(inside) - len(models)


def is_other_xml(path: str) -> bool:
    """Whether a file is XML but not a model.

    Damaged files and files with weights next to them count as models, so that they are checked.
    """
    try:
        with open_regular(path) as file:
            root = root_tag(file.read(SNIFFED_BYTES))
    except OSError:
        return False
    return root is not None and root.lower() != "net" and not Path(path).with_suffix(".bin").exists()


def _candidates(folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    is_here = folder in (os.curdir, HERE)
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        named = (os.path.join(place, name) for name in names if name.endswith(suffixes))
        yield from (file.removeprefix(HERE) if is_here else file for file in named)
