"""Single cells, and sequences of those with one state: LSTMCell, GRUCell, RNNCell, GRUSequence,
RNNSequence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from irops.ops.sequence.recurrent import (
    Function,
    clipped,
    directions_of,
    every,
    functions_of,
    gate,
    hold_clip,
    hold_lengths,
    reordered,
    sequence_shapes,
    step_order,
)
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import warn_unless

Names = tuple[str, ...]
LSTM, GRU, RNN = ("sigmoid", "tanh", "tanh"), ("sigmoid", "tanh"), ("tanh",)
Step = Callable[[Array, Array], Array]


def cell_shape(
    X: Fact,
    states: Sequence[Fact],
    weights: tuple[Fact, Fact, Fact | None],
    gates: int,
    hidden_size: int,
    bias_gates: int | None = None,
) -> Shape:
    """The shape of a state after one step. weights: W, R and B; gates: how many there are in each, or in B
    bias_gates.
    """
    W, R, B = weights  # noqa: N806
    batch = every("C1")(X.shape[0], *(state.shape[0] for state in states))
    size = every("C3")(
        *(state.shape[1] for state in states), R.shape[1], gate(W.shape[0], gates), gate(R.shape[0], gates)
    )
    if B is not None:
        size = unify(size, gate(B.shape[0], bias_gates or gates), "C3")
    warn_unless(X.shape[1].can_be(W.shape[1]), "C4", X, W)
    warn_unless(size.can_be(hidden_size), "C5", hidden_size, size)
    return Shape.of(batch, unify(size, hidden_size, "C5") if size.can_be(hidden_size) else size)


@shape("LSTMCell-4")
def lstm_cell_shape(
    X: Fact,
    initial_hidden_state: Fact,
    initial_cell_state: Fact,
    W: Fact,
    R: Fact,
    B: Fact | None,
    *,
    hidden_size: int,
    activations: Names,
    clip: float,
) -> tuple[Shape, Shape]:
    functions_of(activations or LSTM, 3)
    hold_clip(clip)
    state = cell_shape(X, (initial_hidden_state, initial_cell_state), (W, R, B), 4, hidden_size)
    return state, state


@shape("LSTMCell-1")
def lstm_cell_1_shape(
    X: Fact,
    initial_hidden_state: Fact,
    initial_cell_state: Fact,
    W: Fact,
    R: Fact,
    B: Fact | None,
    P: Fact | None,
    *,
    hidden_size: int,
    activations: Names,
    clip: float,
    input_forget: bool,
    weights_format: str,
) -> tuple[Shape, Shape]:
    warn_unless(not input_forget, "C9", "true")
    warn_unless(weights_format == "fico", "C10", weights_format)
    found = lstm_cell_shape(
        X,
        initial_hidden_state,
        initial_cell_state,
        W,
        R,
        B,
        hidden_size=hidden_size,
        activations=activations,
        clip=clip,
    )
    if P is not None:
        unify(gate(P.shape[0], 3), found[0][1], "C3")
        warn_unless(P.value is None or not P.value.any(), "C11", P)
    return found


@kernel("LSTMCell-4", widen=True)
def lstm_cell(
    X: Array,
    initial_hidden_state: Array,
    initial_cell_state: Array,
    W: Array,
    R: Array,
    B: Array | None,
    *,
    activations: Names,
    clip: float,
) -> tuple[Array, Array]:
    f, g, h = functions_of(activations or LSTM, 3)
    sums = X @ W.T + initial_hidden_state @ R.T + (0 if B is None else B)
    forget, into, candidate, out = np.split(clipped(sums, clip), 4, axis=1)
    cell = f(forget) * initial_cell_state + f(into) * g(candidate)
    return f(out) * h(cell), cell


@kernel("LSTMCell-1", widen=True)
def lstm_cell_1(
    X: Array,
    initial_hidden_state: Array,
    initial_cell_state: Array,
    W: Array,
    R: Array,
    B: Array | None,
    P: Array | None,  # noqa: ARG001
    *,
    activations: Names,
    clip: float,
) -> tuple[Array, Array]:
    return lstm_cell(X, initial_hidden_state, initial_cell_state, W, R, B, activations=activations, clip=clip)


@shape("GRUCell-3")
def gru_cell_shape(
    X: Fact,
    initial_hidden_state: Fact,
    W: Fact,
    R: Fact,
    B: Fact | None,
    *,
    hidden_size: int,
    activations: Names,
    clip: float,
    linear_before_reset: bool,
) -> Shape:
    functions_of(activations or GRU, 2)
    hold_clip(clip)
    return cell_shape(X, (initial_hidden_state,), (W, R, B), 3, hidden_size, 4 if linear_before_reset else 3)


@kernel("GRUCell-3", widen=True)
def gru_cell(
    X: Array,
    initial_hidden_state: Array,
    W: Array,
    R: Array,
    B: Array | None,
    *,
    activations: Names,
    clip: float,
    linear_before_reset: bool,
) -> Array:
    functions = functions_of(activations or GRU, 2)
    bias = np.zeros(len(W) // 3 * (3 + linear_before_reset), X.dtype) if B is None else B
    return gru_step(X @ W.T, initial_hidden_state, R, bias, functions, clip)


def gru_step(
    given: Array, hidden: Array, R: Array, B: Array, functions: Sequence[Function], clip: float
) -> Array:
    """The next hidden state. given: what X comes to through W; B of four parts: the reset gate comes behind
    the product with R.
    """
    f, g = functions
    size = hidden.shape[1]
    both = f(clipped(given[:, : 2 * size] + hidden @ R[: 2 * size].T + B[: 2 * size], clip))
    update, reset = both[:, :size], both[:, size:]
    if len(B) > 3 * size:
        inner = reset * (hidden @ R[2 * size :].T + B[3 * size :]) + B[2 * size : 3 * size]
    else:
        inner = (reset * hidden) @ R[2 * size :].T + B[2 * size :]
    candidate = g(clipped(given[:, 2 * size :] + inner, clip))
    following: Array = (1 - update) * candidate + update * hidden
    return following


@shape("RNNCell-1")
def rnn_cell_shape(
    X: Fact,
    initial_hidden_state: Fact,
    W: Fact,
    R: Fact,
    B: Fact | None,
    *,
    hidden_size: int,
    activations: Names,
    clip: float,
) -> Shape:
    functions_of(activations or RNN, 1)
    hold_clip(clip)
    return cell_shape(X, (initial_hidden_state,), (W, R, B), 1, hidden_size)


@kernel("RNNCell-1", widen=True)
def rnn_cell(
    X: Array,
    initial_hidden_state: Array,
    W: Array,
    R: Array,
    B: Array | None,
    *,
    activations: Names,
    clip: float,
) -> Array:
    (function,) = functions_of(activations or RNN, 1)
    return function(clipped(X @ W.T + initial_hidden_state @ R.T + (0 if B is None else B), clip))


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
    hold_clip(clip)
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
        return lambda given, hidden: gru_step(given, hidden, R[k], B[k], functions, clip)

    return _ways(X, initial_hidden_state, sequence_lengths, W, step, direction)


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
    hold_clip(clip)
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
        return lambda given, hidden: function(clipped(given + hidden @ R[k].T + B[k], clip))

    return _ways(X, initial_hidden_state, sequence_lengths, W, step, direction)


def _ways(
    X: Array, states: Array, sequence_lengths: Array, W: Array, step: Callable[[int], Step], direction: str
) -> tuple[Array, ...]:
    """All directions: the outputs of all steps, and the last states. step: that of the direction of a
    number.
    """
    hold_lengths(sequence_lengths, Dim.of(X.shape[1]))
    lengths = as_i64(sequence_lengths)
    ways = [
        _way(X, states[:, k], lengths, W[k], step(k), backward)
        for k, backward in enumerate(directions_of(direction))
    ]
    return tuple(np.stack(outputs, axis=1) for outputs in zip(*ways))


def _way(
    X: Array, hidden: Array, lengths: Array, W: Array, step: Step, backward: bool
) -> tuple[Array, Array]:
    """One direction. Nothing comes of a sequence behind its end, or of none."""
    order = step_order(lengths, X.shape[1], backward)
    given = reordered(X, order) @ W.T
    outputs = np.zeros((*X.shape[:2], hidden.shape[1]), X.dtype)
    for time in range(X.shape[1]):
        runs = (time < lengths)[:, np.newaxis]
        following = step(given[:, time], hidden)
        hidden, outputs[:, time] = np.where(runs, following, hidden), np.where(runs, following, 0)
    return reordered(outputs, order), np.where((lengths > 0)[:, np.newaxis], hidden, 0)
