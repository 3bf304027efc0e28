"""A bidirectional encoder of bit strings, built as Graiphic's toolkit builds graphs; its backward half stands
on ReverseSequence.
"""

from __future__ import annotations

import numpy as np

from irops.editing.graiphic import Graph, Wire
from irops.ir.model import Model

EMBEDDED, HIDDEN = 4, 16
PADDING = 2  # the third letter, beside 0 and 1
WEIGHTS = {
    "embeddings": (3, EMBEDDED),
    **{
        f"{half}_{name}": shape
        for half in ("forward", "backward")
        for name, shape in (("W", (EMBEDDED, HIDDEN)), ("U", (HIDDEN, HIDDEN)), ("b", (HIDDEN,)))
    },
    "out_W": (2 * HIDDEN, 2),
    "out_b": (2,),
}


def first_weights(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(0, 1 / np.sqrt(shape[0]) if len(shape) > 1 else 0, shape).astype(np.float32)
        for name, shape in WEIGHTS.items()
    }


def encoder(weights: dict[str, np.ndarray], steps: int, lda_coeff: float) -> Model:
    """Bits [batch, steps] and lengths [batch] in; for every position two logits out: of the parity of the
    bits up to it, and from it on.

    lda_coeff is that of the node behind the backward half: 1 lets the gradient through, 0 stops it.
    """
    graph = Graph("encoder")
    bits, lengths = graph.input("bits", "i64", ("batch", steps)), graph.input("lengths", "i64", ("batch",))
    wires = {name: graph.constant(value, name) for name, value in weights.items()}
    embedded = graph.node("Gather", wires["embeddings"], bits, name="embedded")

    def half(letters: Wire, name: str) -> Wire:
        """A recurrent layer, unrolled: h[t] = tanh(x[t] W + h[t-1] U + b)."""
        driven = graph.node("Add", graph.node("MatMul", letters, wires[f"{name}_W"]), wires[f"{name}_b"])
        states: list[Wire] = []
        for t in range(steps):
            now = graph.node("Gather", driven, graph.constant(np.array(t)), axis=1)
            if states:
                now = graph.node("Add", now, graph.node("MatMul", states[-1], wires[f"{name}_U"]))
            states.append(graph.node("Tanh", now))
        axis = graph.constant(np.array([1]))
        return graph.node("Concat", *(graph.node("Unsqueeze", state, axis) for state in states), axis=1)

    turned = graph.reverse_sequence(embedded, lengths, batch_axis=0, time_axis=1, name="turn_around")
    back = graph.reverse_sequence(
        half(turned, "backward"), lengths, batch_axis=0, time_axis=1, lda_coeff=lda_coeff, name="turn_back"
    )
    both = graph.node("Concat", half(embedded, "forward"), back, axis=2)
    graph.predict(graph.node("Add", graph.node("MatMul", both, wires["out_W"]), wires["out_b"]), "logits")
    return graph.model()
