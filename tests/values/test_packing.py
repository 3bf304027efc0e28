"""Packing: bytes as OpenVINO 2026.4.1 was seen to write them, and unpacking."""

import struct

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, strategies as st
from tables import table

from irops.ir.numpy_files import as_stored
from irops.values.element import (
    DYNAMIC,
    STRING,
    element_type,
    element_type_of,
    element_types,
    foreign_types,
    tagged,
)
from irops.values.packing import _BLOCK, checked_string_count, pack, packed_size, string_bounds, unpack

SEEN = table(__file__, "seen")
FIXED = [t for t in (*element_types(), *foreign_types()) if t.bits]


def array_of(name, elements):
    return np.array(elements).astype(element_type(name).dtype)


@pytest.mark.parametrize("name", SEEN)
def test_elements_are_packed_as_openvino_packs_them_and_unpacked(name):
    elements, stored = SEEN[name]
    assert pack(array_of(name, elements), element_type(name)) == bytes.fromhex(stored)
    found = unpack(bytes.fromhex(stored), element_type(name), (len(elements),))
    assert element_type_of(found) is element_type(name)
    assert found.tobytes() == array_of(name, elements).tobytes()


@pytest.mark.parametrize("element", FIXED, ids=str)
@given(data=st.data())
def test_packing_undoes_unpacking(element, data):
    count = data.draw(st.integers(0, 40))
    size = packed_size(element, count)
    raw = data.draw(st.binary(min_size=size, max_size=size))
    if element.name == "boolean":
        raw = bytes(byte & 1 for byte in raw)
    array = unpack(raw, element, (count,))
    packed = pack(array, element)
    assert len(packed) == size
    again = unpack(packed, element, (count,))
    assert again.tobytes() == array.tobytes()
    assert pack(again, element) == packed


@pytest.mark.parametrize(
    ("name", "count", "size"),
    [
        ("u1", 9, 2),
        ("u2", 5, 2),
        ("i2", 5, 2),
        ("u3", 1, 3),
        ("u3", 8, 3),
        ("u3", 9, 6),
        ("u4", 5, 3),
        ("i4", 0, 0),
        ("u6", 4, 3),
        ("u6", 5, 6),
        ("nf4", 1, 1),
        ("f4e2m1", 3, 2),
        ("f8e4m3", 5, 5),
        ("f64", 3, 24),
        ("i64", 2**70, 2**73),
    ],
)
def test_the_size_of_packed_elements_is_exact(name, count, size):
    assert packed_size(element_type(name, foreign=True), count) == size


@pytest.mark.parametrize("element", [STRING, DYNAMIC], ids=str)
def test_elements_without_a_size_have_no_packed_size(element):
    with pytest.raises(ValueError, match="no fixed size"):
        packed_size(element, 1)


def test_elements_that_fill_bytes_are_not_copied():
    raw = bytearray(struct.pack("<3f", 1, 2, 3))
    array = unpack(raw, element_type("f32"), (3,))
    raw[:4] = struct.pack("<f", 7)
    assert array.tolist() == [7, 2, 3]


def test_what_bytes_gave_cannot_be_written_to():
    assert not unpack(b"\1\2", element_type("u8"), (2,)).flags.writeable


@pytest.mark.parametrize("element", FIXED, ids=str)
def test_a_scalar_is_an_array_without_axes_of_any_type(element):
    found = unpack(bytes(16), element, ())
    assert isinstance(found, np.ndarray)
    assert (found.shape, found.dtype) == ((), element.dtype)
    assert pack(found, element) == bytes(packed_size(element, 1))


def test_bytes_that_follow_are_left_alone():
    assert unpack(bytes(range(8)), element_type("u8"), (3,)).tolist() == [0, 1, 2]


STRINGS = ["abc", "", "é", "z,z"]
TABLE = struct.pack("<6i", 4, 0, 3, 3, 5, 8) + "abcéz,z".encode()


