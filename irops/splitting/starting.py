"""How a worker's process starts: with as many threads for matrix products as the process that sends the work.

Imports nothing that loads NumPy, which reads the number of threads when it is loaded.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Mapping
from typing import Any

from irops.processes.pool import cores

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""The variables that say how many threads libraries use for products. The order of sums may depend on it."""


def threads() -> dict[str, str]:
    """The variables of this process; where one is not set, the number of cores, which libraries then use."""
    common = os.environ.get("OMP_NUM_THREADS", str(cores()))
    return {name: os.environ.get(name, common) for name in THREADS}


def prepare_with(variables: Mapping[str, str], prepared: bytes) -> Callable[[Any], Any]:
    """Set variables of the environment of this process, then prepare what is pickled."""
    os.environ.update(variables)
    prepare, arguments = pickle.loads(prepared)
    work: Callable[[Any], Any] = prepare(*arguments)
    return work
