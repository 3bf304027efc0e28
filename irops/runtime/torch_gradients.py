"""irops.call on tensors of torch that require gradients: an autograd function of torch for any op."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from irops.analysis.invocation import FAULTS, OpFault, fault_of, input_spec
from irops.files.limits import Limits
from irops.runtime.gradients import LayerGradients
from irops.runtime.prepared import Prepared, call_error
from irops.values.arrays import array_of, as_tensor, fact_of, like
from irops.values.element import Array

Place = tuple[int, int]
"""0 and the index of an input, or 1 and the index of an output."""


@dataclass(frozen=True, slots=True)
class Call:
    """An op to call. needs: for each input, whether its gradient is wanted."""

    prepared: Prepared
    limits: Limits | None
    needs: tuple[bool, ...]

    @property
    def ports(self) -> tuple[str | None, ...]:
        """For each input, the name of the port if it gets a gradient."""
        op, attributes = self.prepared.op, self.prepared.invocation.attributes
        names = [input_spec(op, index).name if need else "" for index, need in enumerate(self.needs)]
        stated = [(name, op.definition.gradients.get(name)) for name in names]
        return tuple(
            name if one and (one.when is None or attributes[one.when]) else None for name, one in stated
        )

    def saved(self, outputs: int) -> frozenset[Place]:
        """Which inputs and outputs the gradients need."""
        op = self.prepared.op
        names = {name for of in self.ports if of for name in op.definition.gradients[of].saves}
        ports, last = op.definition.outputs, len(op.definition.outputs) - 1
        inputs = [(0, k) for k in range(len(self.needs)) if input_spec(op, k).name in names]
        return frozenset([*inputs, *((1, k) for k in range(outputs) if ports[min(k, last)].name in names)])


def call_with_gradients(prepared: Prepared, inputs: Sequence[Any], limits: Limits | None) -> Any:
    """The outputs as tensors that take part in the graph of torch.

    Raises:  OpFault where no input that requires a gradient has one
    """
    call = Call(prepared, limits, tuple(_needs(item) for item in inputs))
    if not any(call.ports):
        message = f"{prepared.op.id} has no gradient of the inputs that require one; pass them with .detach()"
        raise OpFault("missing-gradient", message)
    outputs = _OpFunction.apply(call, *inputs)  # type: ignore[no-untyped-call]
    return outputs if prepared.gives_tuple(len(outputs)) else outputs[0]


class _OpFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, call: Call, *inputs: Any) -> Any:
        arrays = [_array(item) for item in inputs]
        result = call.prepared.run(arrays, None, call.limits)
        results = result if isinstance(result, tuple) else (result,)
        model = next(item for item in inputs if isinstance(item, torch.Tensor))
        outputs = [like(_apart(array, arrays), model) for array in results]
        ctx.call = call
        ctx.facts = [None if a is None else fact_of(a) for a in arrays], [fact_of(a) for a in results]
        saved = call.saved(len(results))
        # torch notices where a tensor is changed that is saved with it
        tensors = {place: tensor for place, tensor in _places(inputs, outputs) if place in saved}
        ctx.places = tuple(tensors)
        ctx.save_for_backward(*tensors.values())
        others = {(0, index): array for index, array in enumerate(arrays) if (0, index) in saved}
        ctx.others = {place: array for place, array in others.items() if place not in tensors}
        ctx.mark_non_differentiable(*(output for output in outputs if not output.is_floating_point()))
        return tuple(outputs)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *cotangents: Any) -> Any:
        call: Call = ctx.call
        op = call.prepared.op
        arrays: tuple[list[Array | None], list[Array | None]]
        arrays = [None] * len(ctx.facts[0]), [None] * len(ctx.facts[1])
        saved = {place: _array(tensor) for place, tensor in zip(ctx.places, ctx.saved_tensors)}
        for (side, index), array in {**ctx.others, **saved}.items():
            arrays[side][index] = array
        computes = (call.prepared.backend, call.prepared.kernel)
        layer = LayerGradients(call.prepared.invocation, ctx.facts, arrays, lambda _: computes)
        reaching = [_array(cotangent) for cotangent in cotangents]
        try:
            filled = layer.cotangents(reaching)
            found = {of: layer.gradient(of, filled) for of in dict.fromkeys(call.ports) if of}
            gradients: list[Any] = []
            for index, of in enumerate(call.ports):
                own = _apart(layer.gradient_of(index, found[of]), reaching) if of else None
                gradients.append(None if own is None else like(own, cotangents[0]))
        except FAULTS as error:
            raise call_error(op, fault_of(op, error)) from error.__cause__
        return (None, *gradients)


def _places(inputs: Sequence[Any], outputs: Sequence[Any]) -> Iterator[tuple[Place, Any]]:
    """The tensors among the inputs and the outputs, by their places."""
    for side, items in enumerate((inputs, outputs)):
        for index, item in enumerate(items):
            if isinstance(item, torch.Tensor):
                yield (side, index), item


def _needs(item: Any) -> bool:
    return isinstance(item, torch.Tensor) and item.requires_grad


def _array(item: Any) -> Array | None:
    if item is None:
        return None
    return array_of(item.detach()) if isinstance(item, torch.Tensor) else as_tensor(item)


def _apart(array: Array, others: Sequence[Array | None]) -> Array:
    """An array, copied if it may lie in the memory of another: torch does not see that it is a view."""
    shared = any(other is not None and np.may_share_memory(array, other) for other in others)
    return array.copy() if shared else array
