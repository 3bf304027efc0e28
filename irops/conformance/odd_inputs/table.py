"""The comparisons of ops: their columns and unusual inputs."""

from __future__ import annotations

from dataclasses import dataclass

from irops.conformance.odd_inputs.odd_input import OddInput, Request, serialized
from irops.conformance.odd_inputs.reverse import REVERSE
from irops.conformance.odd_inputs.reverse_sequence import REVERSE_SEQUENCE
from irops.spec.op import Op


@dataclass(frozen=True, slots=True)
class Column:
    """A column: irops with an op of some dialect, or a runtime (its name), compared with irops and that op.

    similar_function: the column is not a runtime of the dialect but a function similar to the op.
    """

    op: str
    runtime: str = ""
    similar_function: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """ops: the compared ops; the unusual inputs use the attribute names of the first."""

    name: str
    title: str
    ops: tuple[str, ...]
    columns: tuple[Column, ...]
    odd: tuple[OddInput, ...]
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
        "The two axes have opposite defaults in OpenVINO and in ONNX. Inputs outside of the specifications"
        " are accepted, refused or computed wrongly, depending on the runtime. Graiphic's node is the ONNX"
        " op with additional training parameters; the toolkit runs it with ONNX Runtime.",
    ),
    Comparison(
        "Reverse",
        "Reverse and similar functions",
        ("Reverse-1",),
        (
            Column("Reverse-1"),
            Column("Reverse-1", "openvino"),
            Column("Reverse-1", "openvino-evaluate"),
            Column("Reverse-1", "numpy-flip", similar_function=True),
            Column("Reverse-1", "torch-flip", similar_function=True),
        ),
        REVERSE,
        "Only OpenVINO has this op. In ONNX it is a Slice with steps of -1, and Graiphic's toolkit has no"
        " node for it. The comparison includes similar functions of Python libraries.",
    ),
)


def request_for(odd: OddInput, op: Op) -> Request:
    """An unusual input with the attribute names of an op."""
    renamed = {a.stands_for or name: name for name, a in op.definition.attributes.items()}
    names = tuple(port.name for port in op.definition.inputs)
    attributes = {renamed[name]: text for name, text in odd.attributes.items()}
    return Request(op.id, names, tuple(map(serialized, odd.inputs)), attributes, odd.constants, odd.unranked)


def comparisons_of(op: str) -> tuple[tuple[str, str], ...]:
    """Name and title of the comparisons that include an op."""
    return tuple((item.name, item.title) for item in COMPARISONS if op in item.ops)
