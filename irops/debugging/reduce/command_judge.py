"""Judge a case by a command, as C-Reduce does: the exit code 0 says that it still fails."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from irops.debugging.reduce.case import Case
from irops.debugging.reduce.case_files import write_case
from irops.debugging.reduce.oracle import InvalidQuestion, Judge

MODEL, INPUTS = "IROPS_MODEL", "IROPS_INPUTS"
"""Environment variables with the paths of the model and of its inputs."""


class CommandFailed(InvalidQuestion):
    """The command cannot be started."""


class CommandJudge(Judge):
    """Whether a command exits with 0. It gets the paths of the model and of the inputs as its last two
    arguments and in the environment, and runs in a folder of its own, which is then deleted.

    seconds: after which the command is killed, and the case does not fail
    """

    absence = "the command does not exit with 0"

    def __init__(self, words: Sequence[str], seconds: float) -> None:
        self.words, self.seconds = list(words), seconds
        self.description = f"command {self.words!r}"

    def reason(self, case: Case) -> str | None:
        with TemporaryDirectory(prefix="irops-reduce-") as folder:
            model, inputs = write_case(case, Path(folder))
            return "the command exits with 0" if self._status(folder, model, inputs) == 0 else None

    def _status(self, folder: str, model: Path, inputs: Path) -> int | None:
        """The exit code of the command, None if it was killed. Raises: CommandFailed"""
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
        try:
            return process.wait(self.seconds)
        except subprocess.TimeoutExpired:
            return None
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
