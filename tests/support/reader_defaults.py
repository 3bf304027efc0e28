"""What OpenVINO reads where an attribute is left out, measured; as a script, writes the file of the tests.

python tests/support/reader_defaults.py"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from lxml import etree
from runtimes import Reading, read_all

from irops.backends.one_op import one_op_model
from irops.conformance.cases import expected_outputs, inputs_of
from irops.dialects.registry import default_registry
from irops.spec.definition import ExampleCase, Tensor
from irops.spec.load import examples
from irops.spec.op import Op
from irops.values.element import Array, zeros

LARGE, SMALL = 1 << 16, 1 << 6
"""Largest number of elements for which a tensor without a value is allocated; of a constant input."""


@dataclass(frozen=True, slots=True)
class Without:
    """A model whose layers of one op lack an attribute (none if attribute is ''), as text and weights."""

    op: Op
    attribute: str
    text: str
    weights: bytes


def models_without(cases: int) -> Iterator[Without]:
    """For each op that has attributes, and its first examples: the model as the example has it, then the
    model without each attribute in turn.
    """
    registry = default_registry()
    for op in map(registry.op, registry.ids()):
        if op.definition.dialect == "openvino" and op.definition.attributes:
            usable = (case for case in examples(op.definition) if _can_be_built(op, case))
            for case in islice(usable, cases):
                for attribute in ("", *op.definition.attributes):
                    yield Without(op, attribute, *_without(op, case, attribute))


def _can_be_built(op: Op, case: ExampleCase) -> bool:
    return case.net is not None or all(
        t is not None and t.shape.static and t.shape.size.high <= LARGE for t in inputs_of(op, case)
    )


def _without(op: Op, case: ExampleCase, attribute: str) -> tuple[str, bytes]:
    if case.net is not None:
        return _net_without(op, case.net, attribute), bytes(1 << 10)
    texts = {name: text for name, text in case.attributes.items() if name != attribute}
    arrays = [_value(t) for t in inputs_of(op, case) if t is not None]
    fixed = {i: a for i, a in enumerate(arrays) if a.dtype.kind in "iub" and a.size <= SMALL}
    return one_op_model(op, arrays, texts, len(expected_outputs(op, case)), fixed)


def _value(tensor: Tensor) -> Array:
    return zeros(tensor.shape.to_tuple(), tensor.element_type) if tensor.value is None else tensor.value


def _net_without(op: Op, net: bytes, attribute: str) -> str:
    tree = etree.fromstring(net)
    for layer in tree.iter("layer"):
        data = layer.find("data")
        if layer.get("type") != op.definition.type or data is None or not attribute:
            continue
        if data.get(attribute) is not None:
            del data.attrib[attribute]
    return etree.tostring(tree).decode()


FILE = Path(__file__).parents[1] / "conformance" / "reader_defaults.json"
CASES = 3
"""How many examples of each op are measured."""


@dataclass
class Left:
    """What OpenVINO makes of an attribute that is left out.

    read: the different texts that it then has, None where it is not written; refused: whether a model
    without the attribute is refused, that with it is read.
    """

    read: tuple[str | None, ...] = ()
    refused: bool = False


def measure(cases: int = CASES) -> dict[str, dict[str, Left]]:
    """By op and attribute."""
    found: dict[str, dict[str, Left]] = {}
    readable = False
    for model, reading in _readings(cases):
        if not model.attribute:
            readable = not isinstance(reading, str)
        elif readable:
            left = found.setdefault(model.op.id, {}).setdefault(model.attribute, Left())
            if isinstance(reading, str):
                left.refused = True
            elif reading.get(model.attribute) not in left.read:
                left.read += (reading.get(model.attribute),)
    return found


def _readings(cases: int) -> Iterator[tuple[Without, Reading]]:
    models = list(models_without(cases))
    yield from zip(models, read_all((m.op.definition.type, m.text, m.weights) for m in models))


def stored() -> dict[str, dict[str, Left]]:
    """The measurements of the file."""
    return {
        op: {name: Left(tuple(left["read"]), left["refused"]) for name, left in attributes.items()}
        for op, attributes in json.loads(FILE.read_text())["ops"].items()
    }


def _text(measured: dict[str, dict[str, Left]]) -> str:
    import openvino

    ops: dict[str, Any] = {
        op: {name: {"read": left.read, "refused": left.refused} for name, left in attributes.items()}
        for op, attributes in sorted(measured.items())
    }
    lines = [f"  {json.dumps(op)}: {json.dumps(attributes)}" for op, attributes in ops.items()]
    version = json.dumps(openvino.get_version())
    return f'{{"openvino": {version}, "ops": {{\n' + ",\n".join(lines) + "\n}}\n"


if __name__ == "__main__":
    FILE.write_text(_text(measure()))
