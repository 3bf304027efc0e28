"""Read and write tensors in .npy and .npz files; irops.values.stored_elements says how.

Pickles are neither read nor written.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import prod
from pathlib import Path
from typing import IO, BinaryIO
from zipfile import BadZipFile, ZipFile

import numpy as np

from irops.cli.main import Refusal
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.printable import MAX_NAME, abridged, printable
from irops.diagnostics.rules import rule
from irops.ir.pending import Pending
from irops.ir.regular import NotRegular, open_regular
from irops.ir.unique import UniqueNames
from irops.limits import Limits
from irops.limits import notes as limit_notes
from irops.values.element import Array
from irops.values.stored_elements import as_stored

_MAGIC = (b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of .npy files, of .npz files, and of .npz files without arrays."""
DEFAULT = Limits()
TEXT_BYTES = 64
"""About how many bytes a short text takes as an object."""
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


def save_all(path: str, arrays: Mapping[str, Array]) -> dict[str, str]:
    """Write arrays by name, atomically: first to a temporary file in the same folder. Unlike numpy.savez,
    this accepts any name, "file" included.

    Returns the names that had to be changed, with the names in the file: see member_name.
    """
    used = UniqueNames()
    changed: dict[str, str] = {}
    with Pending(Path(os.path.realpath(path))) as (file,), ZipFile(file, "w") as archive:
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


def load_all(path: str, limits: Limits = DEFAULT) -> dict[str, Array]:
    """The arrays of an .npz file by name.

    Raises:  Refusal if the file is not an .npz file; DiagnosticError if its arrays exceed limits.tensor_bytes
    """
    with _opened(path) as file:
        if _is_npy(file):
            raise Refusal(f"{path} contains one unnamed array; use --input NAME={path}")
        return _members(path, file, limits)


def load_one(path: str, limits: Limits = DEFAULT) -> Array:
    """The array of an .npy file, or the only one of an .npz file. Raises the errors of load_all."""
    with _opened(path) as file:
        if _is_npy(file):
            _require_room(path, _size(file), limits)
            file.seek(0)
            array: Array = np.lib.format.read_array(file, allow_pickle=False)
            return array
        arrays = _members(path, file, limits)
        if len(arrays) != 1:
            raise Refusal(f"{path} contains {len(arrays)} arrays; use --load-inputs, or an .npy file")
        return next(iter(arrays.values()))


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """An .npy or .npz file, open for reading. Errors of the block become a Refusal."""
    try:
        with open_regular(path) as file:
            if not file.read(len(_MAGIC[0])).startswith(_MAGIC):
                raise Refusal(f"{path} is not an .npy or .npz file")
            file.seek(0)
            yield file
    except FileNotFoundError:
        raise Refusal(f"{path} does not exist") from None
    except NotRegular as error:
        raise Refusal(f"{path} {error}; it must be an .npy or .npz file") from None
    except PermissionError as error:
        raise Refusal(f"{path} cannot be read: {error.strerror}") from None
    except DiagnosticError:
        raise
    except DAMAGED as error:
        raise Refusal(f"{path} is not a valid .npy or .npz file: {error or type(error).__name__}") from None


def _is_npy(file: BinaryIO) -> bool:
    start = file.read(len(_MAGIC[0]))
    file.seek(0)
    return start == _MAGIC[0]


def _members(path: str, file: BinaryIO, limits: Limits) -> dict[str, Array]:
    """The arrays of a zip file. The size of each is read, and the sum compared with the limit, before any."""
    with ZipFile(file) as archive:
        members = archive.infolist()
        total = 0
        for member in members:
            with archive.open(member) as stream:
                total += _size(stream)
            _require_room(path, total, limits)
        arrays: dict[str, Array] = {}
        for member in members:
            with archive.open(member) as stream:
                arrays[member.filename.removesuffix(".npy")] = np.lib.format.read_array(
                    stream, allow_pickle=False
                )
        return arrays


def _size(stream: IO[bytes]) -> int:
    """The number of bytes in memory of the array in an .npy file, by its header. Raises: ValueError"""
    version = np.lib.format.read_magic(stream)
    match version:
        case (1, 0):
            shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        case (2, 0):
            shape, _, dtype = np.lib.format.read_array_header_2_0(stream)
        case _:
            raise ValueError(f"the version of an array is {version}, must be 1.0 or 2.0")
    # texts become objects, and elements of no bytes are elements all the same
    return prod(shape) * max(dtype.itemsize, TEXT_BYTES if dtype.kind in "US" else 1)


def _require_room(path: str, size: int, limits: Limits) -> None:
    if size > limits.tensor_bytes:
        message = f"the arrays of {path} take {size:,} bytes; {limits.message('tensor_bytes')}"
        notes = limit_notes("memory-limit")
        raise DiagnosticError([Diagnostic(rule("memory-limit"), message, Location(path), notes=notes)])
