"""Where arrays begin in memory."""

from __future__ import annotations

from ctypes import addressof, c_char

from irops.values.element import Array


def address_of(array: Array) -> int:
    """The address of an array's first element; the array has one."""
    flags = array.flags
    if (
        flags.writeable and flags.c_contiguous and array.dtype.isbuiltin == 1
    ):  # NumPy shows no other types as buffers
        return addressof(c_char.from_buffer(array))  # type: ignore[arg-type]    # it is one; and the address in half the time
    address: int = array.ctypes.data
    return address
