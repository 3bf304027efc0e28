"""Steps of a conversion: how a node of one op version becomes one of another, or several of simpler ops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from irops.editing.conversion.subject import Subject
from irops.editing.graph.node import Value


@dataclass(frozen=True, slots=True)
class Form:
    """What a node becomes: an op of these inputs and attributes, in its place and under its name.

    inputs: Values, arrays and numbers in the order of the definition, None for one that is left out
    """

    inputs: Sequence[Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outputs:
    """What takes the place of each output of a node, whose name goes to the node of the last value."""

    values: Sequence[Value]


Rule: TypeAlias = Callable[[Subject], Form | Outputs]


@dataclass(frozen=True, slots=True)
class Step:
    """From an op version to another. rule: raises RefusedError where the node has no equal in the other

    rounds: what the results may differ by, "" where they are equal bit for bit; is_decomposition: whether the
    node becomes several, so that the step is taken only where the target does not read the op.
    """

    old: str
    new: str
    rule: Rule
    rounds: str = ""
    is_decomposition: bool = False

    @property
    def is_of_one_type(self) -> bool:
        return self.old.rpartition("-")[0] == self.new.rpartition("-")[0]


STEPS: dict[str, list[Step]] = defaultdict(list)
"""All steps, by the op version that they start from."""


def add(step: Step) -> None:
    STEPS[step.old].append(step)


def step(
    old: str, new: str, *, rounds: str = "", decomposition: bool | None = None
) -> Callable[[Rule], Rule]:
    """Mark a function as the rule of a step; new: the op of the last node, where there are several."""

    def mark(rule: Rule) -> Rule:
        made = Step(old, new, rule, rounds)
        parted = not made.is_of_one_type if decomposition is None else decomposition
        add(Step(old, new, rule, rounds, parted))
        return rule

    return mark


def versions(old: str, new: str, **fixed: Any) -> None:
    """Declare that a newer version with some attributes fixed means what an older one does: two steps.

    fixed: the attributes that the older version does not have, by Python name, with the values of its meaning
    """
    newer(old, new, **fixed)
    add(Step(new, old, _Narrowed(dict(fixed), old)))


def newer(old: str, new: str, **fixed: Any) -> None:
    """Declare the step to a newer version alone, for pairs with a rule of their own for the older one."""
    add(Step(old, new, _Widened(dict(fixed))))


@dataclass(frozen=True, slots=True)
class _Widened:
    """The rule of a step to a newer version."""

    fixed: Mapping[str, Any]

    def __call__(self, subject: Subject) -> Form:
        return Form(subject.inputs, subject.carried(added=self.fixed))


@dataclass(frozen=True, slots=True)
class _Narrowed:
    """The rule of a step to an older version."""

    fixed: Mapping[str, Any]
    old: str

    def __call__(self, subject: Subject) -> Form:
        for name, value in self.fixed.items():
            subject.require_attribute(name, value, self.old)
        return Form(subject.inputs, subject.carried())
