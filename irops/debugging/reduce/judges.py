"""The judge that a call of irops.reduce, or a command line, asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from irops.debugging.reduce.command_judge import CommandJudge
from irops.debugging.reduce.oracle import FunctionJudge, Judge, Oracle
from irops.debugging.reduce.rule_judge import RuleJudge
from irops.limits import Limits
from irops.registry import Registry


@dataclass(frozen=True, slots=True)
class Question:
    """What a reduction preserves: exactly one of these is given; see irops.reduce."""

    oracle: Oracle | None = None
    differs: Sequence[Any] | None = None
    crashes: str | None = None
    rule: str | None = None
    command: Sequence[str] | None = None

    def judge(self, seconds: float, registry: Registry | None, limits: Limits | None) -> Judge:
        """The judge of cases. seconds: that a case may take in another process

        Raises:  ValueError where none is given, or several
        """
        names = [name for name in self.__slots__ if getattr(self, name) is not None]
        if len(names) != 1:
            given = " and ".join(names) if names else "nothing"
            raise ValueError(f"{given} given, must be one of {', '.join(self.__slots__)}")
        if self.rule is not None:
            return RuleJudge(self.rule, registry, limits)
        if self.command is not None:
            return CommandJudge(self.command, seconds)
        assert self.oracle is not None
        return FunctionJudge(self.oracle)
