"""GRUSequence and RNNSequence: cells with only a hidden state, over the steps of sequences."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from irops.ops.sequence.cells import GRU, RNN, Names, gru_step
from irops.ops.sequence.recurrent import (
    check_clip,
    check_lengths,
    clipped,
    directions_of,
    functions_of,
    reordered,
    sequence_shapes,
    step_order,
)
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape

Step = Callable[[Array, Array], Array]


@shape("GRUSequence-5")
def gru_sequence_shape(
    X: Fact,
    initial_hidden_state: Fact,
    sequence_lengths: Fact,
    W: Fact,
    R: Fact,
    B: Fact,
    *,
    hidden_size: int,
    direction: str,
    activations: Names,
    clip: float,
    linear_before_reset: bool,
) -> tuple[Shape, ...]:
    functions_of(activations or GRU, 2)
    check_clip(clip)
    return sequence_shapes(
        X,
        (initial_hidden_state,),
        sequence_lengths,
        (W, R, B),
        3,
        hidden_size,
        direction,
        4 if linear_before_reset else 3,
    )


@kernel("GRUSequence-5", widen=True)
def gru_sequence(
    X: Array,
    initial_hidden_state: Array,
    sequence_lengths: Array,
    W: Array,
    R: Array,
    B: Array,
    *,
    direction: str,
    activations: Names,
    clip: float,
) -> tuple[Array, ...]:
    functions = functions_of(activations or GRU, 2)

    def step(k: int) -> Step:
        return lambda projected, hidden: gru_step(projected, hidden, R[k], B[k], functions, clip)

    return _run_directions(X, initial_hidden_state, sequence_lengths, W, step, direction)


@shape("RNNSequence-5")
def rnn_sequence_shape(
    X: Fact,
    initial_hidden_state: Fact,
    sequence_lengths: Fact,
    W: Fact,
    R: Fact,
    B: Fact,
    *,
    hidden_size: int,
    direction: str,
    activations: Names,
    clip: float,
) -> tuple[Shape, ...]:
    functions_of(activations or RNN, 1)
    check_clip(clip)
    return sequence_shapes(X, (initial_hidden_state,), sequence_lengths, (W, R, B), 1, hidden_size, direction)


@kernel("RNNSequence-5", widen=True)
def rnn_sequence(
    X: Array,
    initial_hidden_state: Array,
    sequence_lengths: Array,
    W: Array,
    R: Array,
    B: Array,
    *,
    direction: str,
    activations: Names,
    clip: float,
) -> tuple[Array, ...]:
    (function,) = functions_of(activations or RNN, 1)

    def step(k: int) -> Step:
        return lambda projected, hidden: function(clipped(projected + hidden @ R[k].T + B[k], clip))

    return _run_directions(X, initial_hidden_state, sequence_lengths, W, step, direction)


def _run_directions(
    X: Array, states: Array, sequence_lengths: Array, W: Array, step: Callable[[int], Step], direction: str
) -> tuple[Array, ...]:
    """The outputs of all steps and the last states, for all directions. step(k): one step of direction k."""
    check_lengths(sequence_lengths, Dim.of(X.shape[1]))
    lengths = as_i64(sequence_lengths)
    directions = [
        _run_direction(X, states[:, k], lengths, W[k], step(k), backward)
        for k, backward in enumerate(directions_of(direction))
    ]
    return tuple(np.stack(outputs, axis=1) for outputs in zip(*directions))


def _run_direction(
    X: Array, hidden: Array, lengths: Array, W: Array, step: Step, backward: bool
) -> tuple[Array, Array]:
    """The outputs of all steps and the last states, for one direction; 0 after the end of a sequence, and for
    an empty one.
    """
    order = step_order(lengths, X.shape[1], backward)
    projected = reordered(X, order) @ W.T
    outputs = np.zeros((*X.shape[:2], hidden.shape[1]), X.dtype)
    for time in range(X.shape[1]):
        valid = (time < lengths)[:, np.newaxis]
        following = step(projected[:, time], hidden)
        hidden, outputs[:, time] = np.where(valid, following, hidden), np.where(valid, following, 0)
    return reordered(outputs, order), np.where((lengths > 0)[:, np.newaxis], hidden, 0)
