"""Elements that share bytes are reversed as they are stored."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from irops.backends import packed
from irops.backends.packed import reverse_packed, reverse_sequence_packed
from irops.ops.movement.reverse import reverse
from irops.ops.movement.reverse_sequence import reverse_sequence
from irops.values.element import Array, ElementType, element_type
from irops.values.packing import pack, packed_size, unpack
from irops.values.violation import Violation

KINDS = [element_type(name) for name in ("u1", "u2", "u3", "u4", "u6", "i4", "nf4", "f4e2m1", "i8", "f32")]
SHAPES = st.lists(st.integers(0, 9), min_size=0, max_size=4).map(tuple)


def stored(kind: ElementType, shape: tuple[int, ...], seed: int) -> tuple[bytes, Array]:
    """Bytes of a tensor, and the tensor."""
    raw = np.random.default_rng(seed).bytes(packed_size(kind, prod(shape)))
    tensor = unpack(raw, kind, shape)
    return pack(tensor, kind), tensor


@pytest.mark.slow("many random cases")
@settings(deadline=None)
@given(kind=st.sampled_from(KINDS), shape=SHAPES, seed=st.integers(0, 9), data=st.data())
def test_reverse_gives_the_bytes_of_the_reversed_tensor(
    kind: ElementType, shape: tuple[int, ...], seed: int, data: st.DataObject
) -> None:
    raw, tensor = stored(kind, shape, seed)
    axes = data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=4)) if shape else []
    assert reverse_packed(raw, kind, shape, axes).tobytes() == pack(
        reverse(tensor, np.array(axes, np.int64), mode="index"), kind
    )


@pytest.mark.slow("many random cases")
@settings(deadline=None)
@given(
    kind=st.sampled_from(KINDS),
    shape=SHAPES.filter(lambda shape: len(shape) > 1),
    seed=st.integers(0, 9),
    data=st.data(),
)
def test_reverse_sequence_gives_the_bytes_of_its_output(
    kind: ElementType, shape: tuple[int, ...], seed: int, data: st.DataObject
) -> None:
    raw, tensor = stored(kind, shape, seed)
    batch_axis, seq_axis = data.draw(st.permutations(range(len(shape))))[:2]
    lengths = np.random.default_rng(seed).integers(0, shape[seq_axis] + 1, shape[batch_axis])
    axes = {"batch_axis": batch_axis, "seq_axis": seq_axis}
    assert reverse_sequence_packed(raw, kind, shape, lengths, **axes).tobytes() == pack(
        reverse_sequence(tensor, lengths, **axes), kind
    )


@pytest.mark.slow("many random cases")
def test_nothing_is_unpacked_where_bytes_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(packed, "unpack")
    four, two = element_type("u4"), element_type("u2")
    assert reverse_packed(b"\x21\x43\x65\x87", four, (4, 2), [0]).tobytes() == b"\x87\x65\x43\x21"
    assert reverse_packed(b"\x21\x43", four, (2, 2), [1]).tobytes() == b"\x12\x34"
    assert reverse_packed(b"\x21\x43", four, (2, 2), [0, 1]).tobytes() == b"\x34\x12"
    assert reverse_packed(bytes([0b11_10_01_00]), two, (4,), [0]).tobytes() == bytes([0b00_01_10_11])
    found = reverse_sequence_packed(
        b"\x21\x43\x65\x87", four, (2, 2, 2), np.array([2, 1]), batch_axis=0, seq_axis=1
    )
    assert found.tobytes() == b"\x43\x21\x65\x87"
    with pytest.raises(NameError):
        reverse_sequence_packed(b"\x21", four, (1, 2), np.array([2]), batch_axis=0, seq_axis=1)


def test_axes_and_sizes_are_checked() -> None:
    with pytest.raises(Violation, match="C4"):
        reverse_packed(b"\x21", element_type("u4"), (2,), [1])
    with pytest.raises(ValueError, match=r"expected 2 bytes for u4\[4\], got 1"):
        reverse_packed(b"\x21", element_type("u4"), (4,), [0])
