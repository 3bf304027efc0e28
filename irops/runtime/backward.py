"""The backward pass: each layer turns the gradients of its outputs into those of its inputs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from irops.invocation import input_spec
from irops.ir.model import LayerKind
from irops.limits import Limits
from irops.ops.conversion import as_numbers, converted
from irops.runtime.arrays import require_room, size_in_bytes
from irops.runtime.flow import BackwardStep, Flow
from irops.runtime.layer_gradients import LayerGradients
from irops.runtime.plan import Step, ValueKey
from irops.runtime.program import KernelOf
from irops.values.element import Array, element_type_of


class Backward:
    """One backward pass through a flow.

    values: what was kept of the forward pass; values are removed after their last use. kernel_of: the kernels
    that compute gradients too; current: the step that is being computed.
    """

    def __init__(
        self, flow: Flow, values: dict[ValueKey, Array], limits: Limits, kernel_of: KernelOf
    ) -> None:
        self.flow, self.values, self._limits, self._kernel_of = flow, values, limits, kernel_of
        self._bytes_held = sum(array.nbytes for array in values.values())
        self.uses = flow.kept.copy()
        self.gradients: dict[ValueKey, Array] = {}
        self.current: Step | None = None

    def run(self, cotangents: Mapping[int, Array]) -> dict[int, Array]:
        """The gradients of what is wanted, where any reaches it; cotangents: of Results. All by layer id.

        Raises:  OpFault and LimitExceeded, of the current step
        """
        found: dict[int, Array] = {}
        for back in self.flow.steps:
            step = self.current = back.step
            number = step.layer.id
            if step.layer.kind is LayerKind.RESULT:
                if number in cotangents:
                    self._add(step.sources[0], cotangents[number])
                continue
            outputs = [self.gradients.pop((number, index), None) for index in range(len(step.facts.outputs))]
            if number in self.flow.wanted and outputs[0] is not None:
                found[number] = outputs[0]
                self._bytes_held += outputs[0].nbytes
            if back.inputs and any(gradient is not None for gradient in outputs):
                self._through(back, outputs)
            self._bytes_held -= sum(gradient.nbytes for gradient in outputs if gradient is not None)
            self._release(back)
        return found

    def _through(self, back: BackwardStep, outputs: list[Array | None]) -> None:
        step = back.step
        inputs = [None if source is None else self.values.get(source) for source in step.sources]
        saved = [self.values.get((step.layer.id, index)) for index in range(len(step.facts.outputs))]
        facts = (step.facts.inputs, step.facts.outputs)
        layer = LayerGradients(step.invocation, facts, (inputs, saved), self._kernel_of)
        cotangents = layer.cotangents(outputs)
        for of in dict.fromkeys(input_spec(step.op, index).name for index in back.inputs):
            indices = [index for index in back.inputs if input_spec(step.op, index).name == of]
            wanted = size_in_bytes(fact for index in indices if (fact := layer.inputs[index]) is not None)
            require_room(self._bytes_held, wanted, self._limits)
            reached = layer.gradient(of, cotangents)
            for index in indices:
                self._add(step.sources[index], layer.gradient_of(index, reached))

    def _add(self, source: ValueKey | None, gradient: Array) -> None:
        """Add a gradient to those that reach an output."""
        assert source is not None
        before = self.gradients.get(source)
        self.gradients[source] = gradient if before is None else _sum(before, gradient)
        self._bytes_held += gradient.nbytes if before is None else 0

    def _release(self, back: BackwardStep) -> None:
        for key in back.needs:
            self.uses[key] -= 1
            if self.uses[key] == 0:
                value = self.values.pop(key, None)
                self._bytes_held -= 0 if value is None else value.nbytes


def _sum(a: Array, b: Array) -> Array:
    """The sum of two gradients of one type, rounded once."""
    return converted(np.asarray(as_numbers(a) + as_numbers(b)), element_type_of(a))
