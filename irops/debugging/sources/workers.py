"""The processes of sources: what they may use, and which custom ops they have."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from irops.limits import Limits
from irops.processes.worker import Process
from irops.registry import Registry


@dataclass(frozen=True, slots=True)
class Workers:
    """seconds: for each answer, None for what the source needs; memory: bytes that a process may use, mapped
    files apart; folders, modules: of custom ops, as in Registry.
    """

    seconds: float | None = None
    memory: float = inf
    folders: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()

    @classmethod
    def of(cls, registry: Registry | None, limits: Limits | None, seconds: float | None = None) -> Workers:
        """Processes within limits, with the custom ops of a registry."""
        memory = (limits or Limits()).process_memory
        if registry is None:
            return cls(seconds, memory)
        return cls(seconds, memory, registry.folders, registry.modules)

    def process(self, module: str, setup_request: tuple[Any, ...], seconds: float) -> Process:
        """A process that is started when it is first asked. seconds: for each answer, by default"""
        return Process(module, setup_request, seconds if self.seconds is None else self.seconds, self.memory)


UNBOUNDED = Workers()
"""Processes without a limit on memory."""
