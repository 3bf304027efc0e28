"""Replace a folder by another one at once: a process that is killed leaves the old one or the new one."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from pathlib import Path

from irops.ir.pending import signals_blocked

_EXCHANGE = 2
"""RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS."""
_HERE = -100
"""AT_FDCWD of Linux."""
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP)
REPLACED = ".replaced"
"""What follows the name of the new folder in that of the old one, where two folders cannot be exchanged."""


def replace_folder(new: Path, target: Path) -> None:
    """Give a folder the name target. What was there gets the name of the new folder, or is removed.

    On systems and file systems that cannot exchange two names, there is a moment without a target; an error
    then puts the old folder back.
    Raises:  OSError, with the target unchanged
    """
    if not os.path.lexists(target):
        new.rename(target)
        return
    if _exchanged(new, target):
        return
    old = new.with_name(f"{new.name}{REPLACED}")
    with signals_blocked():
        target.rename(old)
        try:
            new.rename(target)
        except OSError:
            old.rename(target)
            raise
    shutil.rmtree(old, ignore_errors=True)


def _exchanged(first: Path, second: Path) -> bool:
    """Exchange the names of two folders; whether the system can. Raises: OSError"""
    try:
        library = ctypes.CDLL(None, use_errno=True)
        paths = os.fsencode(first), os.fsencode(second)
        if sys.platform == "darwin":
            status = library.renamex_np(*paths, ctypes.c_uint(_EXCHANGE))
        else:
            status = library.renameat2(_HERE, paths[0], _HERE, paths[1], ctypes.c_uint(_EXCHANGE))
    except (AttributeError, OSError, TypeError):  # there is no such function, or, on Windows, no such library
        return False
    number = ctypes.get_errno()
    if status != 0 and number not in _UNSUPPORTED:
        raise OSError(number, os.strerror(number), str(second))
    return bool(status == 0)
