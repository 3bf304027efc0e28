"""One layer: its inputs held to the definition, its outputs inferred."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from irops.ops import stock
from irops.spec.definition import PortSpec
from irops.spec.extension import is_extension
from irops.spec.op import Op
from irops.values.element import DYNAMIC, ElementType, element_type
from irops.values.fact import Fact
from irops.values.shape import MAX_DIM, Shape
from irops.values.violation import LimitExceeded, Violation


class LayerFault(Exception):
    """A layer does not do what its definition asks.

    constraint: the number of the sentence, where it is one; at: the byte offset of what is wrong, where it is
        not the whole layer.
    """

    def __init__(self, rule: str, message: str, constraint: str | None = None, at: int = -1) -> None:
        super().__init__(rule, message, constraint, at)
        self.rule, self.message, self.constraint, self.at = rule, message, constraint, at


Extras = Mapping[str, Any]


def infer_layer(
    op: Op, inputs: Sequence[Fact | None], attributes: Mapping[str, Any], extras: Extras | None = None
) -> list[Fact]:
    """The facts of a layer's outputs. extras: bodies by name, and what else functions may take beside
    attributes.

    Raises:  LayerFault, for the first thing that is wrong
    """
    named = named_inputs(op, inputs)
    lacks = next((name for name in op.definition.bodies if name not in (extras or {})), None)
    if lacks is not None:
        raise LayerFault("missing-body", f"{op.id} has no {lacks}")
    types = _types(op, inputs)
    _check_ranks(op, inputs)
    attributes = with_normal_axes(op, inputs, attributes)
    try:
        shapes = _shapes(op, named, attributes, extras or {})
    except Violation as violation:
        raise fault_of(op, violation) from None
    except (LayerFault, LimitExceeded, MemoryError, RecursionError):
        raise
    except Exception as error:
        if not is_extension(op.module):
            raise
        raise LayerFault(
            "failed-shape-function", f"the shape function of {op.id} failed: {type(error).__name__}: {error}"
        ) from error
    return _outputs(op, shapes, types, attributes)


def fault_of(op: Op, violation: Violation) -> LayerFault:
    """The fault that a broken constraint is: the sentence of the definition, and the values."""
    constraint = op.definition.constraints.get(violation.constraint)
    if constraint is None and is_extension(op.module):
        message = (
            f"a function of {op.id} cites {violation.constraint}, must cite a requirement that its"
            " definition has"
        )
        return LayerFault("undefined-constraint", message)
    if constraint is None:
        raise KeyError(f"{op.id} has no constraint {violation.constraint}") from violation
    detail = f"; {violation.detail}" if violation.detail else ""
    return LayerFault(
        "violated-constraint", f"{op.id} requires: {constraint.text}{detail}", constraint.id, violation.at
    )


def named_inputs(op: Op, inputs: Sequence[Any]) -> dict[str, Any]:
    """Inputs by their names in the definition, a variadic one as a tuple; optional ones that are not given
    are None.

    Raises:  LayerFault where there are too many or too few
    """
    ports, is_variadic, min_inputs = op.definition.inputs, op.is_variadic, op.min_inputs
    given = len(inputs)
    if given == min_inputs == len(ports) and not is_variadic and all(item is not None for item in inputs):
        return {port.name: item for port, item in zip(ports, inputs)}
    lacks = next(
        (p.name for k, p in enumerate(ports) if not p.optional and (k >= given or inputs[k] is None)), None
    )
    if given < min_inputs or (given > len(ports) and not is_variadic):
        wanted = (
            str(min_inputs)
            if min_inputs == len(ports) and not is_variadic
            else f"{min_inputs} or more"
            if is_variadic
            else f"{min_inputs} to {len(ports)}"
        )
        raise LayerFault(
            "wrong-number-of-inputs", f"{op.id} has {given} input{'s' * (given != 1)}, takes {wanted}"
        )
    if lacks is not None:
        raise LayerFault("wrong-number-of-inputs", f"{op.id} has no input {lacks}")
    named: dict[str, Any] = {p.name: inputs[k] if k < given else None for k, p in enumerate(ports)}
    if is_variadic:
        named[ports[-1].name] = tuple(inputs[len(ports) - 1 :])
    return named


def _spec(op: Op, index: int) -> PortSpec:
    ports = op.definition.inputs
    return ports[min(index, len(ports) - 1)]


def _types(op: Op, inputs: Sequence[Fact | None]) -> dict[str, ElementType]:
    """The element types of the definition's type variables."""
    bound: dict[str, ElementType] = {}
    first: dict[str, str] = {}
    for index, fact in enumerate(inputs):
        if fact is None or fact.element_type is DYNAMIC:
            continue
        spec, kind = _spec(op, index), fact.element_type
        if kind.name not in spec.allowed:
            raise LayerFault(
                "unsupported-element-type",
                f"{op.id} takes no {kind} as {spec.name}; must be {describe(op, spec)}",
            )
        before = bound.setdefault(spec.type, kind)
        if before is not kind and spec.type in op.definition.types:
            raise LayerFault(
                "mismatched-element-types",
                f"{op.id} takes {first[spec.type]} and {spec.name} of one element type; got {before} and"
                f" {kind}",
            )
        first.setdefault(spec.type, spec.name)
    return bound


def describe(op: Op, spec: PortSpec) -> str:
    """The element types that an input takes, as the definition words it."""
    variable = op.definition.types.get(spec.type)
    return variable.text if variable else spec.type


