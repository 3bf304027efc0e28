"""Finds and opens the files of models and of their weights, local or remote; nothing else opens them."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from irops.diagnostics.suggestions import similar
from irops.files.limits import Limits
from irops.files.storage import Weights, head_of, open_regular
from irops.files.urls import StrPath, is_url, local_path, looks_cut
from irops.ir.locate import root_tag
from irops.ir.remote import SNIFFED_BYTES, RemoteContent, RemoteError, RemoteWeights, models_at

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
            paths = {
                _stem(entry.name, suffix): entry.name for entry in entries if _may_be_meant(entry, suffix)
            }
    except (OSError, ValueError):
        return None
    meant = similar(_stem(name, suffix), paths)
    return None if meant is None else os.path.join(folder, paths[meant])


def _may_be_meant(entry: os.DirEntry[str], suffix: str) -> bool:
    return entry.name.endswith(suffix) or entry.is_dir()


def _stem(name: str, suffix: str) -> str:
    """Without the suffix, which would make all names similar."""
    return name.removesuffix(suffix)


class Readable(Protocol):
    """An open file."""

    def read(self, size: int, /) -> bytes: ...


@contextmanager
def opened(path: str, limits: Limits) -> Iterator[tuple[Readable, int]]:
    """A file of a model, open for reading from the start, and its size; 0 if a server does not say it.

    Raises:  NotRegular; RemoteError; OSError; ValueError for a path that no system accepts
    """
    if is_url(path):
        content = RemoteContent(path, limits)
        yield content, content.size
        return
    with open_regular(path) as file:
        yield file, os.fstat(file.fileno()).st_size


def weights_at(path: StrPath, limits: Limits) -> Weights:
    """The weights in a file, which need not exist; their fault is then set."""
    if is_url(path):
        return RemoteWeights(os.fspath(path), limits)
    return Weights.of_file(local_path(path))


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
            inside = sorted(_candidates(path, suffixes))
            models = [file for file in inside if not is_other_xml(file)]
            other_count = len(inside) - len(models)
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


def is_other_xml(path: str) -> bool:
    """Whether a file is XML but not a model.

    Damaged files and files with weights next to them count as models, so that they are checked.
    """
    try:
        root = root_tag(head_of(path, SNIFFED_BYTES))
    except OSError:
        return False
    return root is not None and root.lower() != "net" and not Path(path).with_suffix(".bin").exists()


def _candidates(folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
    is_here = folder in (os.curdir, HERE)
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        named = (os.path.join(place, name) for name in names if name.endswith(suffixes))
        yield from (file.removeprefix(HERE) if is_here else file for file in named)
