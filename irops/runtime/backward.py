"""The backward pass: each layer turns the gradients of its outputs into those of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from irops.invocation import OpFault, input_spec
from irops.ir.model import LayerKind
from irops.limits import Limits
from irops.ops.conversion import as_numbers, converted
from irops.runtime.arrays import require_room, size_in_bytes
from irops.runtime.flow import BackwardStep, Flow
from irops.runtime.plan import Step, ValueKey
from irops.runtime.program import KernelOf
from irops.spec.binding import BY_KERNEL
from irops.values.element import Array, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.tensors import fact_of

PortGradient = Array | tuple[Array, ...]
"""The gradient of a port: an array, or a tuple of them for a variadic port."""


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
        layer = LayerValues(step, self.values, self._kernel_of)
        cotangents = layer.cotangents(outputs)
        for of in dict.fromkeys(input_spec(step.op, index).name for index in back.inputs):
            facts = (layer.inputs[k] for k in back.inputs if input_spec(step.op, k).name == of)
            wanted = size_in_bytes(fact for fact in facts if fact is not None)
            require_room(self._bytes_held, wanted, self._limits)
            reached = layer.gradient(of, cotangents)
            first = next(k for k, port in enumerate(step.op.definition.inputs) if port.name == of)
            for index in back.inputs:
                if input_spec(step.op, index).name == of:
                    self._add(step.sources[index], layer.checked(index, reached[index - first]))

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


class LayerValues:
    """A layer in the backward pass: the arguments of its gradient functions."""

    def __init__(self, step: Step, values: Mapping[ValueKey, Array], kernel_of: KernelOf) -> None:
        self.step, self._kernel_of = step, kernel_of
        self.saved_inputs = [None if source is None else values.get(source) for source in step.sources]
        self.saved_outputs = [values.get((step.layer.id, index)) for index in range(len(step.facts.outputs))]
        self.inputs = [_static_fact(fact, array) for fact, array in zip(step.facts.inputs, self.saved_inputs)]

    def cotangents(self, given: list[Array | None]) -> list[PortGradient]:
        """The gradient of every output of the definition; zeros for those that none reached."""
        filled = []
        for gradient, fact, array in zip(given, self.step.facts.outputs, self.saved_outputs):
            known = _static_fact(fact, array)
            assert known is not None
            filled.append(zeros(known.shape.to_tuple(), known.element_type) if gradient is None else gradient)
        ports = self.step.op.definition.outputs
        return [tuple(filled[index:]) if port.variadic else filled[index] for index, port in enumerate(ports)]

    def gradient(self, of: str, cotangents: list[PortGradient]) -> tuple[Any, ...]:
        """The gradients of the inputs of a port. Raises: OpFault where the function fails"""
        invocation, op = self.step.invocation, self.step.op
        saved = {name: self._saved(name) for name in op.definition.gradients[of].saves}
        try:
            return invocation.gradient(of, cotangents, saved, self.inputs, self._kernel(of))
        except (OpFault, MemoryError):
            raise
        except Exception as error:
            message = f"the gradient of {of} of {op.id} failed: {type(error).__name__}: {error}"
            raise OpFault("failed-kernel", message) from error

    def _kernel(self, of: str) -> Callable[..., Any] | None:
        """The kernel of the op, perhaps of a backend, where it computes the gradient."""
        ports = self.step.op.definition.inputs
        fact = next(self.inputs[index] for index, port in enumerate(ports) if port.name == of)
        replaces = getattr(self.step.op.functions.gradients[of], BY_KERNEL, False)
        if not replaces or fact is None or not fact.shape.static:
            return None
        return self._kernel_of(self.step.op, fact)

    def _saved(self, name: str) -> Any:
        definition = self.step.op.definition
        both = ((definition.inputs, self.saved_inputs), (definition.outputs, self.saved_outputs))
        for ports, arrays in both:
            for place, port in enumerate(ports):
                if port.name != name:
                    continue
                if port.variadic:
                    return tuple(arrays[place:])
                return arrays[place] if place < len(arrays) else None
        raise KeyError(name)

    def checked(self, index: int, gradient: Any) -> Array:
        """A gradient as an array of the type and shape of the input. Raises: OpFault if it is of another"""
        fact = self.inputs[index]
        assert fact is not None
        array = np.asarray(gradient)
        if not fact.admits(array):
            name = input_spec(self.step.op, index).name
            message = f"the gradient of {name} of {self.step.op.id} is {fact_of(array)}, must be {fact}"
            raise OpFault("incorrect-kernel-result", message)
        return array


def _static_fact(fact: Fact | None, array: Array | None) -> Fact | None:
    """The Fact of a tensor, with its exact shape if the tensor was kept."""
    return fact if fact is None or array is None else Fact(fact.element_type, Shape(array.shape))
