"""Settings of the whole process: those that several threads change for a while, and the numbers of threads
that NumPy has read.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""The variables that say how many threads libraries use for products. The order of sums may depend on it."""


@cache
def threads_read() -> Mapping[str, str]:
    """Those variables, as they were when irops loaded NumPy, which reads them only then.

    Others change them later: dask.distributed sets OMP_NUM_THREADS to 1 in the process that starts a cluster.
    """
    return {name: os.environ[name] for name in THREADS if name in os.environ}


class ProcessSetting(Generic[T]):
    """A setting that is changed while at least one block needs it, in any thread.

    The first block changes it and the last one restores it. If other code changes it in between, that value
    counts as the original one from then on: it is not overwritten at the end.
    """

    def __init__(self, get: Callable[[], T], set: Callable[[T], object]) -> None:
        self._get, self._set = get, set
        self._lock = Lock()
        self._users = 0
        self._original: T
        self._changed_to: T

    @contextmanager
    def changed(self, wanted: Callable[[T], T]) -> Iterator[None]:
        """Change the setting during the block. wanted: the value that it needs, from the current one."""
        with self._lock:
            current = self._get()
            target = wanted(current)
            if target != current:
                self._set(target)
            if self._users == 0 or current != self._changed_to:
                self._original = current
            self._changed_to = target
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0 and self._get() == self._changed_to != self._original:
                    self._set(self._original)
