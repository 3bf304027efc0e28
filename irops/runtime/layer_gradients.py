"""One layer in the backward pass: the arguments of its gradient functions, and what they give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from irops.invocation import Invocation, OpFault, input_spec
from irops.runtime.program import KernelOf
from irops.spec.binding import BY_KERNEL
from irops.values.element import Array, zeros
from irops.values.fact import Fact
from irops.values.shape import Shape
from irops.values.tensors import fact_of

PortGradient = Array | tuple[Array, ...]
"""The gradient of a port: an array, or a tuple of them for a variadic port."""


class LayerGradients:
    """An op with what its gradient functions need.

    facts: of all inputs and of all outputs; arrays: the inputs and the outputs that were saved, None for the
    others; kernel_of: the kernels that compute gradients too.
    """

    def __init__(
        self,
        invocation: Invocation,
        facts: tuple[Sequence[Fact | None], Sequence[Fact]],
        arrays: tuple[Sequence[Array | None], Sequence[Array | None]],
        kernel_of: KernelOf,
    ) -> None:
        self.invocation, self.op, self._kernel_of = invocation, invocation.op, kernel_of
        self._arrays = arrays
        self.inputs = [_static_fact(fact, array) for fact, array in zip(facts[0], arrays[0])]
        self._outputs = [_static_fact(fact, array) for fact, array in zip(facts[1], arrays[1])]

    def cotangents(self, given: Sequence[Array | None]) -> list[PortGradient]:
        """The gradient of every output of the definition; zeros for those that none reached."""
        filled = []
        for gradient, fact in zip(given, self._outputs):
            assert fact is not None
            filled.append(zeros(fact.shape.to_tuple(), fact.element_type) if gradient is None else gradient)
        ports = self.op.definition.outputs
        return [tuple(filled[index:]) if port.variadic else filled[index] for index, port in enumerate(ports)]

    def gradient(self, of: str, cotangents: Sequence[PortGradient]) -> tuple[Any, ...]:
        """The gradients of the inputs of a port. Raises: OpFault where the function fails"""
        saved = {name: self._saved(name) for name in self.op.definition.gradients[of].saves}
        try:
            return self.invocation.gradient(of, cotangents, saved, self.inputs, self._kernel(of))
        except (OpFault, MemoryError):
            raise
        except Exception as error:
            message = f"the gradient of {of} of {self.op.id} failed: {type(error).__name__}: {error}"
            raise OpFault("failed-kernel", message) from error

    def gradient_of(self, index: int, reached: Sequence[Any]) -> Array:
        """The gradient of one input, out of those of its port. Raises: OpFault if it is of another type"""
        name = input_spec(self.op, index).name
        first = next(k for k, port in enumerate(self.op.definition.inputs) if port.name == name)
        fact, array = self.inputs[index], np.asarray(reached[index - first])
        assert fact is not None
        if not fact.admits(array):
            message = f"the gradient of {name} of {self.op.id} is {fact_of(array)}, must be {fact}"
            raise OpFault("incorrect-kernel-result", message)
        return array

    def _kernel(self, of: str) -> Callable[..., Any] | None:
        """The kernel of the op, perhaps of a backend, where it computes the gradient."""
        ports = self.op.definition.inputs
        fact = next(self.inputs[index] for index, port in enumerate(ports) if port.name == of)
        replaces = getattr(self.op.functions.gradients[of], BY_KERNEL, False)
        if not replaces or fact is None or not fact.shape.static:
            return None
        return self._kernel_of(self.op, fact)

    def _saved(self, name: str) -> Any:
        definition = self.op.definition
        for ports, arrays in zip((definition.inputs, definition.outputs), self._arrays):
            for place, port in enumerate(ports):
                if port.name != name:
                    continue
                if port.variadic:
                    return tuple(arrays[place:])
                return arrays[place] if place < len(arrays) else None
        raise KeyError(name)


def _static_fact(fact: Fact | None, array: Array | None) -> Fact | None:
    """The Fact of a tensor, with its exact shape if the tensor was kept."""
    return fact if fact is None or array is None else Fact(fact.element_type, Shape(array.shape))
