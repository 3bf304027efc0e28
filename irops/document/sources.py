"""Where the definition and the functions of an op are, as text and as links."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path

from irops import addresses
from irops.spec.op import Op
from irops.spec.schemas import schemas_folder

PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Place:
    """A file of an op. url: '' for files that are not of irops, and where irops has no repository."""

    what: str
    text: str
    url: str


def repository_url(path: str) -> str:
    """The page of a file of irops; a line follows a colon. '' where irops has no repository."""
    file, _, line = path.partition(":")
    if not addresses.REPOSITORY:
        return ""
    return f"{addresses.REPOSITORY}/blob/{addresses.BRANCH}/{file}{'#L' + line if line else ''}"


def places(op: Op) -> tuple[Place, ...]:
    """The files of the op: its definition, and its functions with lines."""
    found = [_place("definition", Path(op.definition.path))]
    for role, function in op.functions.by_role().items():
        code = inspect.unwrap(function).__code__
        found.append(_place(role, Path(code.co_filename), code.co_firstlineno))
    return tuple(found)


def _place(what: str, file: Path, line: int = 0) -> Place:
    inside = ""
    for folder, name in ((schemas_folder(), "schemas"), (PACKAGE, "irops")):
        if not inside and file.is_relative_to(folder):
            inside = f"{name}/{file.relative_to(folder).as_posix()}"
    text = f"{inside or file.as_posix()}{f':{line}' if line else ''}"
    return Place(what, text, repository_url(text) if inside else "")
