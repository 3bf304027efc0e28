"""Values that are known before anything runs: constants through small sub-graphs, and shapes in part."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import inf
from typing import TypeAlias

from irops.analysis.invocation import Invocation, OpFault
from irops.spec.op import Op
from irops.values.dim import Bound
from irops.values.element import BOOLEAN, DYNAMIC, STRING, Array
from irops.values.fact import Fact, dims_array, elements_of, holds_dims
from irops.values.shape import MAX_AXES
from irops.values.violation import LimitExceeded, Violation, collect_warnings

Inputs: TypeAlias = Sequence[Fact | None]
Values: TypeAlias = tuple[Array | None, ...]
Report: TypeAlias = Callable[[OpFault], None] | None
MAX_DEPTH = 50
"""The longest chain of lazy values: a value at the end of one is computed at once, to bound recursion."""


INPUTS = 16
"""The inputs of a folded value may have this many times the elements allowed for the value itself."""


_COSTLY = "convolution detection image matrix normalization pooling sequence signals sort sparse"
COSTLY = frozenset(_COSTLY.split())
"""Categories of ops that may look at each element of their inputs once for each element of their outputs."""
MAX_FOLD_COST = 1 << 24
"""The largest product of input and output sizes for which a costly op is folded. Sizes that models compute
need far less.
"""


DIM = 16
"""The memory of a Dim, in multiples of a pointer's."""


class ValueBudget:
    """The bytes of values that inference may still compute. overdrawn: whether more were requested."""

    __slots__ = ("_left", "overdrawn")

    def __init__(self, total: float = inf) -> None:
        self._left, self.overdrawn = total, False

    def affords(self, values: Iterable[Array | None]) -> bool:
        """Charge computed values to the budget; return whether they may be kept."""
        self._left -= sum(
            value.nbytes * (DIM if value.dtype == object else 1) for value in values if value is not None
        )
        self.overdrawn = self.overdrawn or self._left < 0
        return not self.overdrawn


class PendingValues:
    """The values of the outputs of a layer, computed when the first of them is asked for."""

    __slots__ = ("_budget", "_inputs", "_invocation", "_outputs", "_report", "_results")

    def __init__(
        self,
        invocation: Invocation,
        inputs: Inputs,
        outputs: Sequence[Fact],
        budget: ValueBudget,
        report: Report,
    ) -> None:
        self._invocation, self._inputs, self._outputs = invocation, inputs, outputs
        self._budget, self._report = budget, report
        self._results: Values | None = None

    def value(self, index: int) -> Array | None:
        """The value of an output."""
        inputs, outputs = self._inputs, self._outputs  # before the results: another thread may set these
        if self._results is None:
            afforded = self._budget.affords
            values = _evaluate(self._invocation, inputs, outputs, self._report) if afforded(()) else ()
            self._results = values if values and afforded(values) else (None,) * len(outputs)
            self._inputs = self._outputs = ()
        return self._results[index]


def attach_values(
    invocation: Invocation,
    inputs: Inputs,
    outputs: list[Fact],
    limit: float,
    budget: ValueBudget | None = None,
    report: Report = None,
) -> list[Fact]:
    """The outputs, with values that are computed when first asked for, where they follow from those of the
    inputs and are small.

    limit: how many elements a value may have, and each input 16 times as many; report: is called where a
    function of the op fails
    """
    if not inputs or not _may_follow(invocation.op, inputs, outputs, limit):
        return outputs
    pending = PendingValues(invocation, inputs, outputs, budget or ValueBudget(), report)
    depth = 1 + max((fact.depth for fact in inputs if fact is not None), default=0)
    facts = [
        fact
        if fact.may_have_value
        else Fact(fact.element_type, fact.shape, partial(pending.value, index), depth)
        for index, fact in enumerate(outputs)
    ]
    if depth > MAX_DEPTH:
        for fact in facts:
            fact.force()
    return facts


def _may_follow(op: Op, inputs: Inputs, outputs: Sequence[Fact], limit: float) -> bool:
    """Whether values of the outputs may follow from those of the inputs, and are worth it."""
    partially = op.functions.values is not None
    is_possible = False
    for fact in inputs:
        if fact is None or fact.may_have_value:
            is_possible = True
        elif not partially or fact.element_type.floating:
            return False  # floats of which nothing is known lead to no shape
    if not is_possible or op.definition.stateful or op.definition.bodies:
        return False
    if not all(is_small(fact, limit) for fact in outputs):
        return False
    if not all(fact is None or is_small(fact, INPUTS * limit) for fact in inputs):
        return False
    costly = op.definition.category in COSTLY
    return not costly or _elements_of(inputs) * _elements_of(outputs) <= MAX_FOLD_COST


def _elements_of(facts: Iterable[Fact | None]) -> float:
    return sum(fact.shape.size.high for fact in facts if fact is not None)


def is_small(fact: Fact, limit: float) -> bool:
    """Whether the shape is static, and has no more elements and axes than values may have."""
    dims = fact.shape.dims
    if dims is None or len(dims) > MAX_AXES:
        return False
    elements: Bound = 1
    for dim in dims:
        if dim.low != dim.high:
            return False
        elements *= dim.low
    return elements <= limit


def _evaluate(invocation: Invocation, inputs: Inputs, outputs: Sequence[Fact], report: Report) -> Values:
    """All elements where all inputs are known; what is known of each, where the op has a function for
    that.
    """
    op = invocation.op
    nothing: Values = (None,) * len(outputs)
    known = [None if fact is None else fact.known for fact in inputs]
    missing = [fact is not None and value is None for fact, value in zip(inputs, known)]
    in_part = any(missing) or any(value is not None and holds_dims(value) for value in known)
    if (op.functions.values if in_part else op.functions.kernel) is None:
        return nothing
    if in_part:
        known = [_dims(fact, value) for fact, value in zip(inputs, known)]
        if any(fact is not None and value is None for fact, value in zip(inputs, known)):
            return nothing
    try:
        with collect_warnings():  # else they would be those of the layer that asks for the value
            if not in_part:
                return invocation.compute(known)
            results = invocation.partial_values(known, {"result_type": outputs[0].element_type})
    except (Violation, OpFault, LimitExceeded, MemoryError):
        return nothing  # reported where the layer itself is inferred or run
    except Exception as error:
        if report is None:
            raise
        function = "partial-value function" if in_part else "kernel"
        message = f"the {function} of {op.id} failed: {type(error).__name__}: {error}"
        report(OpFault("failed-shape-function" if in_part else "failed-kernel", message))
        return nothing
    if len(results) < len(outputs):  # None, for all
        return nothing
    return tuple(_elements(result, fact) for result, fact in zip(results, outputs))


def _elements(result: Array | None, fact: Fact) -> Array | None:
    if result is None or fact.element_type in (DYNAMIC, STRING):
        return result
    return elements_of(result, fact.element_type)


def _dims(fact: Fact | None, value: Array | None) -> Array | None:
    """The knowledge of each element; None where not even their number is known, or they are
    not whole numbers.
    """
    if fact is None or value is not None:
        return value
    dims = fact.dims
    whole = fact.element_type.integral or fact.element_type is BOOLEAN
    return dims_array(dims).reshape(fact.shape.to_tuple()) if whole and dims is not None else None
