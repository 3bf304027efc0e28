"""Opens files, and nothing else: a pipe may keep a reader waiting for ever, and looking at a device may
change what it does.
"""

from __future__ import annotations

import os
import stat
from typing import BinaryIO


class NotRegular(OSError):
    """A path does not lead to a regular file; says what it leads to: "is a folder"."""


def open_regular(path: str) -> BinaryIO:
    """A regular file, open for reading; symbolic links that lead to one are followed.

    Raises:  NotRegular, before anything else is opened; OSError
    """
    hold_regular(os.stat(path))
    # Should it become a pipe between the two looks, O_NONBLOCK keeps the opening from waiting for its other
    # end.
    handle = os.open(
        path,
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0),
    )
    try:
        hold_regular(os.fstat(handle))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def hold_regular(status: os.stat_result) -> None:
    """Raises: NotRegular"""
    if not stat.S_ISREG(status.st_mode):
        raise NotRegular(kind(status.st_mode))


def kind(mode: int) -> str:
    """What a mode is, where it is no regular file's: is a folder."""
    for test, what in (
        (stat.S_ISDIR, "folder"),
        (stat.S_ISFIFO, "pipe"),
        (stat.S_ISSOCK, "socket"),
        (stat.S_ISCHR, "device"),
        (stat.S_ISBLK, "device"),
    ):
        if test(mode):
            return f"is a {what}"
    return "is no regular file"
