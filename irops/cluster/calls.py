"""Calls that are sent to workers so that nothing but the worker has to import what they name.

The scheduler of Dask reads the function and the arguments of each task. The function is therefore that of
Python which reads a pickle, and its argument a pickle whose reading calls the function that is meant.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any


class Call:
    """Becomes the result of a function when its pickle is read."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self._call = function, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._call


def pickled_call(function: Callable[..., Any], *arguments: Any) -> bytes:
    """The argument of pickle.loads, the function of a task."""
    return pickle.dumps(Call(function, *arguments), pickle.HIGHEST_PROTOCOL)
