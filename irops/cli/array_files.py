"""The .npy and .npz files that are arguments of a command; what cannot be read ends the command."""

from __future__ import annotations

from irops.cli.main import Refusal
from irops.files.limits import Limits
from irops.ir import numpy_files
from irops.ir.numpy_files import DEFAULT, UnreadableFileError
from irops.values.element import Array


def load_all(path: str, limits: Limits = DEFAULT) -> dict[str, Array]:
    """The arrays of an .npz file by name.

    Raises:  Refusal if the file is not an .npz file; DiagnosticError if its arrays exceed limits.tensor_bytes
    """
    try:
        return numpy_files.load_all(path, limits)
    except UnreadableFileError as error:
        raise Refusal(str(error)) from None


def load_one(path: str, limits: Limits = DEFAULT) -> Array:
    """The array of an .npy file, or the only one of an .npz file. Raises the errors of load_all."""
    try:
        return numpy_files.load_one(path, limits)
    except UnreadableFileError as error:
        raise Refusal(str(error)) from None
