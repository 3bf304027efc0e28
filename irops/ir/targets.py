"""Where files may be written: one decision for every output of every command and function.

A target is refused if it is a file that the same command reads (under any name: a model, its weights, inputs,
a baseline), if it is a file of another kind than what is written (a report over a model), or if it is a link
that leads to nothing. Files whose names irops chooses (the .bin beside an .xml, those in a folder of results)
do not replace files of others, unless the user says --overwrite. docs/SECURITY.md lists all outputs.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from irops.files.urls import StrPath, is_url, local_path, without_credentials

Identity = tuple[int, int]
"""The device and the inode of a file."""

_files_read: ContextVar[dict[Identity, str] | None] = ContextVar("files_read", default=None)
"""The files that the current command has read, each with the path by which it was read first; None where no
command is running.
"""
_may_overwrite: ContextVar[bool] = ContextVar("may_overwrite", default=False)
"""Whether the user allowed that files which irops did not write are replaced."""


class TargetRefused(OSError):
    """A file must not be written; the text says why, and names the file."""


class Unwritable(ValueError):
    """A model that no .xml file can hold, or a path that no model can be written to."""


@dataclass(frozen=True, slots=True)
class Output:
    """What is written. name: as messages call it; suffixes: of files that hold such content."""

    name: str
    suffixes: tuple[str, ...] = ()


MODEL = Output("a model", (".xml", ".onnx"))
WEIGHTS = Output("weights", (".bin",))
ARRAYS = Output("arrays", (".npz", ".npy"))
REPORT = Output("a report")
JUNIT = Output("a JUnit report", (".xml",))
PICTURE = Output("a picture", (".svg", ".html", ".dot"))
BASELINE = Output("a baseline")
TRACE = Output("a profile")
TABLE = Output("a table", (".csv", ".parquet"))
PROGRAM = Output("a program", (".py",))

OWNERS = {suffix: output for output in (MODEL, WEIGHTS, ARRAYS, PROGRAM) for suffix in output.suffixes} | {
    ".toml": Output("settings", (".toml",))
}
"""Suffixes of files that no other kind of output replaces."""


@contextmanager
def command_targets(*, overwrite: bool = False) -> Iterator[None]:
    """Note which files the block, a command, reads, so that it does not write over them.

    overwrite: whether names that irops chooses may replace files that it did not write
    """
    read, allowed = _files_read.set({}), _may_overwrite.set(overwrite)
    try:
        yield
    finally:
        _files_read.reset(read)
        _may_overwrite.reset(allowed)


def note_read(status: os.stat_result, path: StrPath) -> None:
    """Note that the current call reads a file."""
    files = _files_read.get()
    if files is not None and status.st_ino:
        files.setdefault((status.st_dev, status.st_ino), os.fspath(path))


def local_target(path: StrPath, output: Output, *, may_replace: Collection[StrPath] = ()) -> Path:
    """The file that is written for a path: the one that a link leads to.

    may_replace: files that this call reads in order to replace them, as check --fix does
    Raises:  TargetRefused
    """
    if is_url(path):
        raise TargetRefused(f"{without_credentials(path)} is a URL; irops writes local files only")
    name = local_path(path)
    target = Path(os.path.realpath(name))
    if os.path.islink(name) and not os.path.lexists(target):
        raise TargetRefused(
            f"{name} is a link to {target}, which does not exist; remove the link to write here"
        )
    _require_kind(name, target, output)
    _require_unread(name, target, output, may_replace)
    return target


def _require_kind(name: str, target: Path, output: Output) -> None:
    owner = OWNERS.get(target.suffix.lower())
    if owner is not None and target.suffix.lower() not in output.suffixes:
        raise TargetRefused(
            f"{name} has the suffix of {owner.name}, and would hold {output.name}; choose another name"
        )
    if output is JUNIT and _is_model(target):
        raise TargetRefused(f"{name} is a model, and would be replaced by {output.name}; choose another name")


def _is_model(path: Path) -> bool:
    """Whether an .xml file begins as an IR does."""
    try:
        with path.open("rb") as file:
            return b"<net" in file.read(4096)
    except OSError:
        return False


def _require_unread(name: str, target: Path, output: Output, may_replace: Collection[StrPath]) -> None:
    files = _files_read.get()
    if not files:
        return
    try:
        status = target.stat()
    except OSError:
        return
    read_as = files.get((status.st_dev, status.st_ino))
    if read_as is None or any(_is_same(target, path) for path in may_replace):
        return
    also = "" if os.path.realpath(read_as) == str(target) else f" (as {without_credentials(read_as)})"
    raise TargetRefused(
        f"{name} is read by this command{also}, and {output.name} would replace it; choose another name"
    )


def _is_same(target: Path, path: StrPath) -> bool:
    try:
        return target.samefile(local_path(path))
    except OSError:
        return False


def require_implied(implied: Path, named: Path) -> None:
    """That a file which the user did not name may be written beside the one that was named.

    Raises:  TargetRefused where it exists, and the named file, to which it would belong, does not
    """
    if implied.is_file() and not os.path.lexists(named) and not _may_overwrite.get():
        raise TargetRefused(
            f"{implied} exists without {named.name} and would be replaced; move it away, choose another name,"
            " or allow it with --overwrite"
        )


def require_own_files(folder: Path, names: Collection[str], *, written_before: bool) -> None:
    """That files whose names irops chose may be written to a folder that the user named.

    written_before: whether the folder shows that irops wrote these files
    Raises:  TargetRefused where one of them exists and irops did not write it
    """
    there = [name for name in names if os.path.lexists(folder / name)]
    if there and not written_before and not _may_overwrite.get():
        listed = ", ".join(there[:4]) + (" …" if len(there) > 4 else "")
        raise TargetRefused(
            f"{folder} has {listed}, which irops did not write; choose another folder, or allow it with"
            " --overwrite"
        )
