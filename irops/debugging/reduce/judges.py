"""The judge that a call of irops.reduce, or a command line, asks for."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from irops.debugging.reduce.case import Case
from irops.debugging.reduce.case_files import write_case
from irops.debugging.reduce.oracle import FunctionJudge, InvalidQuestion, Judge, Oracle, Unjudged
from irops.debugging.reduce.rule_judge import RuleJudge
from irops.debugging.reduce.source_judges import CrashJudge, DifferJudge
from irops.diagnostics.rules import all_rules
from irops.diagnostics.selection import closest_rules
from irops.limits import Limits
from irops.processes.memory import Watch, session_bytes
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


# Judge a case by a command, as C-Reduce does: the exit code 0 says that it still fails.

MODEL, INPUTS = "IROPS_MODEL", "IROPS_INPUTS"
"""Environment variables with the paths of the model and of its inputs."""


class CommandFailed(InvalidQuestion):
    """The command cannot be started."""


class CommandJudge(Judge):
    """Whether a command exits with 0. It gets the paths of the model and of the inputs as its last two
    arguments and in the environment, and runs in a folder of its own, which is then deleted.

    seconds, memory: beyond which the command is killed, and the case does not fail; registry: of the ops
    """

    absence = "the command does not exit with 0"

    def __init__(
        self, words: Sequence[str], seconds: float, memory: float = inf, registry: Registry | None = None
    ) -> None:
        self.words, self.seconds, self.memory = list(words), seconds, memory
        self._registry = registry
        self.description = f"command {self.words!r}"

    def reason(self, case: Case) -> str | None:
        with TemporaryDirectory(prefix="irops-reduce-") as folder:
            model, inputs = write_case(case, Path(folder), self._registry, link=True)
            return "the command exits with 0" if self._status(folder, model, inputs) == 0 else None

    def _status(self, folder: str, model: Path, inputs: Path) -> int:
        """The exit code of the command. Raises: CommandFailed; Unjudged if it exceeds a limit"""
        try:
            process = subprocess.Popen(
                [*self.words, str(model), str(inputs)],
                cwd=folder,
                env={**os.environ, MODEL: str(model), INPUTS: str(inputs)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise CommandFailed(f"the command {self.words[0]!r} cannot be run: {error.strerror}") from None
        watch = Watch(self.seconds, self.memory, lambda: session_bytes(process.pid), lambda: _kill(process))
        try:
            status = process.wait()
        finally:
            watch.stop()
            _kill(process)
            process.wait()
        if watch.exceeded == "memory":
            raise Unjudged(f"the command uses more than {self.memory:,.0f} bytes of memory (process_bytes)")
        if watch.exceeded:
            raise Unjudged(f"the command takes more than {self.seconds:g} seconds")
        return status


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a command with all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
