"""Recurrent ops: LSTMCell, GRUCell and RNNCell, and the same over the steps of sequences."""

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

Names = tuple[str, ...]
Function = Callable[[Array], Array]
Step = Callable[..., tuple[Array, ...]]
"""One step: from the products of the inputs with W, and the states, to the next states."""
FUNCTIONS: dict[str, Function] = {
    "relu": lambda x: np.maximum(x, 0),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "tanh": np.tanh,
}


class Recurrence(NamedTuple):
    """A kind of cell: the number of gates whose weights W and R contain, and the default activations."""

    gates: int
    activations: Names


LSTM = Recurrence(4, ("sigmoid", "tanh", "tanh"))
GRU = Recurrence(3, ("sigmoid", "tanh"))
RNN = Recurrence(1, ("tanh",))


def functions_of(kind: Recurrence, activations: Names) -> list[Function]:
    """The activation functions by their names; no names stand for the default ones."""
    count, activations = len(kind.activations), activations or kind.activations
    names = [name.lower() for name in activations[:count]]
    known = len(names) == count and all(name in FUNCTIONS for name in names)
    require(known, "C6", ", ".join(activations) or "none")
    warn_unless(len(activations) == count, "C7", ", ".join(activations))
    return [FUNCTIONS[name] for name in names]


def cell_shape(
    kind: Recurrence,
    X: Fact,
    states: Sequence[Fact],
    weights: tuple[Fact, Fact, Fact | None],
    *,
    hidden_size: int,
    activations: Names,
    clip: float,
    linear_before_reset: bool = False,
    **_: Any,
) -> Shape:
    """The shape of a state after one step. weights: W, R and B."""
    functions_of(kind, activations)
    warn_unless(clip >= 0, "C8", clip)
    W, R, B = weights  # noqa: N806
    batch = unify_all("C1")(X.shape[0], *(state.shape[0] for state in states))
    sizes = (gate_size(W.shape[0], kind.gates), gate_size(R.shape[0], kind.gates))
    size = unify_all("C3")(*(state.shape[1] for state in states), R.shape[1], *sizes)
    if B is not None:
        size = unify(size, gate_size(B.shape[0], kind.gates + linear_before_reset), "C3")
    warn_unless(X.shape[1].can_be(W.shape[1]), "C4", X, W)
    return Shape.of(batch, hidden_axis(size, hidden_size))


def sequence_shapes(
    kind: Recurrence,
    X: Fact,
    states: Sequence[Fact],
    sequence_lengths: Fact,
    weights: tuple[Fact, Fact, Fact],
    *,
    hidden_size: int,
    direction: str,
    activations: Names,
    clip: float,
    linear_before_reset: bool = False,
    **_: Any,
) -> tuple[Shape, ...]:
    """The shape of Y, and the shape of the last value of each state. weights: W, R and B."""
    functions_of(kind, activations)
    warn_unless(clip >= 0, "C8", clip)
    W, R, B = (fact.shape for fact in weights)  # noqa: N806
    batch = unify_all("C1")(X.shape[0], *(state.shape[0] for state in states), sequence_lengths.shape[0])
    given = [*(state.shape[1] for state in states), W[0], R[0], B[0]]
    directions = unify_all("C2")(2 if direction == "bidirectional" else 1, *given)
    counts = (kind.gates, kind.gates, kind.gates + linear_before_reset)
    sizes = [gate_size(one[1], count) for one, count in zip((W, R, B), counts)]
    size = unify_all("C3")(*(state.shape[2] for state in states), R[2], *sizes)
    warn_unless(X.shape[2].can_be(W[2]), "C4", X, weights[0])
    size = hidden_axis(size, hidden_size)
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


def hidden_axis(size: Dim, hidden_size: int) -> Dim:
    """The size of a state, from the inputs and the attribute, which OpenVINO does not compare."""
    warn_unless(size.can_be(hidden_size), "C5", hidden_size, size)
    return unify(size, hidden_size, "C5") if size.can_be(hidden_size) else size


