"""Compile functions to machine code that releases the GIL and is cached on disk if a folder is writable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numba


def _source_checksum() -> int:
    """A checksum over all sources of this package, because compiled code depends on all of them."""
    checksum = 0
    for file in sorted(Path(__file__).parent.glob("*.py")):
        checksum = crc32(file.read_bytes(), checksum)
    return checksum


SOURCE_CHECKSUM = _source_checksum()


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, compiled at its first call; later processes read the code from the cache.

    A function may close over numbers only: they become constants in its code, and part of the key under
    which it is cached.
    """
    function.__qualname__ += f".{SOURCE_CHECKSUM:08x}"
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        compiled_function: Callable[..., Any] = numba.njit(function, cache=True, **options)
    except RuntimeError:  # no writable cache folder, neither next to the source nor NUMBA_CACHE_DIR
        compiled_function = numba.njit(function, **options)
    return compiled_function
