"""Where arrays begin in memory."""

from __future__ import annotations

from ctypes import addressof, c_char

from irops.values.element import Array


def address_of(array: Array) -> int:
    """The address of an array's first element; the array has one."""
    flags = array.flags
    if flags.writeable and flags.c_contiguous and array.dtype.isbuiltin == 1:
        # NumPy exposes arrays of these types as buffers, which gives the address in half the time
        return addressof(c_char.from_buffer(array))  # type: ignore[arg-type]
    address: int = array.ctypes.data
    return address
