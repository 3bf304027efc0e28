"""The models of a survey: files, folders, patterns, URLs, and lists of them."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from glob import has_magic

from irops.diagnostics.printable import plural, printable
from irops.dialects import model_suffixes
from irops.files.storage import content_of
from irops.files.urls import Place, StrPath
from irops.ir.opening import models_at
from irops.ir.remote import RemoteError
from irops.surveys.tasks import SurveyError

LIST = "@"
"""Before the name of a file that lists models, one on each line."""


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


def listing(paths: Sequence[StrPath]) -> Listing:
    """The models that some paths name, each once.

    A path is a file, a folder, a pattern (zoo/**/*.xml), a URL, or @FILE for a list of paths.
    Raises:  SurveyError for a path that matches nothing
    """
    models: dict[str, ListedModel] = {}
    others = 0
    names: Counter[str] = Counter()
    for path in _expanded(os.fspath(path) for path in paths):
        files, skipped = _matches(path)
        others += skipped
        for file in files:
            name, place = shown(file), Place.of(file).identity()
            if place not in models:
                names[name] += 1  # what URLs differ by may not be shown
                number = f" ({names[name]})" if names[name] > 1 else ""
                models[place] = ListedModel(file, f"{name}{number}")
    if not models:
        raise SurveyError("no models: name files, folders or patterns")
    notes = (f"{plural(others, 'other .xml file')} in folders left out",) if others else ()
    return Listing(tuple(sorted(models.values(), key=lambda model: model.name)), notes)


def shown(path: str) -> str:
    """A path or URL as the table has it: without credentials, and without bytes that are no text."""
    return os.fsencode(str(Place.of(path))).decode("utf-8", "backslashreplace")


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
    place = Place.of(path)
    name = printable(str(place))  # which a file may not have, as half of a surrogate pair
    is_there = place.is_remote or os.path.lexists(place)
    if not is_there and not has_magic(place.path):
        raise SurveyError(f"there is no file or folder {name}")
    try:
        models, others = models_at(place, model_suffixes())
    except RemoteError as error:
        raise SurveyError(f"{name} {error.sentence}") from None
    if models:
        return models, others
    if place.is_remote:
        raise SurveyError(f"there are no models at {name}")
    if not is_there:
        raise SurveyError(f"no model matches {name}")
    is_readable = os.access(place, os.R_OK | os.X_OK)
    raise SurveyError(f"the folder {name} {'contains no models' if is_readable else 'cannot be read'}")
