"""Judge a case by a command, as C-Reduce does: the exit code 0 says that it still fails."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

from irops.debugging.reduce.case import Case
from irops.debugging.reduce.case_files import write_case
from irops.debugging.reduce.oracle import InvalidQuestion, Judge, Unjudged
from irops.processes.memory import Watch, session_bytes
from irops.registry import Registry

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
