"""Where files may be written: one decision for every output of every command.

No output replaces a file that the same command reads, under any name: a model, its weights, inputs, a
baseline. And nothing but a model replaces a file that holds a model or its weights.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from irops.urls import StrPath, is_url, local_path, without_credentials

Identity = tuple[int, int]
"""The device and the inode of a file."""
HEAD_BYTES = 4096
"""Bytes at the start of a file in which the root element of a model is looked for."""
_files_read: ContextVar[dict[Identity, str] | None] = ContextVar("files_read", default=None)
"""The files that the current command has read, each with the path by which it was read first; None where no
command is running.
"""


class TargetRefused(OSError):
    """A file must not be written; the text says why, and names the file."""


@contextmanager
def noting_files_read() -> Iterator[None]:
    """Note which files the block, a command, reads, so that it does not write over them."""
    before = _files_read.set({})
    try:
        yield
    finally:
        _files_read.reset(before)


def note_read(status: os.stat_result, path: StrPath) -> None:
    """Note that the current command reads a file."""
    files = _files_read.get()
    if files is not None and status.st_ino:
        files.setdefault((status.st_dev, status.st_ino), os.fspath(path))


def local_target(path: StrPath, *, of_model: bool = False, may_replace: Collection[StrPath] = ()) -> Path:
    """The file that is written for a path: the one that a link leads to.

    of_model: whether a model is written; may_replace: files that are read in order to replace them, as
    check --fix does
    Raises:  TargetRefused
    """
    if is_url(path):
        raise TargetRefused(f"{without_credentials(path)} is a URL; irops writes local files only")
    target = Path(os.path.realpath(local_path(path)))
    _require_unread(path, target, may_replace)
    if not of_model and _belongs_to_model(target):
        raise TargetRefused(
            f"{path} holds a model or its weights, which this would replace; choose another name"
        )
    return target


def _require_unread(path: StrPath, target: Path, may_replace: Collection[StrPath]) -> None:
    files = _files_read.get()
    if not files:
        return
    try:
        status = target.stat()
    except OSError:
        return
    read_as = files.get((status.st_dev, status.st_ino))
    if read_as is None or any(os.path.realpath(local_path(each)) == str(target) for each in may_replace):
        return
    also = "" if os.path.realpath(read_as) == str(target) else f" (as {without_credentials(read_as)})"
    raise TargetRefused(f"{path} is read by this command{also}, and would be replaced; choose another name")


def _belongs_to_model(target: Path) -> bool:
    match target.suffix.lower():
        case ".xml":
            return _is_ir(target)
        case ".onnx":
            return target.is_file()
        case ".bin":
            return _is_ir(target.with_suffix(".xml"))
    return False


def _is_ir(path: Path) -> bool:
    """Whether a file begins as an IR does."""
    try:
        with path.open("rb") as file:
            return b"<net" in file.read(HEAD_BYTES)
    except OSError:
        return False
