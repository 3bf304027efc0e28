"""The models of a survey: files, folders, patterns, URLs, and lists of them."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from glob import glob, has_magic

from irops.diagnostics.printable import plural, printable
from irops.dialects import dialects
from irops.files.storage import content_of
from irops.files.urls import identity, is_url, local_path, without_credentials
from irops.ir.opening import is_other_xml, model_files
from irops.ir.remote import RemoteError, models_at
from irops.surveys.tasks import SurveyError

LIST = "@"
"""Before the name of a file that lists models, one on each line."""
MAX_SAID = 5
"""How many models that occur twice are named."""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model to examine. path: what is read; name: how the table calls it."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Listing:
    """The models, sorted by name. notes: sentences about what was left out."""

    models: tuple[ListedModel, ...]
    notes: tuple[str, ...] = ()


def listing(paths: Sequence[str | os.PathLike[str]]) -> Listing:
    """The models that some paths name, each once.

    A path is a file, a folder, a pattern (zoo/**/*.xml), a URL, or @FILE for a list of paths.
    Raises:  SurveyError for a path that matches nothing
    """
    models: dict[object, ListedModel] = {}
    twice: list[tuple[str, str]] = []
    others = 0
    names: Counter[str] = Counter()
    real = cache(os.path.realpath)
    for path in _expanded(os.fspath(path) for path in paths):
        files, skipped = _matches(local_path(path))
        others += skipped
        for file in files:
            name, place = shown(file), _place(file, real)
            if place not in models:
                names[name] += 1  # what URLs differ by may not be shown
                number = f" ({names[name]})" if names[name] > 1 else ""
                models[place] = ListedModel(file, f"{name}{number}")
            elif models[place].name != name:
                twice.append((name, models[place].name))
    if not models:
        raise SurveyError("no models: name files, folders or patterns")
    notes = [f"{printable(name)} is {printable(first)}, and counts once" for name, first in twice[:MAX_SAID]]
    if len(twice) > MAX_SAID:
        notes.append(f"{len(twice) - MAX_SAID} more models are named twice, and count once")
    if others:
        notes.append(f"{plural(others, 'other .xml file')} in folders left out")
    return Listing(tuple(sorted(models.values(), key=lambda model: model.name)), tuple(notes))


def shown(path: str) -> str:
    """A path or URL as the table has it: without credentials, and without bytes that are no text."""
    return os.fsencode(without_credentials(path)).decode("utf-8", "backslashreplace")


def _expanded(paths: Iterable[str]) -> Iterator[str]:
    """The paths, and those of the lists among them."""
    for path in paths:
        if not path.startswith(LIST) or os.path.lexists(path):
            yield path
            continue
        try:
            lines = content_of(path[1:]).decode("utf-8", "surrogateescape").splitlines()
        except OSError as error:
            raise SurveyError(
                f"the list of models {path[1:]} cannot be read: {error.strerror or error}"
            ) from None
        yield from (line.strip() for line in lines if line.strip() and not line.startswith("#"))


def _matches(path: str) -> tuple[Sequence[str], int]:
    """The models of a path, and the number of .xml files that are none."""
    if is_url(path):
        return _url_models(path)
    if os.path.lexists(path):
        found = model_files([path], _suffixes())
        if found.empty:
            is_readable = os.access(path, os.R_OK | os.X_OK)
            reason = "contains no models" if is_readable else "cannot be read"
            raise SurveyError(f"the folder {printable(path)} {reason}")
        return found.files, found.others
    if not has_magic(path):
        raise SurveyError(f"there is no file or folder {printable(path)}")
    matched = sorted(glob(path, recursive=True))
    folders = [one for one in matched if os.path.isdir(one)]
    files = [one for one in matched if one.endswith(_suffixes()) and one not in folders]
    models = [file for file in files if not is_other_xml(file)]
    inside = model_files(folders, _suffixes())
    if not models and not inside.files:
        raise SurveyError(f"no model matches {printable(path)}")
    return (*models, *inside.files), len(files) - len(models) + inside.others


def _url_models(url: str) -> tuple[Sequence[str], int]:
    """The models at a URL, and the number of .xml files that are none."""
    try:
        found, others = models_at(url, _suffixes())
    except RemoteError as error:
        raise SurveyError(f"{shown(url)} {error.sentence}") from None
    if not found:
        raise SurveyError(f"there are no models at {printable(shown(url))}")
    return found, others


@cache
def _suffixes() -> tuple[str, ...]:
    return tuple(suffix for dialect in dialects() for suffix in dialect.suffixes)


def _place(path: str, real: Callable[[str], str]) -> object:
    """A key that is equal for two spellings of one path. A link is a file with weights beside it."""
    if is_url(path):
        return identity(path)
    folder, name = os.path.split(path)
    return real(folder), name
