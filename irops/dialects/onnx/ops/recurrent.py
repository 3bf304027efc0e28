"""RNN, GRU and LSTM of ONNX: the cells of OpenVINO with more activations, layouts and missing inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import Dim, unify
from irops.values.element import Array, as_i64
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.violation import require

Function = Callable[[Array], Array]
Numbers = tuple[float, ...]
Step = Callable[..., tuple[Array, ...]]


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


ACTIVATIONS: dict[str, tuple[Callable[..., Any], float, float]] = {
    "relu": (lambda x, *_: np.maximum(x, 0), 0, 0),
    "tanh": (lambda x, *_: np.tanh(x), 0, 0),
    "sigmoid": (lambda x, *_: _sigmoid(x), 0, 0),
    "softsign": (lambda x, *_: x / (1 + np.abs(x)), 0, 0),
    "softplus": (lambda x, *_: np.logaddexp(x, 0), 0, 0),
    "affine": (lambda x, a, b: a * x + b, 1, 0),
    "leakyrelu": (lambda x, a, *_: np.where(x >= 0, x, a * x), 0.01, 0),
    "thresholdedrelu": (lambda x, a, *_: np.where(x >= a, x, 0), 1, 0),
    "scaledtanh": (lambda x, a, b: a * np.tanh(b * x), 1, 1),
    "hardsigmoid": (lambda x, a, b: np.clip(a * x + b, 0, 1), 0.2, 0.5),
    "elu": (lambda x, a, *_: np.where(x >= 0, x, a * np.expm1(x)), 1, 0),
}
"""Each activation function with its default alpha and beta."""
WITH_ALPHA = ("affine", "leakyrelu", "thresholdedrelu", "scaledtanh", "hardsigmoid", "elu")
WITH_BETA = ("affine", "scaledtanh", "hardsigmoid")
DEFAULTS = {1: ("Tanh",), 3: ("Sigmoid", "Tanh"), 4: ("Sigmoid", "Tanh", "Tanh")}
"""The activation functions of a cell with that number of gates."""


def functions_of(
    gates: int,
    directions: int,
    activations: Sequence[str] | None,
    alpha: Numbers | None,
    beta: Numbers | None,
) -> list[list[Function]]:
    """The activation functions of each direction, with their parameters. Raises: Violation(C5)"""
    each = DEFAULTS[gates]
    names = [name.lower() for name in activations or each * directions]
    known = all(name in ACTIVATIONS for name in names)
    require(len(names) >= len(each) * directions and known, "C5", ", ".join(names))
    names = names[: len(each) * directions]
    alphas, betas = iter(alpha or ()), iter(beta or ())
    functions: list[Function] = []
    for name in names:
        formula, first, second = ACTIVATIONS[name]
        a = next(alphas, first) if name in WITH_ALPHA else first
        b = next(betas, second) if name in WITH_BETA else second
        functions.append(partial(_applied, formula, a, b))
    return [functions[k : k + len(each)] for k in range(0, len(functions), len(each))]


def _applied(formula: Callable[..., Any], a: float, b: float, x: Array) -> Array:
    return np.asarray(formula(x, a, b), x.dtype)


# Shapes.


def _shapes(
    gates: int,
    states: int,
    X: Fact,
    W: Fact,
    R: Fact,
    others: dict[str, Fact | None],
    attributes: dict[str, Any],
) -> tuple[Shape, ...]:
    """The shape of Y and of the last states. others: B, sequence_lens, initial states and P, if given."""
    directions = 2 if attributes["direction"] == "bidirectional" else 1
    functions_of(gates, directions, attributes["activations"], None, None)
    by_batch = attributes.get("layout", 0) == 1
    batch, steps = (X.shape[0], X.shape[1]) if by_batch else (X.shape[1], X.shape[0])
    count = reduce(_same("C2"), (W.shape[0], R.shape[0]), Dim.of(directions))
    size = unify(_part(W.shape[1], gates), _part(R.shape[1], gates), "C3")
    size = unify(size, R.shape[2], "C3")
    if attributes["hidden_size"] is not None:
        size = unify(size, attributes["hidden_size"], "C3")
    unify(X.shape[2], W.shape[2], "C4")
    for name, width in (("B", 2 * gates), ("P", 3)):
        fact = others.get(name)
        if fact is not None:
            count, size = unify(count, fact.shape[0], "C2"), unify(size, _part(fact.shape[1], width), "C3")
    lengths = others["sequence_lens"]
    if lengths is not None:
        batch = unify(batch, lengths.shape[0], "C1")
    for name in ("initial_h", "initial_c"):
        state = others.get(name)
        if state is not None:
            a, b, c = state.shape.of_rank(3, "C1")
            count, batch = (
                (unify(count, b, "C2"), unify(batch, a, "C1"))
                if by_batch
                else (
                    unify(count, a, "C2"),
                    unify(batch, b, "C1"),
                )
            )
            size = unify(size, c, "C3")
    if by_batch:
        return Shape.of(batch, steps, count, size), *(Shape.of(batch, count, size) for _ in range(states))
    return Shape.of(steps, count, batch, size), *(Shape.of(count, batch, size) for _ in range(states))


def _same(constraint: str) -> Callable[[Dim, Dim], Dim]:
    return lambda a, b: unify(a, b, constraint)


def _part(size: Dim, count: int) -> Dim:
    """The size of one of a number of equal parts. Raises: Violation(C3)"""
    require((size % count).can_be(0), "C3", f"{size} for {count} gates")
    return size // count


# The steps of all directions.


def _run(
    X: Array,
    states: list[Array | None],
    sequence_lens: Array | None,
    hidden_size: int,
    direction: str,
    layout: int,
    steps_of: Callable[[int], Step],
) -> tuple[Array, ...]:
    """Y and the last states. steps_of(k): the step of direction k, from an input and the states before it."""
    if layout:
        X = np.swapaxes(X, 0, 1)  # noqa: N806
        states = [None if state is None else np.swapaxes(state, 0, 1) for state in states]
    time, batch = X.shape[:2]
    lengths = np.full(batch, time) if sequence_lens is None else as_i64(sequence_lens)
    require(((lengths >= 0) & (lengths <= time)).all(), "C6", lengths.tolist())
    results = []
    for k, backward in enumerate(_directions(direction)):
        first = [np.zeros((batch, hidden_size), X.dtype) if state is None else state[k] for state in states]
        results.append(_run_direction(X, first, lengths, steps_of(k), backward))
    outputs = np.stack([output for output, _ in results], 1)
    last = [np.stack([ends[k] for _, ends in results]) for k in range(len(states))]
    if layout:
        outputs = outputs.transpose(2, 0, 1, 3)
        last = [np.swapaxes(state, 0, 1) for state in last]
    return outputs, *last


def _directions(direction: str) -> Iterator[bool]:
    """For each direction, whether it goes backward."""
    yield from {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}[direction]


def _run_direction(
    X: Array, states: list[Array], lengths: Array, step: Step, backward: bool
) -> tuple[Array, list[Array]]:
    """The outputs of all steps, 0 after the end of a sequence, and the states after its last step."""
    time = np.arange(len(X))[:, np.newaxis]
    order = np.where(backward & (time < lengths), lengths - 1 - time, time)
    items, outputs = np.arange(X.shape[1]), np.zeros((*X.shape[:2], states[0].shape[1]), X.dtype)
    for now in range(len(X)):
        following = step(X[order[now], items], *states)
        valid = (now < lengths)[:, np.newaxis]
        states = [np.where(valid, new, old) for new, old in zip(following, states)]
        outputs[order[now], items] = np.where(valid, states[0], 0)
    return outputs, states


def _limited(sums: Array, clip: float | None) -> Array:
    return sums if not clip else np.clip(sums, -clip, clip)


def _biases(B: Array | None, k: int, gates: int, size: int, kind: Any) -> tuple[Array, Array]:
    """The biases of W and of R of a direction."""
    both = np.zeros(2 * gates * size, kind) if B is None else B[k]
    return both[: gates * size], both[gates * size :]


# RNN.


@shape("onnx:RNN-1")
def rnn_shape(
    X: Fact,
    W: Fact,
    R: Fact,
    B: Fact | None,
    sequence_lens: Fact | None,
    initial_h: Fact | None,
    **attributes: Any,
) -> tuple[Shape, ...]:
    others = {"B": B, "sequence_lens": sequence_lens, "initial_h": initial_h}
    return _shapes(1, 1, X, W, R, others, attributes)


@kernel("onnx:RNN-1", widen=True)
def rnn(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    sequence_lens: Array | None,
    initial_h: Array | None,
    *,
    activations: Sequence[str] | None,
    activation_alpha: Numbers | None,
    activation_beta: Numbers | None,
    clip: float | None,
    direction: str,
    layout: int = 0,
) -> tuple[Array, ...]:
    size = R.shape[2]
    functions = functions_of(1, len(W), activations, activation_alpha, activation_beta)

    def steps_of(k: int) -> Step:
        bias = sum(_biases(B, k, 1, size, X.dtype))
        (f,) = functions[k]
        return lambda x, h: (f(_limited(x @ W[k].T + h @ R[k].T + bias, clip)),)

    return _run(X, [initial_h], sequence_lens, size, direction, layout, steps_of)


# GRU.


@shape("onnx:GRU-1")
def gru_shape(
    X: Fact,
    W: Fact,
    R: Fact,
    B: Fact | None,
    sequence_lens: Fact | None,
    initial_h: Fact | None,
    **attributes: Any,
) -> tuple[Shape, ...]:
    others = {"B": B, "sequence_lens": sequence_lens, "initial_h": initial_h}
    return _shapes(3, 1, X, W, R, others, attributes)


@kernel("onnx:GRU-1", widen=True)
def gru(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    sequence_lens: Array | None,
    initial_h: Array | None,
    *,
    activations: Sequence[str] | None,
    activation_alpha: Numbers | None,
    activation_beta: Numbers | None,
    clip: float | None,
    direction: str,
    layout: int = 0,
    linear_before_reset: bool = False,
) -> tuple[Array, ...]:
    size = R.shape[2]
    functions = functions_of(3, len(W), activations, activation_alpha, activation_beta)

    def steps_of(k: int) -> Step:
        of_input, of_state = _biases(B, k, 3, size, X.dtype)
        f, g = functions[k]

        def step(x: Array, h: Array) -> tuple[Array, ...]:
            sums = x @ W[k].T + of_input
            gates = sums[:, : 2 * size] + h @ R[k, : 2 * size].T + of_state[: 2 * size]
            update, reset = np.split(f(_limited(gates, clip)), 2, 1)
            inner = R[k, 2 * size :].T
            if linear_before_reset:
                state = reset * (h @ inner + of_state[2 * size :])
            else:
                state = (reset * h) @ inner + of_state[2 * size :]
            candidate = g(_limited(sums[:, 2 * size :] + state, clip))
            return (np.asarray((1 - update) * candidate + update * h),)

        return step

    return _run(X, [initial_h], sequence_lens, size, direction, layout, steps_of)


# LSTM.


@shape("onnx:LSTM-1")
def lstm_shape(
    X: Fact,
    W: Fact,
    R: Fact,
    B: Fact | None,
    sequence_lens: Fact | None,
    initial_h: Fact | None,
    initial_c: Fact | None,
    P: Fact | None,
    **attributes: Any,
) -> tuple[Shape, ...]:
    states = {"initial_h": initial_h, "initial_c": initial_c}
    others = {"B": B, "P": P, "sequence_lens": sequence_lens, **states}
    return _shapes(4, 2, X, W, R, others, attributes)


@kernel("onnx:LSTM-1", widen=True)
def lstm(
    X: Array,
    W: Array,
    R: Array,
    B: Array | None,
    sequence_lens: Array | None,
    initial_h: Array | None,
    initial_c: Array | None,
    P: Array | None,
    *,
    activations: Sequence[str] | None,
    activation_alpha: Numbers | None,
    activation_beta: Numbers | None,
    clip: float | None,
    direction: str,
    layout: int = 0,
    input_forget: bool = False,
) -> tuple[Array, ...]:
    def sums(k: int, x: Array, hidden: Array) -> Array:
        return np.asarray(x @ W[k].T + hidden @ R[k].T)

    return lstm_by(
        sums,
        X,
        R.shape[2],
        (B, sequence_lens, initial_h, initial_c, P),
        functions_of(4, len(W), activations, activation_alpha, activation_beta),
        clip=clip,
        direction=direction,
        layout=layout,
        input_forget=input_forget,
    )


def lstm_by(
    sums: Callable[[int, Array, Array], Array],
    X: Array,
    size: int,
    others: tuple[Array | None, ...],
    functions: list[list[Function]],
    *,
    clip: float | None,
    direction: str,
    layout: int,
    input_forget: bool,
) -> tuple[Array, ...]:
    """An LSTM whose products with weights sums(k, x, hidden) gives, for direction k. others: B,
    sequence_lens, initial_h, initial_c, P
    """
    B, sequence_lens, initial_h, initial_c, P = others  # noqa: N806

    def steps_of(k: int) -> Step:
        bias = sum(_biases(B, k, 4, size, X.dtype))
        peephole = np.zeros(3 * size, X.dtype) if P is None else P[k]
        of_input, of_output, of_forget = np.split(peephole, 3)
        f, g, h = functions[k]

        def step(x: Array, hidden: Array, cell: Array) -> tuple[Array, ...]:
            i, o, forget, c = np.split(sums(k, x, hidden) + bias, 4, 1)
            written = f(_limited(i + of_input * cell, clip))
            kept = 1 - written if input_forget else f(_limited(forget + of_forget * cell, clip))
            following = kept * cell + written * g(_limited(c, clip))
            output = f(_limited(o + of_output * following, clip))
            return np.asarray(output * h(following)), np.asarray(following)

        return step

    return _run(X, [initial_h, initial_c], sequence_lens, size, direction, layout, steps_of)
