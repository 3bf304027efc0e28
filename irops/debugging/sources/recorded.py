"""Values of a run, beyond a limit on memory in files; and sketches, by which equal values are found."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np

from irops.ir.tensor_files import bytes_of
from irops.values.element import STRING, Array, element_type_of

Value: TypeAlias = tuple[int, int]
"""The id of a layer, and the index of one of its outputs."""
IN_MEMORY = 512 << 20
"""How many bytes of values one run keeps in memory."""
SMALLEST_FILE = 1 << 16
COLUMNS = 64
PROJECTIONS = 8


class Recorded:
    """Arrays by the output that they are of."""

    def __init__(self) -> None:
        self._arrays: dict[Value, Array] = {}
        self._files: dict[Value, tuple[str, np.dtype[np.generic], tuple[int, ...]]] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._bytes = 0

    def __setitem__(self, key: Value, array: Array) -> None:
        is_large = array.nbytes >= SMALLEST_FILE and array.dtype.kind != "O"
        if self._bytes + array.nbytes > IN_MEMORY and is_large:
            self._store(key, array)
            return
        self._bytes += array.nbytes
        self._arrays[key] = array

    def __getitem__(self, key: Value) -> Array:
        if key in self._files:
            path, kind, shape = self._files[key]
            return np.fromfile(path, kind).reshape(shape)
        return self._arrays[key]

    def __contains__(self, key: object) -> bool:
        return key in self._arrays or key in self._files

    def __iter__(self) -> Iterator[Value]:
        yield from self._arrays
        yield from self._files

    def get(self, key: Value) -> Array | None:
        return self[key] if key in self else None  # noqa: SIM401 - this is the method

    def close(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            self._folder.cleanup()

    def _store(self, key: Value, array: Array) -> None:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory()
        path = os.path.join(self._folder.name, f"{key[0]}_{key[1]}")
        Path(path).write_bytes(bytes_of(array))
        self._files[key] = path, array.dtype, array.shape


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """What is kept of a value to find equal ones. key: equal values have the same; numbers: projections on
    fixed random directions, relative to the norm; norm: of the elements that are finite; is_trivial: whether
    all elements are the same, so that the value says little.
    """

    key: tuple[object, ...]
    numbers: Array
    norm: float
    is_trivial: bool

    def distance(self, other: Sketch) -> float:
        """How far apart two values of one key are, relative to the greater one: 0 to about 1."""
        greater = max(self.norm, other.norm)
        if not greater:
            return 0.0
        apart = np.abs(self.numbers * self.norm - other.numbers * other.norm) / greater
        return float(max(np.max(apart), abs(self.norm - other.norm) / greater))


def sketch(array: Array) -> Sketch:
    """The sketch of a value. Element types of integers and axes of size 1 do not matter."""
    kind = element_type_of(array)
    dims = tuple(size for size in array.shape if size != 1)
    if kind is STRING:
        texts = tuple(map(str, array.reshape(-1).tolist()))
        return Sketch(("text", dims, texts), np.zeros(1), 0.0, array.size < 2)
    kinds = {"b": "boolean", "i": "whole", "u": "whole", "c": "complex"}
    number = kinds.get(array.dtype.kind, "real" if kind.floating else "whole")
    flat = array.reshape(-1)
    with np.errstate(all="ignore"):
        wide = flat.view(flat.real.dtype) if array.dtype.kind == "c" else flat
        wide = wide.astype(np.float64)
        odd = ~np.isfinite(wide)
        if odd.any():
            wide = np.where(odd, np.where(np.isnan(wide), 3.0, np.sign(wide)), wide)
        scale = float(np.max(np.abs(wide), initial=0.0))
        if scale:
            wide = wide / scale
        is_trivial = wide.size < 2 or bool((wide == wide[0]).all())
        norm = float(np.sqrt(np.dot(wide, wide)))
        numbers = _projections(wide) / norm if norm else np.zeros(PROJECTIONS)
    return Sketch((number, dims, int(odd.sum())), numbers, norm * scale, is_trivial)


def _projections(flat: Array) -> Array:
    """Sums of the elements times fixed random factors: one of the row, one of the column."""
    rows = -(-flat.size // COLUMNS)
    table = np.zeros(rows * COLUMNS)
    table[: flat.size] = flat
    random = np.random.default_rng(rows)
    columns = random.standard_normal((COLUMNS, PROJECTIONS))
    found: Array = np.einsum("rk,rk->k", table.reshape(rows, COLUMNS) @ columns, _rows(rows))
    return found


def _rows(count: int) -> Array:
    random = np.random.default_rng(count + (1 << 20))
    return random.choice(np.array([-1.0, 1.0]), (count, PROJECTIONS))
