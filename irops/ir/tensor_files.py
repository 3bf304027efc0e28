"""Write tensors to .npz files, which support NumPy's own types only.

Other types are stored as their bits: bf16 as uint16, f8 as uint8, types of less than a byte as one code per
uint8. Strings are stored as text of fixed width. Pickles are not written.
"""

from __future__ import annotations

from collections.abc import Mapping
from zipfile import ZipFile

import numpy as np

from irops.diagnostics.printable import MAX_NAME, abridged, printable
from irops.ir.pending import Pending
from irops.ir.targets import local_target
from irops.ir.unique import UniqueNames
from irops.values.element import CODED, STRING, Array, ElementType, element_type_of, tagged

_PLAIN = "?bBhHiIlLqQefdFD"


def save_all(path: str, arrays: Mapping[str, Array]) -> dict[str, str]:
    """Write arrays by name, atomically: first to a temporary file in the same folder. Unlike numpy.savez,
    this accepts any name, "file" included.

    Returns the names that had to be changed, with the names in the file: see member_name.
    """
    used = UniqueNames()
    changed: dict[str, str] = {}
    with Pending(local_target(path)) as (file,), ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            written = used.unique(member_name(name))
            if written != name:
                changed[name] = written
            with archive.open(f"{written}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(as_stored(array)), allow_pickle=False)
    return changed


def member_name(name: str) -> str:
    """A name for a member of a zip file that no program unpacks to another folder.

    Names come from models: ../../x, /x or a drive would leave the folder.
    """
    text = printable(abridged(name, MAX_NAME)).replace("\\", "_")
    if text[1:2] == ":":
        text = f"{text[0]}_{text[2:]}"
    parts = text.split("/")
    return "/".join("_" if part in ("", ".", "..") else part for part in parts)


def as_stored(array: Array) -> Array:
    """The array that a file has in place of a tensor: of a type of NumPy's own."""
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
