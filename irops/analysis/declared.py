"""The declared outputs of layers whose op irops does not define."""

from __future__ import annotations

from collections.abc import Sequence

from irops.ir.model import Layer, Port
from irops.values.dim import ANY
from irops.values.element import DYNAMIC, ElementType, element_type_of_precision
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape


def declared_outputs(layer: Layer, inputs: Sequence[Fact | None]) -> list[Fact]:
    """The outputs as declared by the ports; only their types, if the inputs contradict the declarations.

    A port without dimensions is a scalar or has an unknown rank: files do not distinguish the two.
    """
    as_written = all(fact is None or _may_be(fact.shape, port) for fact, port in zip(inputs, layer.inputs))
    return [Fact(_type(port), _shape(port) if as_written else UNRANKED) for port in layer.outputs]


def _may_be(shape: Shape, port: Port) -> bool:
    return not port.dims or shape.can_be(_shape(port))


def _shape(port: Port) -> Shape:
    return Shape(ANY if dim == -1 else dim for dim in port.dims) if port.dims else UNRANKED


def _type(port: Port) -> ElementType:
    try:
        return element_type_of_precision(port.precision or "")
    except ValueError:
        return DYNAMIC
