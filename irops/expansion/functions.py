"""The shape function and the kernel of an op that has an expansion alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from irops.expansion.arrays import ArrayBuilder, NamedOps, invocation_of, operands_of
from irops.expansion.expanding import EXPANSIONS, Expanding, OpBuilder, RefusedError
from irops.ops.folding import attach_values
from irops.ops.invocation import Invocation, OpFault
from irops.spec.binding import Functions
from irops.spec.definition import Definition
from irops.spec.op import Op
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import UNRANKED, Shape
from irops.values.tensors import as_tensor

MOST_ELEMENTS = 10_000
"""The size of values that inference follows through an expansion."""


class FactBuilder:
    """Infers the ops of an expansion, with values as far as they follow from those of the inputs."""

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
    ) -> list[Fact]:
        """The Facts of the outputs. Raises: OpFault where the operands or attributes break the definition"""
        facts = [None if each is None else self.fact(each) for each in operands_of(op, operands)]
        invocation = invocation_of(op, attributes)
        return attach_values(invocation, facts, list(invocation.infer(facts)), MOST_ELEMENTS)

    def constant(self, array: Array, part: str) -> Fact:  # noqa: ARG002
        return Fact.of(array)

    def fact(self, value: Any) -> Fact:
        return value if isinstance(value, Fact) else Fact.of(as_tensor(value))


def functions_by_expansion(definition: Definition, ops: NamedOps) -> Functions | None:
    """The functions of an op that follow from the expansions of its module; None where there are none."""
    expansions = EXPANSIONS.get(definition.id, ())
    if not expansions:
        return None
    by_parameter = {attribute.parameter: name for name, attribute in definition.attributes.items()}

    def outputs(builder: OpBuilder, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values of the outputs by the first expansion that applies. Raises: OpFault, RefusedError"""
        values = {by_parameter[parameter]: value for parameter, value in attributes.items()}
        invocation = Invocation.of_values(ops.named(definition.id), values)
        reasons = []
        for expansion in expansions:
            try:
                return tuple(expansion.values(Expanding(builder, invocation, inputs)))
            except RefusedError as refused:
                reasons.append(str(refused))
            except OpFault as fault:
                message = f"{definition.id} is computed by other ops: {fault.message}"
                raise OpFault(fault.rule, message) from None
        raise RefusedError("; ".join(reasons))

    def shape(*facts: Fact | None, **attributes: Any) -> tuple[Fact | Shape, ...]:
        try:
            return outputs(FactBuilder(ops), facts, attributes)
        except RefusedError:  # what it needs to know may be known when the model runs
            return (UNRANKED,) * len(definition.outputs)

    def kernel(*arrays: Array | None, **attributes: Any) -> tuple[Array, ...]:
        try:
            return outputs(ArrayBuilder(ops), arrays, attributes)
        except RefusedError as refused:
            raise OpFault("unsupported-op", f"irops has no form of {definition.id}: {refused}") from None

    parameters = frozenset(by_parameter)
    functions = Functions(kernel=kernel, keyword_params={"kernel": parameters})
    if any(not port.shape for port in definition.outputs):
        functions.shape, functions.keyword_params["shape"] = shape, parameters
    return functions
