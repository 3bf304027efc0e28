"""Small questions to OpenVINO, in a line each: a layer, its inputs, and what OpenVINO does with it.

A probe is `attributes | input ; input -> outcome`. An attribute is name=value. An input is a type, a shape
and the elements, 1 if not given: `i32[2] 1 2` is a constant, `?i32[2] 1 2` a Parameter, `?i32[?,1..5]=[2,3]`
one that declares another shape than the tensor has. Outcomes:

refuses           it does not read the model
reads             it reads the model
infers f32[?,2]   it infers this type and shape; of several outputs, with ; between them, _ for any
unfolded          it leaves the model, or fails, where it should fold it with all inputs constant
folds i32[2] 1 2  with all inputs constant, it folds the output to these elements
gives i32[2] 1 2  its CPU plug-in computes these elements
both i32[2] 1 2   it folds the output to them, and the plug-in computes them
unlike i32[2] 1 2 the plug-in computes other elements
fails             it reads the model, and compiling or running it with the plug-in fails
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from runtimes import DeclinedError, Runtimes, same_bits

from irops.backends.one_op import one_op_model
from irops.dialects.registry import default_registry
from irops.spec.load import value_of
from irops.values.element import Array, element_type

TENSOR = re.compile(r"(\??)(\w+)\[([^\]]*)\](?:=\[([^\]]*)\])?(.*)")


@dataclass(frozen=True)
class Given:
    """An input. declared: the shape of the Parameter, None for a constant."""

    array: Array
    declared: str | None

    @property
    def is_open(self) -> bool:
        """Whether another shape is declared than the tensor has."""
        return self.declared != ",".join(map(str, self.array.shape))


@dataclass(frozen=True)
class Probe:
    """A question about an op; outputs: how many the layer has; expected: texts, one for each output."""

    op: str
    attributes: dict[str, str]
    inputs: tuple[Given, ...]
    outcome: str
    expected: tuple[str, ...]

    @classmethod
    def parse(cls, op: str, text: str) -> Probe:
        question, outcome = text.split(" -> ")
        attributes, inputs = question.split("|")
        word, _, expected = outcome.partition(" ")
        return cls(
            op,
            dict(pair.split("=", 1) for pair in attributes.split()),
            tuple(_given(part.strip()) for part in inputs.split(";") if part.strip()),
            word,
            tuple(part.strip() for part in expected.split(";") if part.strip()),
        )

    def wrong(self, runtimes: Runtimes, folder: Path) -> str:
        """What OpenVINO does otherwise, or ''."""
        return "; ".join(filter(None, (_PARTS[part](self, runtimes, folder) for part in WORDS[self.outcome])))

    def ask(
        self, runtimes: Runtimes, runtime: str, folder: Path, constant: bool = False
    ) -> list[Array] | str:
        """The results, or why the runtime gives none. constant: make all inputs constants."""
        text, weights = self.model(constant)
        path = folder / "m.xml"
        path.write_text(text)
        path.with_suffix(".bin").write_bytes(weights)
        try:
            return runtimes.run(runtime, path, [] if constant else self.given)
        except DeclinedError as reason:
            return str(reason)

    def model(self, constant: bool = False) -> tuple[str, bytes]:
        """The text of the model and its weights."""
        inputs = dict(enumerate(self.inputs))
        fixed = {k: one.array for k, one in inputs.items() if constant or one.declared is None}
        declared = {k: one.declared or "" for k, one in inputs.items() if k not in fixed and one.is_open}
        op = default_registry().op(self.op)
        count = max(len(self.expected), len(op.definition.outputs))
        return one_op_model(op, [one.array for one in self.inputs], self.attributes, count, fixed, declared)

    @property
    def given(self) -> list[Array]:
        """What the model's inputs are given."""
        return [one.array for one in self.inputs if one.declared is not None]


def _given(text: str) -> Given:
    match = TENSOR.fullmatch(text)
    assert match, text
    parameter, kind, shape, actual, elements = match.groups()
    return Given(_tensor(kind, shape if actual is None else actual, elements), shape if parameter else None)


def _tensor(kind: str, shape: str, elements: str) -> Array:
    sizes = tuple(int(n) if n.isdigit() else 1 for n in shape.split(",") if n and n != "...")
    text = elements.strip() or " ".join(["1"] * int(np.prod(sizes)))
    return value_of(text, element_type(kind), sizes)


def _refuses(probe: Probe, runtimes: Runtimes, folder: Path) -> str:
    found = probe.ask(runtimes, "shapes", folder)
    return "" if isinstance(found, str) and found != "crashed" else f"reads, or crashes: {found}"


def _reads(probe: Probe, runtimes: Runtimes, folder: Path) -> str:
    found = probe.ask(runtimes, "shapes", folder)
    if isinstance(found, str):
        return f"refuses: {found}"
    shapes = [str(text) for text in found[0]]
    expected = probe.expected if probe.outcome == "infers" else ()
    same = all(one in (text, "_") for text, one in zip(shapes, expected))
    return "" if same else f"infers {' ; '.join(shapes)}"


def _folds(probe: Probe, runtimes: Runtimes, folder: Path) -> str:
    return _compared("folds to", probe.ask(runtimes, "folding", folder, constant=True), probe.expected)


def _gives(probe: Probe, runtimes: Runtimes, folder: Path) -> str:
    return _compared("gives", probe.ask(runtimes, "openvino", folder), probe.expected)


def _unlike(probe: Probe, runtimes: Runtimes, folder: Path) -> str:
    found = probe.ask(runtimes, "openvino", folder)
    return (
        "" if found != "crashed" and _compared("gives", found, probe.expected) else f"gives {_shown(found)}"
    )


def _unfolded(probe: Probe, runtimes: Runtimes, folder: Path) -> str:
    found = probe.ask(runtimes, "folding", folder, constant=True)
    return "" if isinstance(found, str) and found != "crashed" else f"folds to: {_shown(found)}"


def _fails(probe: Probe, runtimes: Runtimes, folder: Path) -> str:
    found = probe.ask(runtimes, "openvino", folder)
    refused = isinstance(found, str) and found != "crashed" and "Can't set the input tensor" not in found
    return "" if refused else f"gives: {_shown(found)}"


def _compared(verb: str, found: Sequence[Array] | str, expected: Sequence[str]) -> str:
    same = not isinstance(found, str) and all(
        text == "_" or same_bits(array, _given(text).array) for array, text in zip(found, expected)
    )
    return "" if same else f"{verb} {_shown(found)}"


def _shown(found: Sequence[Array] | str) -> str:
    return found if isinstance(found, str) else " ; ".join(f"{a.shape} {a.ravel().tolist()}" for a in found)


_PARTS = {
    "refuses": _refuses,
    "reads": _reads,
    "folds": _folds,
    "gives": _gives,
    "unlike": _unlike,
    "unfolded": _unfolded,
    "fails": _fails,
}
WORDS = {
    **{word: (word,) for word in ("refuses", "reads", "folds", "gives", "unlike", "unfolded")},
    "infers": ("reads",),
    "both": ("folds", "gives"),
    "fails": ("reads", "fails"),
}
"""What an outcome consists of."""
