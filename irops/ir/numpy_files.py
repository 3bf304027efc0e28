"""Reads and writes .npy and .npz files within limits, without pickles.

NumPy stores its own types only. Others are stored as their bits: bf16 as uint16, f8 as uint8, types of less
than a byte as one code per uint8. Strings are stored as text of fixed width.
"""

import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from math import inf, prod
from tokenize import TokenError
from typing import IO, BinaryIO
from zipfile import BadZipFile, ZipFile, ZipInfo

import numpy as np

from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError, Location
from irops.diagnostics.printable import MAX_NAME, abridged, without_controls
from irops.diagnostics.rules import rule
from irops.files.limits import Limits, notes as limit_notes
from irops.files.output import PendingFiles, local_target
from irops.files.storage import NotRegular, open_regular
from irops.files.urls import without_credentials
from irops.ir.model import UniqueNames
from irops.ir.opening import similar_path
from irops.values.element import CODED, STRING, Array, ElementType, element_type_of, tagged

_MAGIC = (b"\x93NUMPY", b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of .npy files, of .npz files, and of .npz files without arrays."""
DEFAULT = Limits()
UNPACKED_BYTES, RATIO = 1 << 28, 100
"""Arrays that take more bytes than the first take at most so many times the bytes of their file."""
HEADER_BYTES = 10_240
"""More than the longest header that NumPy reads."""
TEXT_BYTES = 64
"""About how many bytes a short text takes as an object."""
DAMAGED = (
    ValueError,
    EOFError,
    OSError,
    OverflowError,
    MemoryError,
    RuntimeError,  # of encrypted members, and NotImplementedError of unknown compression
    SyntaxError,  # this, TokenError and TypeError are of headers that are no dicts of Python
    TokenError,
    TypeError,
    BadZipFile,
    LookupError,
    zlib.error,
    struct.error,
)
"""Exceptions of NumPy and zipfile for a file that is damaged or declares an impossibly large array."""


class UnreadableFileError(ValueError):
    """A file that does not exist, or has no arrays, or not as many as needed; the message says which."""


def load_all(path: str, limits: Limits = DEFAULT) -> dict[str, Array]:
    """The arrays of an .npz file by name.

    Raises:  UnreadableFileError if the file is not an .npz file; DiagnosticError if its arrays exceed
        limits.tensor_bytes
    """
    with _opened(path) as file:
        if _is_npy(file):
            raise UnreadableFileError(f"{path} contains one unnamed array; use --input NAME={path}")
        with ZipFile(file) as archive:
            return _members(path, archive, archive.infolist(), limits)


def member_names(path: str) -> dict[str, str]:
    """The members of an .npz file that are arrays, by the names of the arrays. Raises: UnreadableFileError"""
    with _opened(path) as file:
        if _is_npy(file):
            raise UnreadableFileError(f"{path} contains one unnamed array")
        with ZipFile(file) as archive:
            names = [name for name in archive.namelist() if name.endswith(".npy")]
            return {name.removesuffix(".npy"): name for name in names}


def load_member(path: str, member: str) -> Array:
    """One member of an .npz file. Raises the errors of load_all."""
    with _opened(path) as file, ZipFile(file) as archive:
        (array,) = _members(path, archive, [archive.getinfo(member)], DEFAULT).values()
        return array


def load_one(path: str, limits: Limits = DEFAULT) -> Array:
    """The array of an .npy file, or the only one of an .npz file. Raises the errors of load_all."""
    with _opened(path) as file:
        if _is_npy(file):
            _require_room(path, _size(file), limits)
            file.seek(0)
            array: Array = np.lib.format.read_array(file, allow_pickle=False)
            return array
        with ZipFile(file) as archive:
            arrays = _members(path, archive, archive.infolist(), limits)
        if len(arrays) != 1:
            message = f"{path} contains {len(arrays)} arrays; use --load-inputs, or an .npy file"
            raise UnreadableFileError(message)
        return next(iter(arrays.values()))


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """An .npy or .npz file, open for reading. Errors of the block become an UnreadableFileError."""
    try:
        with open_regular(path) as file:
            if not file.read(len(_MAGIC[0])).startswith(_MAGIC):
                raise UnreadableFileError(f"{path} is not an .npy or .npz file")
            file.seek(0)
            yield file
    except FileNotFoundError:
        meant = similar_path(path, os.path.splitext(path)[1])
        hint = f"; did you mean {meant}?" if meant else ""
        raise UnreadableFileError(f"{path} does not exist{hint}") from None
    except NotRegular as error:
        message = f"{without_credentials(path)} {error}; it must be a local .npy or .npz file"
        raise UnreadableFileError(message) from None
    except PermissionError as error:
        raise UnreadableFileError(f"{path} cannot be read: {error.strerror}") from None
    except (DiagnosticError, UnreadableFileError):
        raise
    except DAMAGED as error:
        reason = error or type(error).__name__
        raise UnreadableFileError(f"{path} is not a valid .npy or .npz file: {reason}") from None


def _is_npy(file: BinaryIO) -> bool:
    start = file.read(len(_MAGIC[0]))
    file.seek(0)
    return start == _MAGIC[0]


def _members(path: str, archive: ZipFile, members: list[ZipInfo], limits: Limits) -> dict[str, Array]:
    """The arrays of a zip file. The size of each is read, and the sum compared with the limit, before any."""
    total, stored = 0, os.stat(path).st_size
    for member in members:
        with archive.open(member) as stream:
            total += _size(stream)
        _require_room(path, total, limits, stored)
    arrays: dict[str, Array] = {}
    for member in members:
        with archive.open(member) as stream:
            array = np.lib.format.read_array(stream, allow_pickle=False)
            arrays[member.filename.removesuffix(".npy")] = array
    return arrays


_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def _size(file: IO[bytes]) -> int:
    """The number of bytes in memory of the array in an .npy file, by its header. Raises: ValueError"""
    stream = BytesIO(file.read(HEADER_BYTES))  # one that is unpacked may declare any length
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(f"the version of an array is {version}, must be 1.0 or 2.0")
    shape, _, dtype = _HEADERS[version](stream)
    # texts become objects, and elements of no bytes are elements all the same
    return prod(shape) * max(dtype.itemsize, TEXT_BYTES if dtype.kind in "US" else 1)


def _require_room(path: str, size: int, limits: Limits, stored: float = inf) -> None:
    """Raises: DiagnosticError. size: of all arrays; stored: of the file, where it may be compressed"""
    message, notes = f"the arrays of {path} take {size:,} bytes", limit_notes("memory-limit")
    if size > limits.tensor_bytes:
        message = f"{message}; {limits.message('tensor_bytes')}"
    elif size > UNPACKED_BYTES and size > RATIO * stored:
        message = f"{message}, more than {RATIO} times what the file has"
        notes = ("if that is what they hold: numpy.savez stores arrays as they are, without a limit on this",)
    else:
        return
    raise DiagnosticError([Diagnostic(rule("memory-limit"), message, Location(path), notes=notes)])


_PLAIN = "?bBhHiIlLqQefdFD"


def save_all(path: str, arrays: Mapping[str, Array]) -> dict[str, str]:
    """Write arrays by name, atomically: first to a temporary file in the same folder. Unlike numpy.savez,
    this accepts any name, "file" included.

    Returns the names that had to be changed, with the names in the file: see member_name.
    """
    used = UniqueNames()
    changed: dict[str, str] = {}
    with PendingFiles(local_target(path)) as (file,), ZipFile(file, "w") as archive:
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
    text = without_controls(abridged(name, MAX_NAME)).replace("\\", "_")
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
