"""LSTMSequence: an LSTM cell over the steps of sequences."""

from __future__ import annotations

import numpy as np

from irops.ops.sequence.recurrent import (
    Function,
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

DEFAULT = ("sigmoid", "tanh", "tanh")


@shape("LSTMSequence-5")
def lstm_sequence_shape(
    X: Fact,
    initial_hidden_state: Fact,
    initial_cell_state: Fact,
    sequence_lengths: Fact,
    W: Fact,
    R: Fact,
    B: Fact,
    *,
    hidden_size: int,
    direction: str,
    activations: tuple[str, ...],
    clip: float,
) -> tuple[Shape, ...]:
    functions_of(activations or DEFAULT, 3)
    check_clip(clip)
    return sequence_shapes(
        X, (initial_hidden_state, initial_cell_state), sequence_lengths, (W, R, B), 4, hidden_size, direction
    )


@kernel("LSTMSequence-5", widen=True)
def lstm_sequence(
    X: Array,
    initial_hidden_state: Array,
    initial_cell_state: Array,
    sequence_lengths: Array,
    W: Array,
    R: Array,
    B: Array,
    *,
    direction: str,
    activations: tuple[str, ...],
    clip: float,
) -> tuple[Array, ...]:
    check_lengths(sequence_lengths, Dim.of(X.shape[1]))
    functions, lengths = functions_of(activations or DEFAULT, 3), as_i64(sequence_lengths)
    directions = [
        run_direction(
            X,
            initial_hidden_state[:, k],
            initial_cell_state[:, k],
            lengths,
            W[k],
            R[k],
            B[k],
            functions,
            clip,
            backward,
        )
        for k, backward in enumerate(directions_of(direction))
    ]
    return tuple(np.stack(outputs, axis=1) for outputs in zip(*directions))


def run_direction(
    X: Array,
    hidden: Array,
    cell: Array,
    lengths: Array,
    W: Array,
    R: Array,
    B: Array,
    functions: list[Function],
    clip: float,
    backward: bool,
) -> tuple[Array, Array, Array]:
    """The outputs of all steps and the last states, for one direction; 0 after the end of a sequence, and for
    an empty one.
    """
    f, g, h = functions
    steps = X.shape[1]
    order = step_order(lengths, steps, backward)
    projected = reordered(X, order) @ W.T + B
    outputs = np.zeros((*X.shape[:2], hidden.shape[1]), X.dtype)
    for step in range(steps):
        forget_gate, input_gate, candidate, output_gate = np.split(
            clipped(projected[:, step] + hidden @ R.T, clip), 4, axis=1
        )
        next_cell = f(forget_gate) * cell + f(input_gate) * g(candidate)
        next_hidden = f(output_gate) * h(next_cell)
        valid = (step < lengths)[:, np.newaxis]
        hidden, cell = np.where(valid, next_hidden, hidden), np.where(valid, next_cell, cell)
        outputs[:, step] = np.where(valid, next_hidden, 0)
    non_empty = (lengths > 0)[:, np.newaxis]
    return reordered(outputs, order), np.where(non_empty, hidden, 0), np.where(non_empty, cell, 0)
