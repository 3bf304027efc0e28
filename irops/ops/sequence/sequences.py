"""Recurrent ops: LSTMCell, GRUCell and RNNCell, and the same over the steps of sequences."""

from collections.abc import Callable, Sequence

import numpy as np

from irops.ops.sequence import recurrent
from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require, warn_unless

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
    batch = recurrent.unify_all("C1")(X.shape[0], *(state.shape[0] for state in states))
    sizes = (recurrent.gate_size(W.shape[0], gates), recurrent.gate_size(R.shape[0], gates))
    size = recurrent.unify_all("C3")(*(state.shape[1] for state in states), R.shape[1], *sizes)
    if B is not None:
        size = unify(size, recurrent.gate_size(B.shape[0], bias_gates or gates), "C3")
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
    recurrent.functions_of(activations or LSTM, 3)
    recurrent.check_clip(clip)
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
    inputs = (X, initial_hidden_state, initial_cell_state, W, R, B)
    state_shapes = lstm_cell_shape(*inputs, hidden_size=hidden_size, activations=activations, clip=clip)
    if B is None or P is None:
        require(state_shapes[0][1].can_be(hidden_size), "C12", hidden_size, state_shapes[0][1])
    if P is not None:
        unify(recurrent.gate_size(P.shape[0], 3), state_shapes[0][1], "C3")
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
    f, g, h = recurrent.functions_of(activations or LSTM, 3)
    sums = X @ W.T + initial_hidden_state @ R.T + (0 if B is None else B)
    forget_gate, input_gate, candidate, output_gate = np.split(recurrent.clipped(sums, clip), 4, axis=1)
    cell = f(forget_gate) * initial_cell_state + f(input_gate) * g(candidate)
    return f(output_gate) * h(cell), cell


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
    recurrent.functions_of(activations or GRU, 2)
    recurrent.check_clip(clip)
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
    functions = recurrent.functions_of(activations or GRU, 2)
    bias = np.zeros(len(W) // 3 * (3 + linear_before_reset), X.dtype) if B is None else B
    return gru_step(X @ W.T, initial_hidden_state, R, bias, functions, clip)


def gru_step(
    projected: Array, hidden: Array, R: Array, B: Array, functions: Sequence[recurrent.Function], clip: float
) -> Array:
    """The next hidden state. projected: X W^T. If B has four blocks, the reset gate is applied after the
    multiplication by R (linear_before_reset).
    """
    f, g = functions
    size = hidden.shape[1]
    gates = f(recurrent.clipped(projected[:, : 2 * size] + hidden @ R[: 2 * size].T + B[: 2 * size], clip))
    update, reset = gates[:, :size], gates[:, size:]
    if len(B) > 3 * size:
        inner = reset * (hidden @ R[2 * size :].T + B[3 * size :]) + B[2 * size : 3 * size]
    else:
        inner = (reset * hidden) @ R[2 * size :].T + B[2 * size :]
    candidate = g(recurrent.clipped(projected[:, 2 * size :] + inner, clip))
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
    recurrent.functions_of(activations or RNN, 1)
    recurrent.check_clip(clip)
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
    (function,) = recurrent.functions_of(activations or RNN, 1)
    return function(recurrent.clipped(X @ W.T + initial_hidden_state @ R.T + (0 if B is None else B), clip))


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
    recurrent.functions_of(activations or GRU, 2)
    recurrent.check_clip(clip)
    states, biases = (initial_hidden_state,), 4 if linear_before_reset else 3
    return recurrent.sequence_shapes(
        X, states, sequence_lengths, (W, R, B), 3, hidden_size, direction, biases
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
    functions = recurrent.functions_of(activations or GRU, 2)

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
    recurrent.functions_of(activations or RNN, 1)
    recurrent.check_clip(clip)
    return recurrent.sequence_shapes(
        X, (initial_hidden_state,), sequence_lengths, (W, R, B), 1, hidden_size, direction
    )


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
    (function,) = recurrent.functions_of(activations or RNN, 1)

    def step(k: int) -> Step:
        return lambda projected, hidden: function(recurrent.clipped(projected + hidden @ R[k].T + B[k], clip))

    return _run_directions(X, initial_hidden_state, sequence_lengths, W, step, direction)


def _run_directions(
    X: Array, states: Array, sequence_lengths: Array, W: Array, step: Callable[[int], Step], direction: str
) -> tuple[Array, ...]:
    """The outputs of all steps and the last states, for all directions. step(k): one step of direction k."""
    recurrent.check_lengths(sequence_lengths, Dim.of(X.shape[1]))
    lengths = as_i64(sequence_lengths)
    ways = enumerate(recurrent.directions_of(direction))
    directions = [_run_direction(X, states[:, k], lengths, W[k], step(k), backward) for k, backward in ways]
    return tuple(np.stack(outputs, axis=1) for outputs in zip(*directions))


def _run_direction(
    X: Array, hidden: Array, lengths: Array, W: Array, step: Step, backward: bool
) -> tuple[Array, Array]:
    """The outputs of all steps and the last states, for one direction; 0 after the end of a sequence, and for
    an empty one.
    """
    order = recurrent.step_order(lengths, X.shape[1], backward)
    projected = recurrent.reordered(X, order) @ W.T
    outputs = np.zeros((*X.shape[:2], hidden.shape[1]), X.dtype)
    for time in range(X.shape[1]):
        valid = (time < lengths)[:, np.newaxis]
        following = step(projected[:, time], hidden)
        hidden, outputs[:, time] = np.where(valid, following, hidden), np.where(valid, following, 0)
    return recurrent.reordered(outputs, order), np.where((lengths > 0)[:, np.newaxis], hidden, 0)


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
    recurrent.functions_of(activations or DEFAULT, 3)
    recurrent.check_clip(clip)
    return recurrent.sequence_shapes(
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
    recurrent.check_lengths(sequence_lengths, Dim.of(X.shape[1]))
    functions, lengths = recurrent.functions_of(activations or DEFAULT, 3), as_i64(sequence_lengths)
    directions = []
    for k, backward in enumerate(recurrent.directions_of(direction)):
        hidden, cell = initial_hidden_state[:, k], initial_cell_state[:, k]
        ran = run_direction(X, hidden, cell, lengths, W[k], R[k], B[k], functions, clip, backward)
        directions.append(ran)
    return tuple(np.stack(outputs, axis=1) for outputs in zip(*directions))


def run_direction(
    X: Array,
    hidden: Array,
    cell: Array,
    lengths: Array,
    W: Array,
    R: Array,
    B: Array,
    functions: list[recurrent.Function],
    clip: float,
    backward: bool,
) -> tuple[Array, Array, Array]:
    """The outputs of all steps and the last states, for one direction; 0 after the end of a sequence, and for
    an empty one.
    """
    f, g, h = functions
    steps = X.shape[1]
    order = recurrent.step_order(lengths, steps, backward)
    projected = recurrent.reordered(X, order) @ W.T + B
    outputs = np.zeros((*X.shape[:2], hidden.shape[1]), X.dtype)
    for step in range(steps):
        forget_gate, input_gate, candidate, output_gate = np.split(
            recurrent.clipped(projected[:, step] + hidden @ R.T, clip), 4, axis=1
        )
        next_cell = f(forget_gate) * cell + f(input_gate) * g(candidate)
        next_hidden = f(output_gate) * h(next_cell)
        valid = (step < lengths)[:, np.newaxis]
        hidden, cell = np.where(valid, next_hidden, hidden), np.where(valid, next_cell, cell)
        outputs[:, step] = np.where(valid, next_hidden, 0)
    non_empty = (lengths > 0)[:, np.newaxis]
    return recurrent.reordered(outputs, order), np.where(non_empty, hidden, 0), np.where(non_empty, cell, 0)
