"""Recurrent cells, and the sequences that repeat them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

Function = Callable[[Array], Array]


def sequence_shapes(
    X: Fact,
    states: Sequence[Fact],
    sequence_lengths: Fact,
    weights: tuple[Fact, Fact, Fact],
    gates: int,
    hidden_size: int,
    direction: str,
    bias_gates: int | None = None,
) -> tuple[Shape, ...]:
    """The shape of Y, and the shape of the last value of each state.

    weights: W, R and B; gates: the number of gates in each of them; bias_gates: the number of gates in B, if
        it differs.
    """
    W, R, B = (fact.shape for fact in weights)  # noqa: N806
    batch = unify_all("C1")(X.shape[0], *(state.shape[0] for state in states), sequence_lengths.shape[0])
    directions = unify_all("C2")(
        2 if direction == "bidirectional" else 1, *(state.shape[1] for state in states), W[0], R[0], B[0]
    )
    size = unify_all("C3")(
        *(state.shape[2] for state in states),
        R[2],
        gate_size(W[1], gates),
        gate_size(R[1], gates),
        gate_size(B[1], bias_gates or gates),
    )
    warn_unless(X.shape[2].can_be(W[2]), "C4", X, weights[0])
    warn_unless(size.can_be(hidden_size), "C5", hidden_size, size)
    size = unify(size, hidden_size, "C5") if size.can_be(hidden_size) else size
    if sequence_lengths.value is not None:
        check_lengths(sequence_lengths.value, X.shape[1])
    return Shape.of(batch, directions, X.shape[1], size), *(Shape.of(batch, directions, size) for _ in states)


def unify_all(constraint: str) -> Callable[..., Dim]:
    """A function that unifies any number of sizes; it raises Violation(constraint) if they differ."""
    return lambda *dims: Dim.of(reduce(lambda a, b: unify(a, b, constraint), dims))


def gate_size(dim: Dim, gates: int) -> Dim:
    """The size of one gate, given the size of an axis along which all gates are concatenated."""
    low, high = dim.ceil_div(gates).low, (dim // gates).high
    require(low <= high, "C3", f"{dim} for {gates} gates")
    return Dim(low, high)


def check_lengths(lengths: Array, steps: Dim) -> None:
    """Require that every length lies in [0, steps]."""
    wrong = np.flatnonzero((lengths < 0) | (as_i64(lengths) > steps.high))
    if wrong.size:
        require(False, "C9", f"{lengths.flat[wrong[0]]} for batch item {wrong[0]} of {steps} steps")


FUNCTIONS: dict[str, Function] = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
}


def functions_of(activations: Sequence[str], count: int) -> list[Function]:
    """The activation functions of a cell that has count of them, by their names."""
    names = [name.lower() for name in activations[:count]]
    require(
        len(names) == count and all(name in FUNCTIONS for name in names),
        "C6",
        ", ".join(activations) or "none",
    )
    warn_unless(len(activations) == count, "C7", ", ".join(activations))
    return [FUNCTIONS[name] for name in names]


def check_clip(clip: float) -> None:
    """Warn about a negative clip."""
    warn_unless(clip >= 0, "C8", clip)


def clipped(gates: Array, clip: float) -> Array:
    """The sums of the gates, clamped to [-clip, clip] if clip is positive."""
    return np.clip(gates, -clip, clip) if clip > 0 else gates


def directions_of(direction: str) -> tuple[bool, ...]:
    """For each direction, whether it processes the steps in reverse."""
    return {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}[direction]


def step_order(lengths: Array, steps: int, backward: bool) -> Array:
    """The step of each sequence that is processed at each time. The permutation is its own inverse."""
    time = np.broadcast_to(np.arange(steps), (len(lengths), steps))
    ends = lengths[:, np.newaxis]
    return np.where(time < ends, ends - 1 - time, time) if backward else time


def reordered(sequences: Array, order: Array) -> Array:
    """Sequences [batch, steps, ...] with their steps in the given order."""
    return sequences[np.arange(len(sequences))[:, np.newaxis], order]


# Recurrent cells: LSTMCell, GRUCell, RNNCell.

Names = tuple[str, ...]
LSTM, GRU, RNN = ("sigmoid", "tanh", "tanh"), ("sigmoid", "tanh"), ("tanh",)


def cell_shape(
    X: Fact,
    states: Sequence[Fact],
    weights: tuple[Fact, Fact, Fact | None],
    gates: int,
    hidden_size: int,
    bias_gates: int | None = None,
) -> Shape:
    """The shape of a state after one step.

    weights: W, R and B; gates: the number of gates in each of them; bias_gates: the number of gates in B, if
        it differs.
    """
    W, R, B = weights  # noqa: N806
    batch = unify_all("C1")(X.shape[0], *(state.shape[0] for state in states))
    size = unify_all("C3")(
        *(state.shape[1] for state in states),
        R.shape[1],
        gate_size(W.shape[0], gates),
        gate_size(R.shape[0], gates),
    )
    if B is not None:
        size = unify(size, gate_size(B.shape[0], bias_gates or gates), "C3")
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
    check_clip(clip)
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
    state_shapes = lstm_cell_shape(
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
    if B is None or P is None:
        require(state_shapes[0][1].can_be(hidden_size), "C12", hidden_size, state_shapes[0][1])
    if P is not None:
        unify(gate_size(P.shape[0], 3), state_shapes[0][1], "C3")
        warn_unless(P.value is None or not P.value.any(), "C11", P)
    return state_shapes


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
    forget_gate, input_gate, candidate, output_gate = np.split(clipped(sums, clip), 4, axis=1)
    cell = f(forget_gate) * initial_cell_state + f(input_gate) * g(candidate)
    return f(output_gate) * h(cell), cell


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
    check_clip(clip)
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
    projected: Array, hidden: Array, R: Array, B: Array, functions: Sequence[Function], clip: float
) -> Array:
    """The next hidden state. projected: X W^T. If B has four blocks, the reset gate is applied after the
    multiplication by R (linear_before_reset).
    """
    f, g = functions
    size = hidden.shape[1]
    gates = f(clipped(projected[:, : 2 * size] + hidden @ R[: 2 * size].T + B[: 2 * size], clip))
    update, reset = gates[:, :size], gates[:, size:]
    if len(B) > 3 * size:
        inner = reset * (hidden @ R[2 * size :].T + B[3 * size :]) + B[2 * size : 3 * size]
    else:
        inner = (reset * hidden) @ R[2 * size :].T + B[2 * size :]
    candidate = g(clipped(projected[:, 2 * size :] + inner, clip))
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
    check_clip(clip)
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


# GRUSequence and RNNSequence: cells with only a hidden state, over the steps of sequences.

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


# LSTMSequence: an LSTM cell over the steps of sequences.

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
