"""Arrays that are kept in files of a temporary folder, so that a large model's tensors need no memory."""

from __future__ import annotations

import os
from collections.abc import Hashable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from irops.values.element import Array

IN_MEMORY = 1 << 16
"""Arrays of at most this many bytes are kept in memory."""


class StoredArrays:
    """Arrays by key; long ones are mapped from files, which are deleted with the object."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None
        self._arrays: dict[Hashable, Array] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._arrays

    def __getitem__(self, key: Hashable) -> Array:
        return self._arrays[key]

    def keep(self, key: Hashable, array: Array) -> None:
        """Keep a copy of an array."""
        if array.dtype == object or array.nbytes <= IN_MEMORY:
            self._arrays[key] = array.copy()
            return
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="irops-reduce-")
        path = Path(self._folder.name, str(len(os.listdir(self._folder.name))))
        np.ascontiguousarray(array).view(np.uint8).tofile(path)
        mapped = np.memmap(path, np.uint8, "r")
        self._arrays[key] = np.asarray(mapped).view(array.dtype).reshape(array.shape)

    def close(self) -> None:
        """Forget the arrays and delete the files."""
        self._arrays.clear()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None
