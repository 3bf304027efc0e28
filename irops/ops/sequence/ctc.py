"""CTCGreedyDecoder, CTCGreedyDecoderSeqLen and CTCLoss."""

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, ElementType
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless


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


def check_lengths(lengths: Array, steps: Dim, constraint: str = "C4") -> None:
    within = not lengths.size or (lengths.min() >= 0 and int(lengths.max()) <= steps.high)
    require(within, constraint, lengths, f"{steps} steps")


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


@shape("CTCLoss-4")
def ctc_loss_shape(
    logits: Fact, logit_length: Fact, labels: Fact, label_length: Fact, blank_index: Fact | None = None
) -> Shape:
    batch = logits.shape[0]
    for fact in (logit_length, labels, label_length):
        batch = unify(batch, fact.shape[0], "C1")
    steps = unify(logits.shape[1], labels.shape[1], "C2")
    classes = logits.shape[2]
    blank = None if blank_index is None else blank_index.value
    require(blank is None or 0 <= int(blank) < classes.high, "C6", blank, f"{classes} classes")
    check_logits_and_labels(logit_length.value, label_length.value, steps)
    if labels.value is not None and label_length.value is not None:
        check_labels(
            labels.value, label_length.value, classes, int(blank) if blank is not None else classes - 1
        )
    return Shape.of(batch)


def check_logits_and_labels(logit_length: Array | None, label_length: Array | None, steps: Dim) -> None:
    if logit_length is not None:
        check_lengths(logit_length, steps, "C3")
    if label_length is not None:
        check_lengths(label_length, steps)
        if logit_length is not None and len(logit_length) == len(label_length):
            require((label_length <= logit_length).all(), "C4", label_length, logit_length)


def check_labels(labels: Array, label_length: Array, classes: Dim, blank: Dim | int) -> None:
    for item, (row, length) in enumerate(zip(labels, label_length)):
        target = row[: int(length)]
        wrong = target[(target < 0) | (target >= classes.high)]
        require(
            not wrong.size, "C5", *(f"{label} for item {item}" for label in wrong[:1]), f"{classes} classes"
        )
        warn_unless(not (target == blank).any(), "C7", f"{blank} for item {item}")


@kernel("CTCLoss-4")
def ctc_loss(
    logits: Array,
    logit_length: Array,
    labels: Array,
    label_length: Array,
    blank_index: Array | None,
    *,
    preprocess_collapse_repeated: bool,
    ctc_merge_repeated: bool,
    unique: bool,
) -> Array:
    _, steps, classes = logits.shape
    blank = classes - 1 if blank_index is None else int(blank_index)
    require(0 <= blank < classes, "C6", blank, f"{classes} classes")
    check_logits_and_labels(logit_length, label_length, Dim.of(steps))
    check_labels(labels, label_length, Dim.of(classes), blank)
    numbers = logits.astype(np.float64)
    log_probabilities = numbers - np.logaddexp.reduce(numbers, axis=2, keepdims=True)
    losses = np.zeros(len(logits))
    for item, (length, count) in enumerate(zip(logit_length, label_length)):
        target = target_labels(labels[item, : int(count)], preprocess_collapse_repeated, unique)
        losses[item] = -log_likelihood(
            log_probabilities[item, : int(length)], target, blank, ctc_merge_repeated
        )
    return losses.astype(logits.dtype)


def target_labels(target: Array, collapse: bool, unique: bool) -> list[int]:
    """The labels of the target: with unique, each label once in the order of first occurrence; with collapse,
    each run of equal labels merged.
    """
    labels = [int(label) for label in target]
    if unique:
        return list(dict.fromkeys(labels))
    runs = [label for previous, label in zip([None, *labels], labels) if label != previous]
    return runs if collapse else labels


def log_likelihood(log_probabilities: Array, target: list[int], blank: int, merged: bool) -> float:
    """The logarithm of the total probability of all paths that are decoded to target.

    log_probabilities[T, C]; merged: whether a run of one class is one label. The states of the dynamic
    program are blank, label, blank, label, ..., blank. A path may stay in a label state only if runs are
    merged.
    """
    states = np.full(2 * len(target) + 1, blank)
    states[1::2] = target
    skips = np.zeros(len(states), np.bool_)  # whether the blank between two labels may be skipped
    skips[3::2] = (states[3::2] != states[1:-2:2]) | (not merged)
    stays = np.where((np.arange(len(states)) % 2 == 0) | merged, 0.0, -np.inf)
    reached = np.full(len(states), -np.inf)
    reached[0] = 0.0
    for step, row in enumerate(log_probabilities):
        reached = row[states] + _advance(reached, stays, skips, step == 0)
    if len(log_probabilities):
        return float(np.logaddexp.reduce(reached[-2:]))
    return -np.inf if target else 0.0


def _advance(reached: Array, stays: Array, skips: Array, first: bool) -> Array:
    """The log-probabilities of the states one step later: a path stays, moves to the next state, or skips a
    blank.
    """
    one = np.concatenate([[-np.inf], reached[:-1]])
    if first:
        return np.asarray(np.logaddexp(reached, one))
    two = np.where(skips, np.concatenate([[-np.inf] * min(2, len(reached)), reached[:-2]]), -np.inf)
    return np.asarray(np.logaddexp.reduce([reached + stays, one, two], axis=0))
