"""Where gradients flow in a graph, and which values of the forward pass they need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from irops.invocation import input_spec
from irops.ir.model import LayerKind
from irops.runtime.plan import Plan, Step, ValueKey
from irops.spec.definition import Gradient
from irops.values.fact import Fact

Inputs = dict[int, tuple[int, ...]]
"""By a layer's id, the indices of some of its inputs."""


@dataclass(frozen=True, slots=True)
class BackwardStep:
    """A layer that gradients flow through, into some of its inputs. needs: values of the forward pass."""

    step: Step
    inputs: tuple[int, ...]
    needs: tuple[ValueKey, ...]


class Flow:
    """The layers on the paths from results back to the tensors whose gradients are wanted, the last layer
    first.

    wanted, results: ids of layers; missing: the steps whose op states no gradient; kept: how often values of
    the forward pass are needed in the backward pass.
    """

    def __init__(self, plan: Plan, wanted: Collection[int], results: Collection[int]) -> None:
        self.wanted = frozenset(wanted)
        steps = {step.layer.id: step for step in plan.steps}
        on_path = _leading(plan, _dependent(plan, steps, self.wanted), results)
        self.steps = tuple(
            _backward_step(step, on_path[step.layer.id])
            for step in reversed(plan.steps)
            if step.layer.id in on_path
        )
        self.missing = tuple(back for back in self.steps[::-1] if back.inputs and states_none(back.step))
        self.kept = Counter(key for back in self.steps for key in back.needs)

    def path_through(self, missing: BackwardStep) -> list[Step]:
        """The layers of a path that a step lies on, from a wanted tensor to a result."""
        by_layer = {back.step.layer.id: back for back in self.steps}
        users = {
            source[0]: back
            for back in self.steps
            for source in (back.step.sources[index] for index in back.inputs)
            if source is not None
        }
        before, after = [missing], [missing]
        while before[-1].step.layer.id not in self.wanted:
            source = before[-1].step.sources[before[-1].inputs[0]]
            assert source is not None
            before.append(by_layer[source[0]])
        while after[-1].step.layer.id in users:
            after.append(users[after[-1].step.layer.id])
        return [back.step for back in (*before[::-1], *after[1:])]


def _dependent(plan: Plan, steps: dict[int, Step], wanted: Collection[int]) -> Inputs:
    """The layers that depend on what is wanted, and through which of their inputs."""
    found: Inputs = {}
    for step in plan.steps:
        inputs = tuple(
            index
            for index, source in enumerate(step.sources)
            if source is not None
            and source[0] in found
            and steps[source[0]].facts.outputs[source[1]].element_type.differentiable
            and _passes_gradient(step, index)
        )
        if inputs or step.layer.id in wanted:
            found[step.layer.id] = inputs
    return found


def _leading(plan: Plan, dependent: Inputs, results: Collection[int]) -> Inputs:
    """Those of the layers that lead on to a result."""
    found: Inputs = {}
    reached = set(results)
    for step in reversed(plan.steps):
        number = step.layer.id
        if number in reached and number in dependent:
            found[number] = dependent[number]
            sources = (step.sources[index] for index in dependent[number])
            reached.update(source[0] for source in sources if source is not None)
    return found


def _passes_gradient(step: Step, index: int) -> bool:
    """Whether a gradient flows into an input of a layer, or would have to."""
    stated = gradient_of(step, index)
    if stated is None:
        return step.layer.kind is LayerKind.RESULT or states_none(step)
    return stated.when is None or bool(step.invocation.attributes[stated.when])


def gradient_of(step: Step, index: int) -> Gradient | None:
    """The gradient that the definition states for an input of a layer."""
    return step.op.definition.gradients.get(input_spec(step.op, index).name)


def states_none(step: Step) -> bool:
    """Whether an op with inputs states no gradient at all."""
    return bool(step.sources) and step.layer.kind is not LayerKind.RESULT and not step.op.definition.gradients


def _backward_step(step: Step, inputs: tuple[int, ...]) -> BackwardStep:
    computes = bool(inputs) and step.layer.kind is not LayerKind.RESULT
    return BackwardStep(step, inputs, tuple(dict.fromkeys(_needs(step, inputs))) if computes else ())


def _needs(step: Step, inputs: tuple[int, ...]) -> Iterator[ValueKey]:
    """The values that are saved, and those whose shapes are not known before they are computed."""
    saved = {name for index in inputs if (stated := gradient_of(step, index)) for name in stated.saves}
    for index, source in enumerate(step.sources):
        is_saved = input_spec(step.op, index).name in saved
        if source is not None and (is_saved or not _static(step.facts.inputs[index])):
            yield source
    ports, outputs = step.op.definition.outputs, step.facts.outputs
    for index, fact in enumerate(outputs):
        if ports[min(index, len(ports) - 1)].name in saved or (len(outputs) > 1 and not _static(fact)):
            yield step.layer.id, index


def _static(fact: Fact | None) -> bool:
    return fact is None or fact.shape.static
