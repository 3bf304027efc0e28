"""The way back: each layer's gradient of its outputs becomes that of its inputs, and what is not needed any
more is let go.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from irops.analysis.layer import LayerFault, with_normal_axes
from irops.ir.model import LayerKind
from irops.ops.conversion import as_numbers, converted
from irops.runtime.arrays import fact_of
from irops.runtime.flow import Flow, Passage, port_of
from irops.runtime.plan import Step, ValueKey
from irops.values.element import Array, element_type_of, zeros
from irops.values.fact import Fact
from irops.values.shape import Shape

Reached = Array | tuple[Array, ...]


class Backward:
    """One way back through a flow. values: what of the way forward was kept; it is emptied on the way.
    current: where it is.
    """

    def __init__(self, flow: Flow, values: dict[ValueKey, Array]) -> None:
        self.flow, self.values = flow, values
        self.uses = flow.kept.copy()
        self.gradients: dict[ValueKey, Array] = {}
        self.current: Step | None = None

    def run(self, cotangents: Mapping[int, Array]) -> dict[int, Array]:
        """The gradients of what is wanted, as far as any reaches it; cotangents: of Results. All by layer id.

        Raises:  LayerFault, of the current step
        """
        found: dict[int, Array] = {}
        for passage in self.flow.passages:
            step = self.current = passage.step
            number = step.layer.id
            if step.layer.kind is LayerKind.RESULT:
                if number in cotangents:
                    self._add(step.sources[0], cotangents[number])
                continue
            outputs = [self.gradients.pop((number, index), None) for index in range(len(step.known.outputs))]
            if number in self.flow.wanted and outputs[0] is not None:
                found[number] = outputs[0]
            if passage.inputs and any(gradient is not None for gradient in outputs):
                self._through(passage, outputs)
            self._release(passage)
        return found

    def _through(self, passage: Passage, outputs: list[Array | None]) -> None:
        step = passage.step
        layer = LayerValues(step, self.values)
        gradients = layer.of_outputs(outputs)
        for of in dict.fromkeys(port_of(step, index).name for index in passage.inputs):
            reached = layer.gradient(of, gradients)
            for index in passage.inputs:
                if port_of(step, index).name == of:
                    first = len(step.op.definition.inputs) - 1
                    gradient = reached[index - first] if isinstance(reached, tuple) else reached
                    self._add(step.sources[index], layer.held(index, gradient))

    def _add(self, source: ValueKey | None, gradient: Array) -> None:
        """Let a gradient reach an output; several that do are added up."""
        assert source is not None
        before = self.gradients.get(source)
        self.gradients[source] = gradient if before is None else _sum(before, gradient)

    def _release(self, passage: Passage) -> None:
        for key in passage.needs:
            self.uses[key] -= 1
            if self.uses[key] == 0:
                self.values.pop(key, None)


def _sum(a: Array, b: Array) -> Array:
    """The sum of two gradients of one type, rounded once."""
    return (
        converted(np.asarray(as_numbers(a) + as_numbers(b)), element_type_of(a))
        if a.dtype.kind != "c"
        else np.asarray(a + b)
    )


class LayerValues:
    """A layer on the way back: what its gradient functions take."""

    def __init__(self, step: Step, values: Mapping[ValueKey, Array]) -> None:
        self.step = step
        self.saved_inputs = [None if source is None else values.get(source) for source in step.sources]
        self.saved_outputs = [values.get((step.layer.id, index)) for index in range(len(step.known.outputs))]
        self.inputs = [_fact(fact, array) for fact, array in zip(step.known.inputs, self.saved_inputs)]

    def of_outputs(self, given: list[Array | None]) -> list[Reached]:
        """The gradient of every output of the definition; zeros of those that none reached."""
        filled = []
        for gradient, fact, array in zip(given, self.step.known.outputs, self.saved_outputs):
            known = _fact(fact, array)
            assert known is not None
            filled.append(zeros(known.shape.to_tuple(), known.element_type) if gradient is None else gradient)
        ports = self.step.op.definition.outputs
        return [tuple(filled[index:]) if port.variadic else filled[index] for index, port in enumerate(ports)]

    def gradient(self, of: str, gradients: list[Reached]) -> Reached:
        """What the gradient function of an input gives."""
        op = self.step.op
        name = f"gradient of {of}"
        attributes = with_normal_axes(op, self.inputs, self.step.attributes)
        everything = {
            op.definition.attributes[key].parameter: value for key, value in attributes.items()
        } | self._about()
        keywords = {
            key: everything[key] for key in op.functions.keyword_params[name] or () if key in everything
        }
        saved = [self._saved(key) for key in op.definition.gradients[of].saves]
        try:
            with np.errstate(all="ignore"):
                reached: Reached = op.functions.gradients[of](*gradients, *saved, **keywords)
        except Exception as error:
            raise LayerFault(
                "failed-kernel", f"the {name} of {op.id} failed: {type(error).__name__}: {error}"
            ) from error
        return reached

    def _about(self) -> dict[str, Any]:
        """Shapes and element types of the inputs, by the names under which functions take them."""
        found: dict[str, Any] = {}
        for place, port in enumerate(self.step.op.definition.inputs):
            facts = self.inputs[place:] if port.variadic else self.inputs[place : place + 1]
            shapes = tuple(None if fact is None else fact.shape.to_tuple() for fact in facts)
            types = tuple(None if fact is None else fact.element_type for fact in facts)
            if facts:
                found[f"{port.name}_shape"], found[f"{port.name}_type"] = (
                    (shapes, types) if port.variadic else (shapes[0], types[0])
                )
        return found

    def _saved(self, name: str) -> Any:
        definition = self.step.op.definition
        for ports, arrays in (
            (definition.inputs, self.saved_inputs),
            (definition.outputs, self.saved_outputs),
        ):
            for place, port in enumerate(ports):
                if port.name == name:
                    return (
                        tuple(arrays[place:])
                        if port.variadic
                        else arrays[place]
                        if place < len(arrays)
                        else None
                    )
        raise KeyError(name)

    def held(self, index: int, gradient: Any) -> Array:
        """A gradient as an array, held to the type and shape of the input."""
        fact = self.inputs[index]
        assert fact is not None
        array = np.asarray(gradient)
        if not fact.admits(array):
            name = port_of(self.step, index).name
            raise LayerFault(
                "unfaithful-kernel",
                f"the gradient of {name} of {self.step.op.id} is {fact_of(array)}, must be {fact}",
            )
        return array


def _fact(fact: Fact | None, array: Array | None) -> Fact | None:
    """What is known of a tensor: of its shape all, where it was kept."""
    return fact if fact is None or array is None else Fact(fact.element_type, Shape(array.shape))
