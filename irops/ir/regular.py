"""Opens regular files only: opening a pipe may block forever, and reading a device may have side effects."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

from irops.ir.targets import note_read
from irops.urls import is_url


class NotRegular(OSError):
    """A path does not refer to a regular file. The text says what it refers to: "is a folder"."""


def open_regular(path: str) -> BinaryIO:
    """A regular file, open for reading. Follows symbolic links.

    Raises:  NotRegular, without opening anything; OSError
    """
    if is_url(path):
        raise NotRegular("is a URL, and only models and their weights are read from URLs")
    require_regular(os.stat(path))
    # If the path becomes a pipe between stat and open, O_NONBLOCK prevents open from waiting for a writer.
    handle = os.open(
        path,
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0),
    )
    try:
        status = os.fstat(handle)
        require_regular(status)
        note_read(status, path)
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def require_regular(status: os.stat_result) -> None:
    """Raises: NotRegular if the status is not that of a regular file"""
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular(kind(status.st_mode))


def kind(mode: int) -> str:
    """The kind of file that a mode other than a regular file's denotes: is a folder."""
    for test, what in (
        (stat.S_ISDIR, "folder"),
        (stat.S_ISFIFO, "pipe"),
        (stat.S_ISSOCK, "socket"),
        (stat.S_ISCHR, "device"),
        (stat.S_ISBLK, "device"),
    ):
        if test(mode):
            return f"is a {what}"
    return "is not a regular file"
