"""The derivatives of recurrent cells and sequences, through their formulas, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irops.differentiation.deriving import Derivation, composition
from irops.ops.sequence.recurrent import directions_of

FUNCTIONS = {"sigmoid": "Sigmoid-1", "tanh": "Tanh-1", "relu": "ReLU-1"}
DEFAULTS = {"LSTM": ("sigmoid", "tanh", "tanh"), "GRU": ("sigmoid", "tanh"), "RNN": ("tanh",)}
Step = Callable[[Any, Sequence[Any]], list[Any]]
"""The next states, of the product of the input with its weights and of the states."""


class Cell:
    """The formulas of a kind of cell, for weights R and B."""

    def __init__(self, d: Derivation, kind: str, R: Any, B: Any) -> None:
        self.d, self.kind, self.R, self.B = d, kind, R, B
        names = d.attributes["activations"] or DEFAULTS[kind]
        self.names = [FUNCTIONS[name.lower()] for name in names]

    def __call__(self, projected: Any, states: Sequence[Any]) -> list[Any]:
        return {"LSTM": self.lstm, "GRU": self.gru, "RNN": self.rnn}[self.kind](projected, states)

    def activate(self, number: int, term: Any) -> Any:
        clip = self.d.attributes["clip"]
        if clip > 0:
            term = self.d.add("Clamp-1", term, min=-clip, max=clip)
        return self.d.add(self.names[number], term)

    def times(self, states: Any, weights: Any) -> Any:
        return self.d.add("MatMul-1", states, weights, transpose_b=True)

    def split(self, term: Any, count: int, axis: int) -> Sequence[Any]:
        op = self.d.builder.op("Split-1")
        return self.d.builder.apply(op, [term, self.d.at(axis)], {"num_splits": count}, "Split")

    def lstm(self, projected: Any, states: Sequence[Any]) -> list[Any]:
        hidden, cell = states
        total = projected + self.times(hidden, self.R)
        total = total if self.B is None else total + self.B
        forget, put, candidate, give = self.split(total, 4, 1)
        cell = self.activate(0, forget) * cell + self.activate(0, put) * self.activate(1, candidate)
        return [self.activate(0, give) * self.d.add(self.names[2], cell), cell]

    def rnn(self, projected: Any, states: Sequence[Any]) -> list[Any]:
        total = projected + self.times(states[0], self.R)
        return [self.activate(0, total if self.B is None else total + self.B)]

    def gru(self, projected: Any, states: Sequence[Any]) -> list[Any]:
        (hidden,) = states
        before = self.d.attributes["linear_before_reset"]
        update_x, reset_x, candidate_x = self.split(projected, 3, 1)
        update_r, reset_r, candidate_r = self.split(self.R, 3, 0)
        biases: Sequence[Any] = [0.0] * (4 if before else 3)
        if self.B is not None:
            biases = self.split(self.B, 4 if before else 3, 0)
        update = self.activate(0, update_x + self.times(hidden, update_r) + biases[0])
        reset = self.activate(0, reset_x + self.times(hidden, reset_r) + biases[1])
        if before:
            inner = reset * (self.times(hidden, candidate_r) + biases[3]) + biases[2]
        else:
            inner = self.times(reset * hidden, candidate_r) + biases[2]
        candidate = self.activate(1, candidate_x + inner)
        return [(1 - update) * candidate + update * hidden]


def kind_of(d: Derivation) -> str:
    return d.op.definition.type.removesuffix("Cell").removesuffix("Sequence")


def states_of(d: Derivation) -> list[Any]:
    names = ("initial_hidden_state", "initial_cell_state")
    return [d.input(name) for name in names[: 2 if kind_of(d) == "LSTM" else 1]]


@composition("LSTMCell-1", "LSTMCell-4", "GRUCell-3", "RNNCell-1")
def cell(d: Derivation) -> Sequence[Any]:
    step = Cell(d, kind_of(d), d.input("R"), d.optional("B"))
    return step(step.times(d.input("X"), d.input("W")), states_of(d))


@composition("LSTMSequence-5", "GRUSequence-5", "RNNSequence-5")
def sequence(d: Derivation) -> Sequence[Any]:
    """The steps after the end of a sequence keep its states, and give 0."""
    directions = [
        _direction(d, number, is_backward)
        for number, is_backward in enumerate(directions_of(d.attributes["direction"]))
    ]
    one = d.at(1)
    return [
        d.add("Concat-1", *(d.add("Unsqueeze-1", part, one) for part in parts), axis=1)
        for parts in zip(*directions)
    ]


def _direction(d: Derivation, number: int, is_backward: bool) -> list[Any]:
    """The outputs of all steps and the last states, for one direction."""

    def own(term: Any, axis: int) -> Any:
        return d.add("Gather-8", term, d.at(number), d.at(axis))

    data, lengths = d.input("X"), d.input("sequence_lengths")
    count = d.builder.fact(data).shape[1]
    d.static_sizes("X", "its gradient has an op for each step")
    known = d.known_value(lengths)
    is_full = known is not None and (np.asarray(known) == int(count)).all()
    turned = d.add("Maximum-1", lengths, 1)
    if is_backward:
        data = d.add("ReverseSequence-1", data, turned, batch_axis=0, seq_axis=1)
    step = Cell(d, kind_of(d), own(d.input("R"), 0), own(d.input("B"), 0))
    projected = step.times(data, own(d.input("W"), 0))
    states = [own(term, 1) for term in states_of(d)]
    column = d.add("Unsqueeze-1", lengths, d.at(1))
    outputs = []
    for time in range(int(count)):
        following = step(d.add("Gather-8", projected, d.at(time), d.at(1)), states)
        if is_full:
            states, given = following, following[0]
        else:
            is_valid = d.add("Less-1", time, column)
            states = [d.where(is_valid, new, old) for new, old in zip(following, states)]
            given = d.where(is_valid, following[0], 0.0)
        outputs.append(d.add("Unsqueeze-1", given, d.at(1)))
    every = outputs[0] if len(outputs) == 1 else d.add("Concat-1", *outputs, axis=1)
    if is_backward:
        every = d.add("ReverseSequence-1", every, turned, batch_axis=0, seq_axis=1)
    if not is_full:
        is_used = d.add("Greater-1", column, 0)
        states = [d.where(is_used, term, 0.0) for term in states]
    return [every, *states]
