"""The outputs of an op, inferred from Facts of its inputs by its shape function or its stock rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

from irops.invocation.faults import OpFault, fault_of
from irops.invocation.inputs import positional
from irops.ops import stock
from irops.spec.definition import PortSpec
from irops.spec.extension import is_extension
from irops.spec.op import Op
from irops.values.element import DYNAMIC, ElementType, element_type
from irops.values.fact import Fact
from irops.values.shape import MAX_DIM, Shape
from irops.values.violation import LimitExceeded, Violation


def output_shapes(
    op: Op, named: Mapping[str, Any], attributes: Mapping[str, Any], keywords: Mapping[str, Any]
) -> tuple[Shape | Fact, ...]:
    """The shapes of the outputs, or Facts where the shape function says more.

    Raises:  OpFault for a broken requirement, and where a shape function fails otherwise
    """
    try:
        return _shapes(op, named, attributes, keywords)
    except Violation as violation:
        raise fault_of(op, violation) from None
    except (OpFault, LimitExceeded, MemoryError, RecursionError):
        raise
    except Exception as error:
        message = f"the shape function of {op.id} failed: {type(error).__name__}: {error}"
        raise OpFault("failed-shape-function", message) from error


def _shapes(
    op: Op, named: Mapping[str, Any], attributes: Mapping[str, Any], keywords: Mapping[str, Any]
) -> tuple[Shape | Fact, ...]:
    function = op.functions.shape
    if function is None:
        return tuple(_stock(op, port, named, attributes) for port in op.definition.outputs)
    result = function(*positional(op, named), **keywords)
    shapes = result if isinstance(result, tuple) else (result,)
    if is_extension(op.module):
        _check_shapes(op, shapes)
    return shapes


def _check_shapes(op: Op, shapes: tuple[Any, ...]) -> None:
    """Validate what the shape function of a user-defined op returns: one shape per output. Raises: OpFault"""
    ports = op.definition.outputs
    for item in shapes:
        if not isinstance(item, (Shape, Fact)):
            message = f"the shape function of {op.id} gives {item!r}, must give a Shape or a Fact"
            raise OpFault("failed-shape-function", message)
    if len(shapes) != len(ports) and not (ports and ports[-1].variadic):
        message = f"the shape function of {op.id} gives {len(shapes)} shapes, must give {len(ports)}"
        raise OpFault("failed-shape-function", message)


def _stock(op: Op, port: PortSpec, named: Mapping[str, Any], attributes: Mapping[str, Any]) -> Shape:
    rule, *words = port.shape or ("",)
    function: Callable[..., Shape] | None = stock.RULES.get(rule)
    if function is None:
        raise LookupError(
            f"{op.definition.path}: output {port.name} names the shape rule {rule!r}, and there is no shape"
            " function"
        )
    return function(*(stock.argument(word, named, attributes) for word in words))


def output_facts(
    op: Op,
    shapes: tuple[Shape | Fact, ...],
    types: Mapping[str, ElementType],
    attributes: Mapping[str, Any],
) -> tuple[Fact, ...]:
    """The Facts of outputs of these shapes; types: of the definition's type variables.

    Raises:  OpFault where a tensor has more elements than 64 bits can count
    """
    ports = op.definition.outputs
    facts = []
    for index, shape in enumerate(shapes):
        if isinstance(shape, Fact):
            fact = shape
        else:
            port = ports[min(index, len(ports) - 1)]
            fact = Fact(_output_type(port, types, attributes), shape)
        _check_size(op, fact)
        facts.append(fact)
    return tuple(facts)


def _check_size(op: Op, fact: Fact) -> None:
    lows = [dim.low for dim in fact.shape.dims or ()]
    if any(low > MAX_DIM for low in lows):
        raise OpFault("overflowing-shape", f"{op.id} gives {fact.shape}, must fit into 64 bits")
    if prod(lows) > MAX_DIM:
        message = f"{op.id} gives {fact.shape}, whose elements are more than 64 bits can count"
        raise OpFault("overflowing-shape", message)


def _output_type(
    port: PortSpec, types: Mapping[str, ElementType], attributes: Mapping[str, Any]
) -> ElementType:
    if port.type.startswith("@"):
        kind: ElementType | None = attributes[port.type[1:]]
        return kind or DYNAMIC
    if port.type in types:
        return types[port.type]
    return element_type(next(iter(port.allowed))) if len(port.allowed) == 1 else DYNAMIC
