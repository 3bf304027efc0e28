"""Ops on ragged tensors: row i consists of the elements of data from begins[i] to ends[i]."""

from irops.dialects.tokenizers.ops.strings import VECTOR, require_bytes, require_same_shape, require_type
from irops.spec.binding import shape
from irops.values.dim import ANY, Dim
from irops.values.element import I32
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape, unify_shapes
from irops.values.violation import require


@shape("tokenizers:RaggedToDense")
def ragged_to_dense_shape(
    begins: Fact, ends: Fact, data: Fact, length: Fact, default: Fact, pad_right: Fact | None
) -> tuple[Shape, Shape]:
    require(length.shape.rank in (None, 0) or length.shape[0].can_be(1), "C1", length.shape)
    if pad_right is not None:
        require(pad_right.shape.rank in (None, 0) or not pad_right.shape.static, "C2", pad_right.shape)
    if data.shape.dims is None:
        return UNRANKED, UNRANKED
    dense = begins.shape + Shape.of(_size(length)) + data.shape[1:]
    return dense, dense


def _size(length: Fact) -> Dim:
    """The size that a length asks for."""
    sizes = length.dims
    return sizes[0].at_least(0) if sizes is not None and len(sizes) == 1 and sizes[0].high >= 0 else ANY


@shape("tokenizers:RaggedToSparse")
def ragged_to_sparse_shape(begins: Fact, ends: Fact) -> Shape:
    require_same_shape(begins, ends, "C1")
    return Shape.of(ANY, 2)


@shape("tokenizers:CombineSegments")
def combine_segments_shape(*segments: Fact) -> tuple[Shape | Fact, ...]:
    require(len(segments) % 3 == 1 and len(segments) > 1, "C1", len(segments))
    *ragged, ids = segments
    rows = UNRANKED
    for begins, ends, data in zip(ragged[::3], ragged[1::3], ragged[2::3]):
        _require_rows(begins, ends, data)
        if begins.shape.rank != 0:  # one row for the whole batch
            rows = unify_shapes(rows, begins.shape, "C3")
    return rows, rows, VECTOR, rows, rows, Fact(ids.element_type, VECTOR)


@shape("tokenizers:Truncate")
def truncate_shape(*inputs: Fact) -> tuple[Shape, ...]:
    require(len(inputs) in (6, 9), "C1", len(inputs))
    *ragged, length, side, mode = inputs
    require_type(length, (I32,), "C3")
    require(length.shape.rank in (None, 0), "C3", length)
    require_bytes(side, "C4")
    require_bytes(mode, "C4")
    if len(ragged) > 3:
        require(ragged[3].shape.rank != 0, "C5", ragged[3])
    outputs: list[Shape] = []
    for begins, ends, data in zip(ragged[::3], ragged[1::3], ragged[2::3]):
        _require_rows(begins, ends, data)
        outputs += (begins.shape, begins.shape, VECTOR)
    return tuple(outputs)


def _require_rows(begins: Fact, ends: Fact, data: Fact) -> None:
    require_type(begins, (I32,), "C2")
    require_type(ends, (I32,), "C2")
    require(data.shape.rank in (None, 1), "C2", data)


@shape("tokenizers:VocabDecoder")
def vocab_decoder_shape(
    ids: Fact, vocab_begins: Fact, vocab_ends: Fact, vocab_chars: Fact, skip_tokens: Fact | None
) -> tuple[Shape, ...]:
    rows = Shape.of(ids.shape[0])
    return rows, rows, VECTOR, VECTOR, VECTOR
