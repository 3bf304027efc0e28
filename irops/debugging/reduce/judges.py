"""The judge that a call of irops.reduce, or a command line, asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from irops.debugging.reduce.command_judge import CommandJudge
from irops.debugging.reduce.oracle import FunctionJudge, InvalidQuestion, Judge, Oracle
from irops.debugging.reduce.rule_judge import RuleJudge
from irops.debugging.reduce.source_judges import CrashJudge, DifferJudge
from irops.diagnostics.rules import all_rules
from irops.diagnostics.selection import closest_rules
from irops.limits import Limits
from irops.registry import Registry

BANDS = ("IR2", "IR3", "IR4")
"""The rules about what a model says. Rules about its text and its files are those of the whole file."""


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

        Raises:  InvalidQuestion; DiagnosticError for a source that does not exist
        """
        questions = [field.name for field in fields(self) if getattr(self, field.name) is not None]
        if len(questions) != 1:
            asked = ", ".join(questions) or "nothing"
            one_of = ", ".join(field.name for field in fields(self))
            raise InvalidQuestion(f"what to preserve is {asked}; give one of {one_of}")
        if self.rule is not None:
            return RuleJudge(_preservable(self.rule), registry, limits)
        if self.differs is not None:
            return DifferJudge(self.differs, seconds, registry, limits)
        if self.crashes is not None:
            return CrashJudge(self.crashes, seconds, registry, limits)
        if self.command is not None:
            return CommandJudge(self.command, seconds, (limits or Limits()).process_memory, registry)
        assert self.oracle is not None
        return FunctionJudge(self.oracle)


def _preservable(code: str) -> str:
    """The code of a rule about models. Raises: InvalidQuestion"""
    codes = [rule.code for rule in all_rules()]
    if code.upper() not in codes:
        meant = closest_rules(code, all_rules())
        hint = f"; did you mean {meant[0]}?" if meant else ""
        raise InvalidQuestion(f"unknown rule {code!r}{hint}")
    if code.upper().startswith(("IR", "OD")) and not code.upper().startswith(BANDS):
        raise InvalidQuestion(
            f"{code} is not a rule about the layers of a model; a reduction can preserve rules whose codes"
            f" begin with {', '.join(BANDS)}"
        )
    return code.upper()