def check_lengths(lengths: Array, steps: Dim) -> None:
    """Require that every length lies in [0, steps]."""
    wrong = np.flatnonzero((lengths < 0) | (as_i64(lengths) > steps.high))
    if wrong.size:
        require(False, "C9", f"{lengths.flat[wrong[0]]} for batch item {wrong[0]} of {steps} steps")


def clipped(gates: Array, clip: float) -> Array:
    """The sums of the gates, clamped to [-clip, clip] if clip is positive."""
    return np.clip(gates, -clip, clip) if clip > 0 else gates


def run_directions(
    X: Array,
    states: tuple[Array, ...],
    lengths: Array,
    W: Array,
    direction: str,
    step: Callable[[int], Step],
    bias: Array | None = None,
) -> tuple[Array, ...]:
    """The outputs of all steps and the last states, for all directions. step(k): one step of direction k;
    bias: is added to the products with W.
    """
    check_lengths(lengths, Dim.of(X.shape[1]))
    ways = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}[direction]
    directions = []
    for k, backward in enumerate(ways):
        order = step_order(as_i64(lengths), X.shape[1], backward)
        projected = reordered(X, order) @ W[k].T
        if bias is not None:
            projected += bias[k]
        of_direction = tuple(state[:, k] for state in states)
        outputs, *last = _run_direction(projected, of_direction, as_i64(lengths), step(k))
        directions.append((reordered(outputs, order), *last))
    return tuple(np.stack(outputs, axis=1) for outputs in zip(*directions))


def _run_direction(
    projected: Array, states: tuple[Array, ...], lengths: Array, step: Step
) -> tuple[Array, ...]:
    """The outputs of all steps and the last states, for one direction; 0 after the end of a sequence, and for
    an empty one.
    """
    outputs = np.zeros((*projected.shape[:2], states[0].shape[1]), projected.dtype)
    shortest = lengths.min(initial=projected.shape[1])
    for time in range(projected.shape[1]):
        following = step(projected[:, time], *states)
        if time < shortest:
            states, outputs[:, time] = following, following[0]
            continue
        valid = (time < lengths)[:, np.newaxis]
        states = tuple(np.where(valid, after, before) for after, before in zip(following, states))
        outputs[:, time] = np.where(valid, following[0], 0)
    non_empty = (lengths > 0)[:, np.newaxis]
    return outputs, *(np.where(non_empty, state, 0) for state in states)


def step_order(lengths: Array, steps: int, backward: bool) -> Array:
    """The step of each sequence that is processed at each time. The permutation is its own inverse."""
    time = np.broadcast_to(np.arange(steps), (len(lengths), steps))
    ends = lengths[:, np.newaxis]
    return np.where(time < ends, ends - 1 - time, time) if backward else time


def reordered(sequences: Array, order: Array) -> Array:
    """Sequences [batch, steps, ...] with their steps in the given order."""
    return sequences[np.arange(len(sequences))[:, np.newaxis], order]


@shape("LSTMCell-4")
def lstm_cell_shape(
    X: Fact,
    initial_hidden_state: Fact,
    initial_cell_state: Fact,
    W: Fact,
    R: Fact,
    B: Fact | None,
    **attributes: Any,
) -> tuple[Shape, Shape]:
    state = cell_shape(LSTM, X, (initial_hidden_state, initial_cell_state), (W, R, B), **attributes)
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
    input_forget: bool,
    weights_format: str,
    **attributes: Any,
) -> tuple[Shape, Shape]:
    warn_unless(not input_forget, "C9", "true")
    warn_unless(weights_format == "fico", "C10", weights_format)
    inputs = (X, initial_hidden_state, initial_cell_state, W, R, B)
    state_shapes = lstm_cell_shape(*inputs, hidden_size=hidden_size, **attributes)
    if B is None or P is None:
        require(state_shapes[0][1].can_be(hidden_size), "C12", hidden_size, state_shapes[0][1])
    if P is not None:
        unify(gate_size(P.shape[0], 3), state_shapes[0][1], "C3")
        warn_unless(P.value is None or not P.value.any(), "C11", P)
    return state_shapes


