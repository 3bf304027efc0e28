"""Ops inferred and folded from attribute values, for tests of single ops."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from irops.analysis import fold
from irops.analysis.invocation import Invocation
from irops.diagnostics.diagnostic import DefinitionError
from irops.dialects.registry import default_registry
from irops.spec.attributes import bind
from irops.spec.op import Op
from irops.values.dim import Dim
from irops.values.element import F32, I64, element_type
from irops.values.fact import Fact, dims_array
from irops.values.shape import Shape


def loaded(ids: Iterable[str]) -> list[Op]:
    """The ops whose definitions can be read. The others are left to the tests of definitions: one wrong file
    does not stop the collection of all tests.
    """
    found = []
    for op in ids:
        with suppress(DefinitionError):
            found.append(default_registry().op(op))
    return found


def infer_layer(op: Op, facts: Sequence[Fact | None], values: Mapping[str, Any]) -> list[Fact]:
    """The Facts of the outputs; values: of attributes, those left out have their default."""
    return list(Invocation.of_values(op, values).infer(facts))


def attach_values(
    op: Op, facts: Sequence[Fact | None], values: Mapping[str, Any], outputs: list[Fact], limit: float
) -> list[Fact]:
    """The outputs with their values, as far as these follow from those of the inputs."""
    return fold.attach_values(Invocation.of_values(op, values), facts, outputs, limit)


def fact_of(given: Any) -> Fact | None:
    """What is known of a tensor: "i64[2,?]", or "2,?" or a Shape for one of f32; the elements of one of i64,
    integers or Dims; an array with its value.
    """
    if given is None or isinstance(given, Fact):
        return given
    if isinstance(given, Shape):
        return Fact(F32, given)
    if isinstance(given, str):
        kind, _, shape = given.rpartition("[")
        return Fact(element_type(kind or "f32"), Shape.parse(shape.rstrip("]")))
    elements = given if isinstance(given, np.ndarray | np.generic) else np.asarray(given, object)
    if elements.dtype != object:
        return Fact.of(np.asarray(elements))
    if any(isinstance(element, Dim) for element in elements.ravel()):
        return Fact(I64, Shape(elements.shape), dims_array(elements.tolist()).reshape(elements.shape))
    return Fact.of(np.array(given, np.int64))


def inferred(op_id: str, *inputs: Any, **attributes: Any) -> list[Fact]:
    """All that is known of the outputs of an op, their values too; inputs: see fact_of; attributes: values,
    or texts as files have them.
    """
    op = default_registry().op(op_id)
    texts = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in attributes.items()
    }
    facts, values = list(map(fact_of, inputs)), bind(op, texts).values
    return attach_values(op, facts, values, infer_layer(op, facts, values), 1 << 16)


def shapes_of(op_id: str, *inputs: Any, **attributes: Any) -> list[str]:
    return [str(fact.shape) for fact in inferred(op_id, *inputs, **attributes)]


def sizes(shape: str) -> list[Dim]:
    """What ShapeOf gives of a shape."""
    return list(Shape.parse(shape))


def sliding(axes: int, *, strides: int = 1, dilations: int = 1, pads: int = 0) -> dict[str, list[int]]:
    """Attributes of ops with windows, the same along every axis."""
    steps = {"strides": [strides] * axes, "dilations": [dilations] * axes}
    return {**steps, "pads_begin": [pads] * axes, "pads_end": [pads] * axes}
