"""How a worker's process starts: with as many threads for matrix products as the process that sends the work.

Imports nothing that loads NumPy, which reads the number of threads when it is loaded.
"""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Mapping
from typing import Any

from irops.files.process_setting import THREADS, threads_read
from irops.work.processes.pool import cores


def threads() -> dict[str, str]:
    """The variables that NumPy has read here; where one was not set, the number of cores, which libraries
    then use.
    """
    read = threads_read()
    common = read.get("OMP_NUM_THREADS", str(cores()))
    return {name: read.get(name, common) for name in THREADS}


def prepare_with(variables: Mapping[str, str], prepared: bytes) -> Callable[[Any], Any]:
    """Set variables of the environment of this process, then prepare what is pickled."""
    os.environ.update(variables)
    prepare, arguments = pickle.loads(prepared)
    work: Callable[[Any], Any] = prepare(*arguments)
    return work
