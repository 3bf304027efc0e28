"""Which ops are laid side by side: the columns, and the odd inputs that are tried in each."""

from __future__ import annotations

from dataclasses import dataclass

from irops.conformance.odd_inputs.odd import Odd, Question, sent
from irops.conformance.odd_inputs.reverse import REVERSE
from irops.conformance.odd_inputs.reverse_sequence import REVERSE_SEQUENCE
from irops.spec.op import Op


@dataclass(frozen=True, slots=True)
class Column:
    """What is asked: irops for an op of some dialect, or a runtime (runtime: its name), which is held to what
    irops does with that op.

    neighbour: that what is asked is no runtime of the dialect, but does much the same.
    """

    op: str
    runtime: str = ""
    neighbour: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """ops: what is laid side by side, the first of them the one in whose names the odd inputs are written."""

    name: str
    title: str
    ops: tuple[str, ...]
    columns: tuple[Column, ...]
    odd: tuple[Odd, ...]
    text: str


OPENVINO, ONNX, GRAIPHIC = "ReverseSequence-1", "onnx:ReverseSequence-10", "graiphic:ReverseSequence"
COMPARISONS = (
    Comparison(
        "ReverseSequence",
        "ReverseSequence in three dialects",
        (OPENVINO, ONNX, GRAIPHIC),
        (
            Column(OPENVINO),
            Column(OPENVINO, "openvino"),
            Column(ONNX),
            Column(ONNX, "onnx-checker"),
            Column(ONNX, "onnx-reference"),
            Column(ONNX, "onnxruntime"),
            Column(ONNX, "openvino-onnx"),
            Column(GRAIPHIC),
        ),
        REVERSE_SEQUENCE,
        "The same op, three times: its two axes have opposite defaults in OpenVINO and in ONNX, and what lies"
        " outside of the specifications is taken, refused or mixed up, as the case may be. Graiphic's node is"
        " ONNX's with parameters of training beside it; the toolkit runs it by ONNX Runtime.",
    ),
    Comparison(
        "Reverse",
        "Reverse and its neighbours",
        ("Reverse-1",),
        (
            Column("Reverse-1"),
            Column("Reverse-1", "openvino"),
            Column("Reverse-1", "openvino-evaluate"),
            Column("Reverse-1", "numpy-flip", neighbour=True),
            Column("Reverse-1", "torch-flip", neighbour=True),
        ),
        REVERSE,
        "OpenVINO alone has the op. ONNX writes it as a Slice with steps of -1, and Graiphic's toolkit has no"
        " node for it; what is laid beside it are the functions that people take it for.",
    ),
)


def question(odd: Odd, op: Op) -> Question:
    """An odd input in the names of an op."""
    renamed = {a.stands_for or name: name for name, a in op.definition.attributes.items()}
    names = tuple(port.name for port in op.definition.inputs)
    attributes = {renamed[name]: text for name, text in odd.attributes.items()}
    return Question(op.id, names, tuple(map(sent, odd.inputs)), attributes, odd.constants, odd.unranked)


def comparisons_of(op: str) -> tuple[tuple[str, str], ...]:
    """Name and title of the comparisons in which an op stands."""
    return tuple((item.name, item.title) for item in COMPARISONS if op in item.ops)
