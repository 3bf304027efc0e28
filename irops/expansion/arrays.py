"""Expansions on arrays: each op of an expansion is computed by its reference kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from irops.expansion.expanding import Expanding, Expansion
from irops.ops.invocation import Invocation, OpFault, input_spec
from irops.spec.domains import format_value
from irops.spec.op import Op
from irops.values.element import DYNAMIC, Array, ElementType, element_type, element_type_of
from irops.values.fact import Fact
from irops.values.tensors import as_tensor, fact_of, result_array


class NamedOps(Protocol):
    """Where ops are looked up."""

    def named(self, name: str) -> Op: ...


class ArrayBuilder:
    """Computes the ops of an expansion. ops: of which a type alone means the newest version"""

    def __init__(self, ops: NamedOps) -> None:
        self._ops = ops

    def op(self, name: str) -> Op:
        return self._ops.named(name)

    def apply(
        self,
        op: Op,
        operands: Sequence[Any],
        attributes: Mapping[str, Any],
        part: str,  # noqa: ARG002
    ) -> tuple[Array, ...]:
        """The outputs of an op. Raises: OpFault where the operands or the attributes break its definition"""
        arrays, invocation = operands_of(op, operands), invocation_of(op, attributes)
        facts = invocation.infer([None if a is None else fact_of(a, with_value=True) for a in arrays])
        return tuple(result_array(result, fact) for result, fact in zip(invocation.compute(arrays), facts))

    def constant(self, array: Array, part: str) -> Array:  # noqa: ARG002
        return array

    def fact(self, value: Any) -> Fact:
        return fact_of(as_tensor(value), with_value=True)


def invocation_of(op: Op, attributes: Mapping[str, Any]) -> Invocation:
    """An op with attributes by Python name. Raises: OpFault where an attribute is wrong"""
    known = {attribute.parameter: name for name, attribute in op.definition.attributes.items()}
    invocation = Invocation(op, {known.get(n, n): format_value(value) for n, value in attributes.items()})
    for fault in invocation.faults:
        if not invocation.usable or fault.rule == "unknown-attribute":
            raise OpFault(fault.rule, fault.sentence)
    return invocation


def operands_of(op: Op, operands: Sequence[Any]) -> list[Any]:
    """Operands of an op, of which numbers become arrays, of the type that must be the same."""
    bound: dict[str, ElementType] = {}
    for index, operand in enumerate(operands):
        kind = _type_of(operand)
        if kind is not None and kind is not DYNAMIC:
            bound.setdefault(input_spec(op, index).type, kind)
    return [
        operand if operand is None or isinstance(operand, Fact) else _array(op, index, operand, bound)
        for index, operand in enumerate(operands)
    ]


def _type_of(operand: Any) -> ElementType | None:
    if isinstance(operand, Fact):
        return operand.element_type
    return element_type_of(operand) if isinstance(operand, np.ndarray) and operand.dtype.kind != "O" else None


def _array(op: Op, index: int, operand: Any, bound: Mapping[str, ElementType]) -> Array:
    if isinstance(operand, (np.ndarray, np.generic)):
        return as_tensor(operand)
    spec = input_spec(op, index)
    kind = bound.get(spec.type) if spec.type in op.definition.types else None
    kind = kind or usual_type(operand, spec.allowed)
    return as_tensor(operand) if kind is None else np.asarray(operand).astype(kind.dtype)


def usual_type(operand: Any, allowed: Iterable[str]) -> ElementType | None:
    """The type of Python numbers where nothing else decides: i64, f32, as far as the input takes it."""
    if isinstance(operand, (np.ndarray, np.generic)):
        return None
    kind = np.asarray(operand).dtype.kind
    order = {"b": ("boolean",), "i": ("i64", "i32"), "u": ("u64",), "f": ("f32", "f16", "f64")}.get(kind, ())
    if kind == "f" and np.asarray(operand).size == 0:
        order = ("i64", "i32", "f32")  # an empty list
    known = set(allowed)
    return next((element_type(name) for name in order if name in known), None) or (
        element_type(order[0]) if order else None
    )


def computed(
    expansion: Expansion,
    invocation: Invocation,
    inputs: Sequence[Array | None],
    ops: NamedOps,
    uses: Callable[[int], bool] = lambda _: True,
) -> tuple[Array, ...]:
    """The outputs of an op by an expansion.

    inputs: in the order of the definition, None for an optional one that is left out; uses: whether the
    output of a number is wanted
    Raises:  RefusedError where the expansion does not apply; OpFault where an op of it breaks its definition
    """
    subject = Expanding(ArrayBuilder(ops), invocation, inputs, uses=uses)
    return tuple(expansion.values(subject))
