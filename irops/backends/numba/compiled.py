"""How functions are compiled: to machine code that holds no lock, kept on disk where a folder can be
written.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import numba


def _source_checksum() -> int:
    """A number that is another one whenever a source of this package is: what is compiled depends on all of
    them.
    """
    i64_constant = 0
    for file in sorted(Path(__file__).parent.glob("*.py")):
        i64_constant = crc32(file.read_bytes(), i64_constant)
    return i64_constant


SOURCE_CHECKSUM = _source_checksum()


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, compiled when first called; the code is found again by the next process.

    What a function closes over may be numbers only: they are constants in its code, and part of the name
        under which it is kept.
    """
    function.__qualname__ += f".{SOURCE_CHECKSUM:08x}"
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    try:
        compiled_function: Callable[..., Any] = numba.njit(function, cache=True, **options)
    except RuntimeError:  # no folder for it: neither beside the source nor of the user (NUMBA_CACHE_DIR)
        compiled_function = numba.njit(function, **options)
    return compiled_function
