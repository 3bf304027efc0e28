"""The bytes that a run holds at each step of a plan, as far as the plan knows them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from irops.runtime.plan import Plan, Step, ValueKey
from irops.runtime.precision import NARROW
from irops.values.element import DYNAMIC


def bytes_needed(plan: Plan, keep: Collection[int]) -> Iterator[float]:
    """For each step, the bytes in use when its outputs exist. keep: layers that stay to the end"""
    in_use: float = 0
    waiting = dict(plan.users)
    sizes: dict[ValueKey, float] = {}
    for step in plan.steps:
        yield in_use + step.size
        for index in range(len(step.facts.outputs)):
            key = (step.layer.id, index)
            if key in waiting:
                sizes[key] = output_bytes(step, index) or 0
                in_use += sizes[key]
        for source in step.done_with:
            waiting[source] -= 1
            if waiting[source] == 0 and source[0] not in keep:
                in_use -= sizes[source]


def output_bytes(step: Step, index: int) -> float | None:
    """The bytes of an output; None where the plan does not know them."""
    fact = step.facts.outputs[index]
    if fact.element_type is DYNAMIC or not fact.shape.static:
        return None
    size = fact.shape.size.low * max(fact.element_type.dtype.itemsize, 1)
    is_wide = step.constant and not step.layer.is_constant and fact.element_type.name in NARROW
    return 2 * size if is_wide else size
