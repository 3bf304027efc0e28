"""The outputs of a called op, for inputs of some types and shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from irops.values.element import DYNAMIC, Array
from irops.values.fact import Fact
from irops.values.tensors import fact_of, result_array

Kind = tuple[Any, tuple[int, ...]]
"""The dtype and the shape of an array."""


@dataclass(frozen=True, slots=True)
class CallOutputs:
    """What follows from inputs: the outputs, their size in bytes, and what the kernel takes.

    keywords: of the kernel; arrange: puts the inputs into the order of its parameters, None where they are in
    it; is_variadic: the last output may repeat, so the caller always gets a tuple; kind: of an only output.
    """

    facts: tuple[Fact, ...]
    size: float
    keywords: Mapping[str, Any]
    arrange: Callable[[Sequence[Any]], Sequence[Any]] | None
    is_variadic: bool
    kind: Kind | None = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", _kind(self.facts[0]) if len(self.facts) == 1 else None)

    def check_room(self, out: Any) -> None:
        """Require arrays that the outputs fit into. Raises: ValueError"""
        if type(out) is np.ndarray and (out.dtype, out.shape) == self.kind and out.flags.writeable:
            return
        given = out if isinstance(out, tuple) else (out,)
        if len(given) != len(self.facts):
            raise ValueError(f"out has {len(given)} arrays, must have {len(self.facts)}")
        for array, fact in zip(given, self.facts):
            fits = isinstance(array, np.ndarray) and fact.admits(array)
            if not fits or not array.flags.writeable:
                what = fact_of(array) if isinstance(array, np.ndarray) else type(array).__name__
                raise ValueError(f"out is {what}, must be {fact}, and writeable")

    def arrays(self, result: Any) -> Array | tuple[Array, ...]:
        """What a kernel gives, as the caller gets it."""
        if type(result) is np.ndarray and (result.dtype, result.shape) == self.kind and not self.is_variadic:
            return result
        results = result if isinstance(result, tuple) else (result,)
        arrays = tuple(result_array(one, fact) for one, fact in zip(results, self.facts))
        return arrays if len(arrays) > 1 or self.is_variadic else arrays[0]

    def filled(self, out: Any, result: Any) -> Any:
        """out, with what a kernel gives copied into its arrays."""
        results = result if isinstance(result, tuple) else (result,)
        for array, one in zip(out if isinstance(out, tuple) else (out,), results):
            np.copyto(array, one)
        return out


def _kind(fact: Fact) -> Kind | None:
    """The dtype and the shape, where the dtype alone says the element type."""
    kind = fact.element_type
    if kind is DYNAMIC or not fact.shape.static or kind.bits <= 8:
        return None
    return kind.dtype, fact.shape.to_tuple()
