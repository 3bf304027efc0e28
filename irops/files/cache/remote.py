"""Where parts of remote files are kept, and how much of them."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress

from irops.files.cache.downloads import Downloads
from irops.files.cache.folder import cache_folder

VARIABLE = "IROPS_REMOTE_CACHE_BYTES"
DEFAULT_BYTES = 10 << 30
BLOCKS, FILES = "remote_blocks", "remote_files"
"""The folders of parts of files, and of whole files."""
BLOCKS_OF = 8
"""One of so many bytes is for parts of files, the others for whole files."""
MINUTE = 60.0
"""Seconds after which a part that is read counts as new again."""


def max_bytes() -> int:
    """The greatest size of all that is kept of remote files: what IROPS_REMOTE_CACHE_BYTES says.

    By default 10 GiB, but no more than half of what the disk has left beside it.
    Raises:  OSError if it is no number
    """
    text = os.environ.get(VARIABLE, "").strip()
    if text:
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            raise OSError(None, f"{VARIABLE} is {text!r}, must be a number of bytes")
        return int(text)
    folder = cache_folder()
    while folder and not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    with suppress(OSError):
        used = Downloads(os.path.join(cache_folder() or "", FILES), 0).usage()[1]
        return min(DEFAULT_BYTES, (shutil.disk_usage(folder or os.curdir).free + used) // 2)
    return DEFAULT_BYTES


def block_bytes() -> int:
    """The greatest size of the parts of files together."""
    return max_bytes() // BLOCKS_OF


def downloads() -> Downloads:
    """The whole files. Raises: OSError where there is no place for them"""
    folder = cache_folder()
    if folder is None:
        raise OSError(None, "there is no home folder for a cache; set IROPS_CACHE_DIR to a folder")
    most = max_bytes()
    return Downloads(os.path.join(folder, FILES), most - most // BLOCKS_OF)