def test_strings_are_packed_as_openvino_packs_them_and_unpacked():
    assert pack(np.array(STRINGS, object), STRING) == TABLE
    assert unpack(TABLE, STRING, (2, 2)).tolist() == [["abc", ""], ["é", "z,z"]]


def test_strings_may_begin_behind_other_characters():
    assert unpack(struct.pack("<3i", 1, 2, 4) + b"xxab", STRING, (1,)).tolist() == ["ab"]


def test_no_strings_are_a_table_of_none():
    assert unpack(pack(np.empty((0,), object), STRING), STRING, (0,)).tolist() == []


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=8))
def test_any_strings_survive(strings):
    array = np.empty(len(strings), object)
    array[:] = strings
    assert unpack(pack(array, STRING), STRING, (len(strings),)).tolist() == strings


def test_a_tensor_of_unknown_type_is_not_packed():
    with pytest.raises(ValueError, match="dynamic"):
        pack(np.zeros(1, np.float32), DYNAMIC)


TABLE_OF_8 = "the string table has 8 bytes, must have at least "


def table(*bounds, text=b""):
    """A table of strings with these bounds, and the characters behind it."""
    return struct.pack(f"<{len(bounds) + 1}i", len(bounds) - 1, *bounds) + text


@pytest.mark.parametrize(
    ("raw", "count"),
    [
        (table(0), 0),
        (table(0, text=b"abc"), 0),
        (table(0, 0), 1),
        (table(0, 3, text=b"abc"), 1),
        (table(1, 2, 3, text=b"abc"), 2),
        (TABLE, 4),
    ],
)
def test_a_table_that_fits_is_read(raw, count):
    assert len(string_bounds(memoryview(raw))) == count + 1
    bounds = struct.unpack(f"<{count + 1}i", raw[4 : 8 + 4 * count])
    assert string_bounds(memoryview(raw), count).tolist() == list(bounds)
    for wrong in (count + 1, count - 1):
        with pytest.raises(ValueError, match=f"has {count} strings, must have {wrong} for its shape"):
            string_bounds(memoryview(raw), wrong)


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "the string table has 0 bytes, must have at least 8"),
        (bytes(7), "the string table has 7 bytes, must have at least 8"),
        (struct.pack("<3i", 2, 0, 0), "the string table has 12 bytes, must have at least 16 for 2 strings"),
        (struct.pack("<2i", -1, 0), "the string table has a count of -1, must be 0 or greater"),
        (struct.pack("<2i", 2**31 - 1, 0), f"{TABLE_OF_8}8589934596 for 2147483647 strings"),
        (table(-1, 2, text=b"ab"), "string 0 starts at byte -1, must start at 0 or greater"),
        (table(0, 2, 1, text=b"ab"), "string 1 ends at byte 1, must end at its start 2 or later"),
        (table(3, 2, text=b"abc"), "string 0 ends at byte 2, must end at its start 3 or later"),
        (table(0, 4, text=b"abc"), "string 0 ends at byte 4, must end within the 3 bytes"),
        (table(0, 3, 4, text=b"abc"), "string 1 ends at byte 4, must end within the 3 bytes"),
        (table(0, 4, 5, text=b"abc"), "string 0 ends at byte 4, must end within the 3 bytes"),
        (table(4, 5, text=b"abc"), "string 0 ends at byte 5, must end within the 3 bytes"),
        (table(4, text=b"abc"), "string 0 ends at byte 4, must end within the 3 bytes"),
    ],
)
def test_what_is_wrong_with_a_table_names_the_string(raw, why):
    with pytest.raises(ValueError, match=f"^{why}$"):
        string_bounds(memoryview(raw))


