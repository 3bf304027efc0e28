"""StringTensorPack and StringTensorUnpack: string tensors from and to a byte buffer with offsets."""

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import ANY, Dim
from irops.values.element import I32, Array, ElementType, as_i64, element_type
from irops.values.fact import Fact
from irops.values.shape import Shape, unify_shapes
from irops.values.violation import require

U8: ElementType = element_type("u8")


@shape("StringTensorPack-15")
def string_tensor_pack_shape(begins: Fact, ends: Fact, symbols: Fact) -> Shape:
    both = unify_shapes(begins.shape, ends.shape, "C1")
    if ends.value is not None:
        last = as_i64(ends.value)
        first = np.zeros_like(last) if begins.value is None else as_i64(begins.value)
        check_offsets(first, last, symbols.shape[0])
    return both


def check_offsets(begins: Array, ends: Array, count: Dim) -> None:
    """Require that begins and ends delimit ranges of a buffer of count bytes."""
    require((begins >= 0).all() and (ends >= 0).all(), "C2", begins.ravel().tolist(), ends.ravel().tolist())
    ordered = begins.shape != ends.shape or (begins <= ends).all()
    require(ordered, "C3", begins.ravel().tolist(), ends.ravel().tolist())
    last = int(ends.max(initial=0))
    require(last <= count, "C4", f"end {last}", f"{count} bytes")


@kernel("StringTensorPack-15")
def string_tensor_pack(begins: Array, ends: Array, symbols: Array) -> Array:
    check_offsets(as_i64(begins), as_i64(ends), Dim.of(symbols.size))
    buffer = symbols.tobytes()
    strings = np.empty(begins.shape, dtype=object)
    ranges = zip(begins.ravel().tolist(), ends.ravel().tolist())
    strings.reshape(-1)[:] = [buffer[a:b].decode("utf-8", "surrogateescape") for a, b in ranges]
    return strings


@shape("StringTensorUnpack-15")
def string_tensor_unpack_shape(data: Fact) -> tuple[Fact, Fact, Fact]:
    count = ANY if data.value is None else sum(map(len, encoded(data.value)))
    offsets = Fact(I32, data.shape)
    return offsets, offsets, Fact(U8, Shape.of(count))


def encoded(strings: Array) -> list[bytes]:
    """The UTF-8 bytes of each string; bytes that were not valid UTF-8 when read are restored."""
    return [
        text.encode("utf-8", "surrogateescape") if isinstance(text, str) else bytes(text)
        for text in strings.ravel().tolist()
    ]


@kernel("StringTensorUnpack-15")
def string_tensor_unpack(data: Array) -> tuple[Array, Array, Array]:
    parts = encoded(data)
    lengths = np.array([len(part) for part in parts], np.int64)
    ends = np.cumsum(lengths).reshape(data.shape)
    begins = ends - lengths.reshape(data.shape)
    return begins.astype(np.int32), ends.astype(np.int32), np.frombuffer(b"".join(parts), np.uint8)