@kernel("LSTMCell-1", "LSTMCell-4", widen=True)
def lstm_cell(
    X: Array,
    initial_hidden_state: Array,
    initial_cell_state: Array,
    W: Array,
    R: Array,
    B: Array | None,
    P: Array | None = None,  # noqa: ARG001
    *,
    activations: Names,
    clip: float,
) -> tuple[Array, Array]:
    sums = X @ W.T + initial_hidden_state @ R.T + (0 if B is None else B)
    return lstm_step(sums, initial_cell_state, functions_of(LSTM, activations), clip)


def lstm_step(
    sums: Array, cell_state: Array, functions: Sequence[Function], clip: float
) -> tuple[Array, Array]:
    """The next hidden state and cell state, from the sums of the gates."""
    f, g, h = functions
    forget_gate, input_gate, candidate, output_gate = np.split(clipped(sums, clip), 4, axis=1)
    cell = f(forget_gate) * cell_state + f(input_gate) * g(candidate)
    return f(output_gate) * h(cell), cell


@shape("LSTMSequence-5")
def lstm_sequence_shape(
    X: Fact,
    initial_hidden_state: Fact,
    initial_cell_state: Fact,
    sequence_lengths: Fact,
    W: Fact,
    R: Fact,
    B: Fact,
    **attributes: Any,
) -> tuple[Shape, ...]:
    states = (initial_hidden_state, initial_cell_state)
    return sequence_shapes(LSTM, X, states, sequence_lengths, (W, R, B), **attributes)


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
    activations: Names,
    clip: float,
) -> tuple[Array, ...]:
    functions = functions_of(LSTM, activations)

    def step(k: int) -> Step:
        return lambda x, hidden, cell: lstm_step(x + hidden @ R[k].T, cell, functions, clip)

    states = (initial_hidden_state, initial_cell_state)
    return run_directions(X, states, sequence_lengths, W, direction, step, B)


def give_functions(kind: Recurrence, cell: str, sequence: str, next_state: Callable[..., Array]) -> None:
    """Make the shape function of a cell with one state, and the functions of the same over the steps of
    sequences. next_state: from the product of X with W, the state, R, B, activation functions and clip
    """

    @shape(cell)
    def one_state_shape(
        X: Fact, initial_hidden_state: Fact, W: Fact, R: Fact, B: Fact | None, **attributes: Any
    ) -> Shape:
        return cell_shape(kind, X, (initial_hidden_state,), (W, R, B), **attributes)

    @shape(sequence)
    def one_state_shapes(
        X: Fact, initial_hidden_state: Fact, sequence_lengths: Fact, W: Fact, R: Fact, B: Fact, **others: Any
    ) -> tuple[Shape, ...]:
        return sequence_shapes(kind, X, (initial_hidden_state,), sequence_lengths, (W, R, B), **others)

    @kernel(sequence, widen=True)
    def one_state_sequence(
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
        functions = functions_of(kind, activations)

        def step(k: int) -> Step:
            return lambda x, hidden: (next_state(x, hidden, R[k], B[k], functions, clip),)

        return run_directions(X, (initial_hidden_state,), sequence_lengths, W, direction, step)


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
    functions = functions_of(GRU, activations)
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
    if len(B) > 3 * size:  # linear_before_reset: one more bias, within the reset
        inner = reset * (hidden @ R[2 * size :].T + B[3 * size :]) + B[2 * size : 3 * size]
    else:
        inner = (reset * hidden) @ R[2 * size :].T + B[2 * size :]
    candidate = g(clipped(projected[:, 2 * size :] + inner, clip))
    following: Array = (1 - update) * candidate + update * hidden
    return following


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
    bias = 0 if B is None else B
    return rnn_step(X @ W.T, initial_hidden_state, R, bias, functions_of(RNN, activations), clip)


def rnn_step(
    projected: Array, hidden: Array, R: Array, B: Array | int, functions: Sequence[Function], clip: float
) -> Array:
    """The next hidden state. projected: X W^T"""
    (function,) = functions
    return function(clipped(projected + hidden @ R.T + B, clip))


give_functions(GRU, "GRUCell-3", "GRUSequence-5", gru_step)
give_functions(RNN, "RNNCell-1", "RNNSequence-5", rnn_step)
