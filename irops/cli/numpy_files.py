"""Read and write tensors in .npy and .npz files, which support NumPy's own types only.

Other types are stored as their bits: bf16 as uint16, f8 as uint8, types of less than a byte as one code per
uint8. Strings are stored as text of fixed width. Pickles are neither read nor written.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import numpy as np

from irops.cli.main import Refusal
from irops.ir.pending import Pending
from irops.ir.regular import NotRegular, require_regular
from irops.values.element import CODED, STRING, Array, ElementType, element_type_of, tagged

_PLAIN = "?bBhHiIlLqQefdFD"
_MAGIC = (b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of .npy files, of .npz files, and of .npz files without arrays."""
DAMAGED = (
    ValueError,
    EOFError,
    OSError,
    MemoryError,
    RuntimeError,
    BadZipFile,
    LookupError,
    zlib.error,
    struct.error,
)
"""What NumPy and zipfile raise for a file that is damaged or declares an impossibly large array."""


def save_all(path: str, arrays: Mapping[str, Array]) -> None:
    """Write arrays by name, atomically: first to a temporary file in the same folder. Unlike numpy.savez,
    this accepts any name, "file" included.
    """
    with Pending(Path(os.path.realpath(path))) as (file,), ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(_stored(array)), allow_pickle=False)


def load_all(path: str) -> dict[str, Array]:
    """The arrays of an .npz file by name.

    Raises:  Refusal if the file is not an .npz file
    """
    loaded = _load(path)
    if isinstance(loaded, np.ndarray):
        raise Refusal(f"{path} contains one unnamed array; use --input NAME={path}")
    with loaded:
        try:
            return {name: loaded[name] for name in loaded.files}
        except DAMAGED as error:
            raise Refusal(f"{path} cannot be read: {error}") from None


def load_one(path: str) -> Array:
    """The array of an .npy file, or the only one of an .npz file."""
    loaded = _load(path)
    if isinstance(loaded, np.ndarray):
        return loaded
    with loaded:
        if len(loaded.files) != 1:
            raise Refusal(f"{path} contains {len(loaded.files)} arrays; use --load-inputs, or an .npy file")
        try:
            array: Array = loaded[loaded.files[0]]
        except DAMAGED as error:
            raise Refusal(f"{path} cannot be read: {error}") from None
        return array


def _load(path: str) -> Array | np.lib.npyio.NpzFile:
    try:
        require_regular(os.stat(path))
        with open(path, "rb") as file:
            if not file.read(len(_MAGIC[0])).startswith(_MAGIC):
                raise Refusal(f"{path} is not an .npy or .npz file")
        loaded: Array | np.lib.npyio.NpzFile = np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise Refusal(f"{path} does not exist") from None
    except NotRegular as error:
        raise Refusal(f"{path} {error}; it must be an .npy or .npz file") from None
    except PermissionError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror}") from None
    except DAMAGED as error:
        raise Refusal(f"{path} is not a valid .npy or .npz file: {error}") from None
    return loaded


def _stored(array: Array) -> Array:
    kind = element_type_of(array)
    if kind is STRING:
        return array.astype(str)
    if array.dtype.char in _PLAIN:
        return np.asarray(array).view(np.uint8) if kind.name in CODED else array
    if kind.bits < 8:
        return (
            array.astype(np.int8).view(np.uint8) & (2**kind.bits - 1)
            if kind.integral
            else array.view(np.uint8)
        )
    return array.view(f"u{array.dtype.itemsize}")


def as_declared(array: Array, kind: ElementType) -> Array:
    """Reinterpret a loaded array as the declared type, if it stores the bits of a type that NumPy lacks."""
    if kind.name in CODED:
        return tagged(array, kind) if array.dtype == np.uint8 else array
    if kind.kind == "dynamic" or array.dtype == kind.dtype or array.dtype.kind not in "uV":
        return array
    if kind.dtype.char in _PLAIN or array.dtype.itemsize != kind.dtype.itemsize:
        return array
    if kind.bits < 8 and kind.kind == "signed":
        codes = array.view(np.uint8).astype(np.int8)
        return np.where(codes >= 2 ** (kind.bits - 1), codes - 2**kind.bits, codes).astype(kind.dtype)
    return (
        array.view(np.uint8).astype(kind.dtype) if kind.bits < 8 and kind.integral else array.view(kind.dtype)
    )
