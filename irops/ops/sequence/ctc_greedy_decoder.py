"""CTCGreedyDecoder and CTCGreedyDecoderSeqLen: greedy decoding of CTC output."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require


@shape("CTCGreedyDecoder-1")
def ctc_greedy_decoder_shape(data: Fact, sequence_mask: Fact) -> Shape:
    steps = unify(data.shape[0], sequence_mask.shape[0], "C1")
    batch = unify(data.shape[1], sequence_mask.shape[1], "C1")
    require(data.shape[2] >= 1, "C2", data)
    return Shape.of(batch, steps, 1, 1)


@shape("CTCGreedyDecoderSeqLen-6")
def ctc_greedy_decoder_seq_len_shape(
    data: Fact, sequence_length: Fact, blank_index: Fact | None = None
) -> tuple[Shape, Shape]:
    batch = unify(data.shape[0], sequence_length.shape[0], "C1")
    require(data.shape[2] >= 1, "C2", data)
    if blank_index is not None:
        require(blank_index.shape.size.can_be(1), "C3", blank_index)
    if sequence_length.value is not None:
        check_lengths(sequence_length.value, data.shape[1])
    return Shape.of(batch, data.shape[1]), Shape.of(batch)


def check_lengths(lengths: Array, steps: Dim) -> None:
    require(
        not lengths.size or (lengths.min() >= 0 and int(lengths.max()) <= steps.high),
        "C4",
        lengths,
        f"{steps} steps",
    )


@kernel("CTCGreedyDecoder-1")
def ctc_greedy_decoder(data: Array, sequence_mask: Array, *, ctc_merge_repeated: bool) -> Array:
    within = np.logical_and.accumulate(sequence_mask.T != 0, axis=1)
    decoded, _ = best_path(np.swapaxes(data, 0, 1), within, data.shape[2] - 1, ctc_merge_repeated)
    return decoded[:, :, np.newaxis, np.newaxis].astype(data.dtype)


@kernel("CTCGreedyDecoderSeqLen-6")
def ctc_greedy_decoder_seq_len(
    data: Array,
    sequence_length: Array,
    blank_index: Array | None,
    *,
    merge_repeated: bool,
    classes_index_type: ElementType,
    sequence_length_type: ElementType,
) -> tuple[Array, Array]:
    steps, classes = data.shape[1:]
    check_lengths(sequence_length, Dim.of(steps))
    blank = classes - 1 if blank_index is None else int(blank_index.reshape(()))
    within = np.arange(steps) < sequence_length.astype(np.int64)[:, np.newaxis]
    decoded, lengths = best_path(data, within, blank, merge_repeated)
    return decoded.astype(classes_index_type.dtype), lengths.astype(sequence_length_type.dtype)


def best_path(data: Array, within: Array, blank: int, merged: bool) -> tuple[Array, Array]:
    """The labels of each sequence, padded with -1, and their number. data[N, T, C]; within[N, T]: the valid
    steps.
    """
    numbers = data.astype(np.float64)
    best = np.where(np.isnan(numbers), -np.inf, numbers).argmax(axis=2)
    previous = np.concatenate([np.full((len(best), 1), -1), best[:, :-1]], axis=1)[:, : best.shape[1]]
    kept = within & (best != blank) & ~((best == previous) & merged)
    decoded = np.full(best.shape, -1)
    positions = np.cumsum(kept, axis=1) - 1
    decoded[np.nonzero(kept)[0], positions[kept]] = best[kept]
    return decoded, kept.sum(axis=1)