@pytest.mark.parametrize("count", [_BLOCK - 1, _BLOCK, _BLOCK + 1, 2 * _BLOCK])
def test_a_long_table_is_read_block_by_block_and_whole(count):
    raw = np.arange(-1, count + 1, dtype="<i4")
    raw[0] = count
    data = raw.tobytes() + bytes(count)
    reads = []

    def read(start, size):
        reads.append((start, size))
        return data[start : start + size]

    assert checked_string_count(read, len(data), count) == count
    assert reads[0] == (0, 4)
    starts = [start for start, _ in reads[1:]]
    assert starts == [4 + 4 * first for first in range(0, count + 1, _BLOCK)]
    assert max(start + size for start, size in reads) == 8 + 4 * count
    assert max(size for _, size in reads) <= 4 * (_BLOCK + 1)


@pytest.mark.parametrize("place", [1, _BLOCK - 1, _BLOCK, _BLOCK + 1, _BLOCK + 5])
def test_a_fault_in_any_block_names_its_string(place):
    count = _BLOCK + 9
    raw = np.arange(-1, count + 1, dtype="<i4")
    raw[0] = count
    raw[1 + place] = place - 2
    data = raw.tobytes() + bytes(count)
    with pytest.raises(ValueError, match=f"^string {place - 1} ends at byte {place - 2}, must"):
        checked_string_count(lambda start, size: data[start : start + size], len(data))


@pytest.mark.parametrize(
    ("array", "table_of"),
    [
        (np.array([["a", "bc"], ["", "d"]], object), table(0, 1, 3, 3, 4, text=b"abcd")),
        (np.array("a", object), table(0, 1, text=b"a")),
        (np.array(["é"]), table(0, 2, text="é".encode())),
    ],
)
def test_strings_of_any_shape_are_packed_in_order(array, table_of):
    assert pack(array, STRING) == table_of


def test_the_string_that_is_no_utf8_is_named_with_the_byte():
    with pytest.raises(ValueError, match=r"^string 1 is not valid UTF-8: invalid start byte at byte 1$"):
        unpack(table(0, 2, 4, text=b"aab\xff"), STRING, (2,))


@pytest.mark.parametrize(("name", "size"), [("f32", 12), ("u3", 3), ("u6", 3), ("u1", 1)])
def test_bytes_that_are_exactly_enough_are_enough(name, size):
    element = element_type(name)
    assert unpack(bytes(size), element, (3,)).shape == (3,)
    with pytest.raises(ValueError, match=rf"^{name}\[3\] has {size - 1} bytes, must have {size}$"):
        unpack(bytes(size - 1), element, (3,))


def test_packing_takes_elements_as_the_type_that_they_are_of():
    assert pack(np.array([1, 2]), element_type("f32")) == struct.pack("<2f", 1, 2)
    assert pack(np.array([[1, 2], [3, 4]], np.int32).T, element_type("i32")) == struct.pack("<4i", 1, 3, 2, 4)
    assert pack(np.array([1, 2], ">i4"), element_type("i32")) == struct.pack("<2i", 1, 2)
    assert pack(np.array([0x1FF], np.int64).astype(np.uint8), element_type("u6")) == bytes([0xF0, 0, 0xC0])


def test_every_code_of_few_bits_is_unpacked_to_its_number():
    assert unpack(bytes([0b11100100]), element_type("i2", foreign=True), (4,)).tolist() == [0, 1, -2, -1]
    nibbles = unpack(bytes(range(0, 256, 17)), element_type("i4"), (32,))
    assert (nibbles.dtype, nibbles.tolist()[::2]) == (ml_dtypes.int4, [*range(8), *range(-8, 0)])
    assert unpack(bytes([0b10110001]), element_type("u1"), (8,)).tolist() == [1, 0, 1, 1, 0, 0, 0, 1]


def test_files_of_numpy_have_bits_of_narrow_integers_in_a_byte_each():
    kind = element_type("i4")
    stored = as_stored(tagged(np.array([-1, 3, -8], np.int8).astype(kind.dtype), kind))
    assert (stored.dtype, stored.tolist()) == (np.uint8, [15, 3, 8])
