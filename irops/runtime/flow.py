"""Where gradients flow in a graph, and what they need of the way forward."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from irops.ir.model import LayerKind
from irops.runtime.plan import Plan, Step, ValueKey
from irops.spec.definition import Gradient, PortSpec
from irops.values.fact import Fact

Inputs = dict[int, tuple[int, ...]]
"""By a layer's id, the indices of some of its inputs."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A layer that gradients flow through, on into some of its inputs. needs: values of the way forward."""

    step: Step
    inputs: tuple[int, ...]
    needs: tuple[ValueKey, ...]


class Flow:
    """The layers on the ways from results back to what gradients are wanted of, the last first.

    wanted, results: ids of layers; missing: the passages whose op states no gradient; kept: how often values
        of the way forward
    are needed on the way back.
    """

    def __init__(self, plan: Plan, wanted: Collection[int], results: Collection[int]) -> None:
        self.wanted = frozenset(wanted)
        steps = {step.layer.id: step for step in plan.steps}
        leading = _leading(plan, _dependent(plan, steps, self.wanted), results)
        self.passages = tuple(
            _passage(step, leading[step.layer.id])
            for step in reversed(plan.steps)
            if step.layer.id in leading
        )
        self.missing = tuple(
            passage for passage in self.passages[::-1] if passage.inputs and states_none(passage.step)
        )
        self.kept = Counter(key for passage in self.passages for key in passage.needs)

    def way_through(self, missing: Passage) -> list[Step]:
        """The layers of a way on which a passage lies, from what a gradient is wanted of to a result."""
        back = {p.step.layer.id: p for p in self.passages}
        on = {
            source[0]: p
            for p in self.passages
            for source in (p.step.sources[index] for index in p.inputs)
            if source is not None
        }
        before, after = [missing], [missing]
        while before[-1].inputs and before[-1].step.layer.id not in self.wanted:
            source = before[-1].step.sources[before[-1].inputs[0]]
            assert source is not None
            before.append(back[source[0]])
        while after[-1].step.layer.id in on:
            after.append(on[after[-1].step.layer.id])
        return [passage.step for passage in (*before[::-1], *after[1:])]


def _dependent(plan: Plan, steps: dict[int, Step], wanted: Collection[int]) -> Inputs:
    """The layers that depend on what is wanted, and through which of their inputs."""
    found: Inputs = {}
    for step in plan.steps:
        inputs = tuple(
            index
            for index, source in enumerate(step.sources)
            if source is not None
            and source[0] in found
            and steps[source[0]].known.outputs[source[1]].element_type.differentiable
            and _takes(step, index)
        )
        if inputs or step.layer.id in wanted:
            found[step.layer.id] = inputs
    return found


def _leading(plan: Plan, dependent: Inputs, results: Collection[int]) -> Inputs:
    """Those of the layers that lead on to a result."""
    found: Inputs = {}
    led = set(results)
    for step in reversed(plan.steps):
        number = step.layer.id
        if number in led and number in dependent:
            found[number] = dependent[number]
            led.update(
                source[0]
                for source in (step.sources[index] for index in dependent[number])
                if source is not None
            )
    return found


def _takes(step: Step, index: int) -> bool:
    """Whether a gradient flows into an input of a layer, or ought to."""
    stated = gradient_of(step, index)
    if stated is None:
        return step.layer.kind is LayerKind.RESULT or states_none(step)
    return stated.when is None or bool(step.attributes[stated.when])


def port_of(step: Step, index: int) -> PortSpec:
    """What the definition says of a layer's input."""
    ports = step.op.definition.inputs
    return ports[min(index, len(ports) - 1)]


def gradient_of(step: Step, index: int) -> Gradient | None:
    """What the definition states of the gradient of a layer's input."""
    return step.op.definition.gradients.get(port_of(step, index).name)


def states_none(step: Step) -> bool:
    """Whether an op that takes something states no gradient at all."""
    return bool(step.sources) and step.layer.kind is not LayerKind.RESULT and not step.op.definition.gradients


def _passage(step: Step, inputs: tuple[int, ...]) -> Passage:
    return Passage(
        step,
        inputs,
        tuple(dict.fromkeys(_needs(step, inputs)))
        if inputs and step.layer.kind is not LayerKind.RESULT
        else (),
    )


def _needs(step: Step, inputs: tuple[int, ...]) -> Iterator[ValueKey]:
    """The values that are saved, and those whose shapes are not known before they are there."""
    saved = {name for index in inputs if (stated := gradient_of(step, index)) for name in stated.saves}
    for index, source in enumerate(step.sources):
        if source is not None and (
            port_of(step, index).name in saved or not _static(step.known.inputs[index])
        ):
            yield source
    ports, outputs = step.op.definition.outputs, step.known.outputs
    for index, fact in enumerate(outputs):
        if ports[min(index, len(ports) - 1)].name in saved or (len(outputs) > 1 and not _static(fact)):
            yield step.layer.id, index


def _static(fact: Fact | None) -> bool:
    return fact is None or fact.shape.static
