"""The memory addresses of arrays."""

from __future__ import annotations

from ctypes import addressof, c_char

from irops.values.element import Array


def address_of(array: Array) -> int:
    """The address of the first element of an array, which must not be empty."""
    flags = array.flags
    if flags.writeable and flags.c_contiguous and array.dtype.isbuiltin == 1:  # these support buffers
        return addressof(c_char.from_buffer(array))  # type: ignore[arg-type]  # twice as fast as ctypes.data
    address: int = array.ctypes.data
    return address
