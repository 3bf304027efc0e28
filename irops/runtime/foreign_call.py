"""irops.call on arrays of other libraries: the outputs are of the library of the inputs."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from irops.limits import Limits
from irops.runtime.prepared import Prepared
from irops.values.foreign import array_of, is_foreign, is_torch, like


def called(prepared: Prepared, inputs: Sequence[Any], out: Any, limits: Limits | None) -> Any:
    """The outputs of an op, as arrays of the library of the first input that is not of NumPy.

    Raises:  as Prepared.run; ValueError for arrays on other devices, and for types that the library lacks
    """
    for item in inputs:
        if type(item) is not np.ndarray and is_foreign(item):
            return _called(prepared, inputs, item, out, limits)
    if out is None or type(out) is np.ndarray:
        return prepared.run(inputs, out, limits)
    return _filled(prepared, inputs, out, limits)


def _called(prepared: Prepared, inputs: Sequence[Any], model: Any, out: Any, limits: Limits | None) -> Any:
    if _takes_part(inputs):
        if out is not None:
            raise ValueError("out is given, but an input requires a gradient; give one of them")
        from irops.runtime.torch_gradients import call_with_gradients

        return call_with_gradients(prepared, inputs, limits)
    arrays = [_array(item) for item in inputs]
    if out is not None:
        return _filled(prepared, arrays, out, limits)
    result = prepared.run(arrays, None, limits)
    return tuple(like(one, model) for one in result) if isinstance(result, tuple) else like(result, model)


def _takes_part(inputs: Sequence[Any]) -> bool:
    """Whether torch records what is done with an input."""
    wanted = any(is_torch(item) and item.requires_grad for item in inputs)
    return wanted and bool(sys.modules["torch"].is_grad_enabled())


def _array(item: Any) -> Any:
    if not is_foreign(item):
        return item
    return array_of(item.detach() if is_torch(item) else item)


def _filled(prepared: Prepared, inputs: Sequence[Any], out: Any, limits: Limits | None) -> Any:
    """out, whose arrays may be of any library, with the outputs in them."""
    rooms = tuple(_array(one) for one in out) if isinstance(out, tuple) else _array(out)
    prepared.run(inputs, rooms, limits)
    return out
