"""Pauses Python's cyclic garbage collector while many long-lived objects are created."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from irops.files.process_setting import ProcessSetting

_ENABLED = ProcessSetting(gc.isenabled, lambda on: gc.enable() if on else gc.disable())


@contextmanager
def no_collection() -> Iterator[None]:
    """Disable the garbage collector during the block.

    A model and its facts consist of many objects and no garbage, and every collection would traverse them.
    Threads may use this at the same time: the collector stays disabled until the last of them is done.
    """
    with _ENABLED.changed(lambda _: False):
        yield
