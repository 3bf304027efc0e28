"""Finds and opens the files of models and of their weights, local or remote; nothing else opens them."""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Protocol

from irops.diagnostics.diagnostic import ReadError
from irops.diagnostics.suggestions import similar
from irops.files.limits import Limits
from irops.files.storage import NotRegular, Weights, open_regular
from irops.files.urls import Place, StrPath, looks_cut
from irops.ir.locate import root_tag
from irops.ir.parse import Faults
from irops.ir.remote import MAGIC, RemoteContent, RemoteError, RemoteWeights, files_at

LISTED = 5
"""So many files of the folder are named where none has a similar name."""


def near(path: StrPath, suffix: str) -> tuple[str, ...]:
    """Notes for a path that leads to no file: a similar path, or what the folder contains.

    suffix: of the files that may be meant; a folder may be meant as well
    """
    if looks_cut(path):
        return ("a URL must be passed as a text: pathlib removes one of its slashes",)
    folder = Path(path).parent
    if not folder.is_dir():
        return (f"the folder {folder} does not exist",)
    files = sorted(file.name for file in folder.glob(f"*{suffix}"))
    meant = similar_path(os.fspath(path), suffix)
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
            names = [entry.name for entry in entries if entry.name.endswith(suffix) or entry.is_dir()]
    except (OSError, ValueError):
        return None
    paths = {entry.removesuffix(suffix): entry for entry in names}  # the suffix would make all names similar
    meant = similar(name.removesuffix(suffix), paths)
    return None if meant is None else os.path.join(folder, paths[meant])


class Readable(Protocol):
    """An open file."""

    def read(self, size: int, /) -> bytes: ...


@contextmanager
def opened(path: StrPath, limits: Limits) -> Iterator[tuple[Readable, int]]:
    """A file of a model, open for reading from the start, and its size; 0 if a server does not say it.

    Raises:  NotRegular; RemoteError; OSError; ValueError for a path that no system accepts
    """
    place = Place.of(path)
    if place.is_remote:
        content = RemoteContent(place, limits)
        yield content, content.size
        return
    with open_regular(place) as file:
        yield file, os.fstat(file.fileno()).st_size


@contextmanager
def opened_model(path: Place, faults: Faults, suffix: str) -> Iterator[tuple[Readable, int]]:
    """The file of a model, as `opened` gives it. suffix: of such files

    Raises:  ReadError, which says why it cannot be read, also if the block cannot
    """
    try:
        with opened(path, faults.limits) as opened_file:
            yield opened_file
    except NotRegular as error:
        raise faults.stop("not-a-file", f"{path} {error}, must be an {suffix} file") from None
    except FileNotFoundError:
        raise faults.stop("file-not-found", f"{path} does not exist", notes=near(path, suffix)) from None
    except RemoteError as error:
        must_be = f", must be an {suffix} file" if error.rule == "not-a-file" else ""
        raise faults.stop(error.rule, f"{path} {error.sentence}{must_be}") from None
    except OSError as error:
        raise faults.stop("unreadable-file", f"{path} cannot be read: {error.strerror}") from None
    except ReadError:
        raise
    except ValueError as error:  # a path that no system accepts, with a null character for example
        raise faults.stop("unreadable-file", f"{path} cannot be read: {error}") from None


def weights_at(path: StrPath, limits: Limits) -> Weights:
    """The weights in a file, which need not exist; their fault is then set."""
    place = Place.of(path)
    return RemoteWeights(place, limits) if place.is_remote else Weights.of_file(place)


HERE = os.path.join(os.curdir, "")
"""Files in the current folder are named without it, as services that show findings name them."""
SNIFFED_BYTES = 1 << 16
"""How many bytes are read to detect the kind of a file."""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """The model files, in order, without duplicates.

    empty: folders without models; others: the number of .xml files in folders that are not models.
    """

    files: tuple[str, ...]
    empty: tuple[str, ...]
    others: int


def model_files(paths: Sequence[str], suffixes: tuple[str, ...]) -> ModelFiles:
    """The models that paths name, see models_at; of a path that names nothing, the path itself, whose fault
    is reported when it is read.
    """
    files: dict[str, None] = {}
    empty: list[str] = []
    others = 0
    for place in map(Place.of, paths):
        path = os.fspath(place)
        try:
            models, other_count = models_at(place, suffixes)
        except RemoteError:
            models, other_count = (path,), 0
        if not models and (place.is_remote or os.path.isdir(path)):
            empty.append(path)
        else:
            files.update(dict.fromkeys(models or (path,)))
        others += other_count
    return ModelFiles(tuple(files), tuple(empty), others)


def models_at(path: StrPath, suffixes: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """The models that a path names, sorted, and the number of .xml files that are not models.

    A local file is a model, and so is a URL with a suffix of models, which need not exist. Folders have those
    in their subfolders, too; in patterns, ** stands for any folders. Links to files are followed, links to
    folders are not; hidden folders are skipped.
    suffixes: how names of models end
    Raises:  RemoteError if there is no such folder, or it cannot be listed
    """
    place = Place.of(path)
    if place.is_remote and (MAGIC.search(place.path) or not place.path.endswith(suffixes)):
        files = files_at(place)
    elif not place.is_remote and (os.path.isdir(place) or not os.path.lexists(place)):
        files = list(_local_files(place.path))
    else:
        return (os.fspath(place),), 0
    known = set(files)
    named = [file for file in files if file.path.endswith(suffixes)]
    models = tuple(os.fspath(file) for file in named if not _is_other_xml(file, known))
    return models, len(named) - len(models)


def _local_files(path: str) -> Iterator[Place]:
    """The files in a folder; for a pattern, the files that match it and those in folders that match it."""
    for entry in [path] if os.path.lexists(path) else sorted(glob(path, recursive=True)):
        yield from map(Place, sorted(_files_in(entry)) if os.path.isdir(entry) else (entry,))


def _files_in(folder: str) -> Iterator[str]:
    is_here = folder in (os.curdir, HERE)
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))  # os.walk has no order
        named = (os.path.join(place, name) for name in names)
        yield from (file.removeprefix(HERE) if is_here else file for file in named)


def _is_other_xml(file: Place, files: Collection[Place]) -> bool:
    """Whether a file is XML but not a model. Damaged files and files with weights next to them count as
    models, so that they are checked.
    """
    weights = file.with_suffix(".bin")
    if file.suffix != ".xml" or weights in files or (not file.is_remote and os.path.exists(weights)):
        return False
    try:
        with opened(file, Limits()) as (content, _):
            root = root_tag(content.read(SNIFFED_BYTES))
    except OSError:  # reported when the file is read
        return False
    return root is not None and root.lower() != "net"