def _check_ranks(op: Op, inputs: Sequence[Fact | None]) -> None:
    for index, fact in enumerate(inputs):
        if fact is None or fact.shape.dims is None:
            continue
        spec, rank = _spec(op, index), len(fact.shape.dims)
        if not spec.low_rank <= rank <= spec.high_rank:
            low, high = spec.low_rank, spec.high_rank
            wanted = (
                f"{low}"
                if low == high
                else f"{low} or more"
                if high == float("inf")
                else f"{low} to {high:g}"
            )
            raise LayerFault(
                "unsupported-rank",
                f"{op.id} takes {spec.name} of rank {wanted}; got rank {rank}, {fact.shape}",
            )


def with_normal_axes(op: Op, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> Mapping[str, Any]:
    """The attributes, axes counted from 0 where the rank of the input that they count on is known.

    Raises:  LayerFault where an axis lies outside
    """
    result = attributes
    for attribute in op.axes:
        name = attribute.name
        if attributes.get(name) is None:
            continue
        rank = _rank_of(op, inputs, attribute.of)
        if rank is not None:
            value = attributes[name]
            normal = tuple(
                _normal(a, rank, name, attribute.of)
                for a in (value if isinstance(value, tuple) else (value,))
            )
            result = {**result, name: normal if isinstance(value, tuple) else normal[0]}
    return result


def _normal(axis: int, rank: int, name: str, of: str | None) -> int:
    if not -rank <= axis < rank:
        raise LayerFault(
            "axis-out-of-range", f"{name} is {axis}, must be in [{-rank}, {rank - 1}]: {of} has rank {rank}"
        )
    return axis + rank if axis < 0 else axis


def _rank_of(op: Op, inputs: Sequence[Any], name: str | None) -> int | None:
    for index, item in enumerate(inputs):
        if item is not None and _spec(op, index).name == name:
            rank: int | None = item.shape.rank if isinstance(item, Fact) else item.ndim
            if rank is not None:
                return rank
    return None


def taken(op: Op, role: str, attributes: Mapping[str, Any], extras: Extras) -> dict[str, Any]:
    """The keyword arguments that a function of the op takes, of attributes, bodies and context."""
    names = op.functions.keyword_params[role]
    if names is not None and not names:
        return {}
    everything = {
        **{op.definition.attributes[name].parameter: value for name, value in attributes.items()},
        **extras,
    }
    return everything if names is None else {name: everything[name] for name in names if name in everything}


def positional(op: Op, named: Mapping[str, Any]) -> list[Any]:
    """Named inputs in the order in which functions take them, the variadic one is_variadic."""
    values: list[Any] = []
    for port in op.definition.inputs:
        if port.variadic:
            values.extend(named[port.name])
        else:
            values.append(named[port.name])
    return values


def _shapes(
    op: Op, named: Mapping[str, Any], attributes: Mapping[str, Any], extras: Extras
) -> tuple[Shape | Fact, ...]:
    function = op.functions.shape
    if function is not None:
        result = function(*positional(op, named), **taken(op, "shape", attributes, extras))
        results = result if isinstance(result, tuple) else (result,)
        if is_extension(op.module):
            _hold_shapes(op, results)
        return results
    return tuple(_stock(op, port, named, attributes) for port in op.definition.outputs)


def _hold_shapes(op: Op, results: tuple[Any, ...]) -> None:
    """Demand of a function of a user's that it gives shapes, one for each output. Raises: LayerFault"""
    ports = op.definition.outputs
    for item in results:
        if not isinstance(item, (Shape, Fact)):
            raise LayerFault(
                "failed-shape-function",
                f"the shape function of {op.id} gives {item!r}, must give a Shape or a Fact",
            )
    if len(results) != len(ports) and not (ports and ports[-1].variadic):
        raise LayerFault(
            "failed-shape-function",
            f"the shape function of {op.id} gives {len(results)} shapes, must give {len(ports)}",
        )


def _stock(op: Op, port: PortSpec, named: Mapping[str, Any], attributes: Mapping[str, Any]) -> Shape:
    rule, *words = port.shape or ("",)
    function: Callable[..., Shape] | None = stock.RULES.get(rule)
    if function is None:
        raise LookupError(
            f"{op.definition.path}: output {port.name} names the shape rule {rule!r}, and there is no shape"
            " function"
        )
    return function(*(stock.argument(word, named, attributes) for word in words))


def _outputs(
    op: Op, shapes: tuple[Shape | Fact, ...], types: Mapping[str, ElementType], attributes: Mapping[str, Any]
) -> list[Fact]:
    ports = op.definition.outputs
    facts = []
    for index, shape in enumerate(shapes):
        if isinstance(shape, Fact):
            fact = shape
        else:
            port = ports[min(index, len(ports) - 1)]
            fact = Fact(_output_type(port, types, attributes), shape)
        min_inputs = [dim.low for dim in fact.shape.dims or ()]
        if any(low > MAX_DIM for low in min_inputs):
            raise LayerFault("overflowing-shape", f"{op.id} gives {fact.shape}, must fit into 64 bits")
        if prod(min_inputs) > MAX_DIM:
            raise LayerFault(
                "overflowing-shape",
                f"{op.id} gives {fact.shape}, whose elements are more than 64 bits can count",
            )
        facts.append(fact)
    return facts


def _output_type(
    port: PortSpec, types: Mapping[str, ElementType], attributes: Mapping[str, Any]
) -> ElementType:
    if port.type.startswith("@"):
        kind: ElementType | None = attributes[port.type[1:]]
        return kind or DYNAMIC
    if port.type in types:
        return types[port.type]
    return element_type(next(iter(port.allowed))) if len(port.allowed) == 1 else DYNAMIC


def unknown_outputs(count: int) -> list[Fact]:
    """The outputs of a layer of which nothing can be said."""
    return [Fact(DYNAMIC) for _ in range(count)]
