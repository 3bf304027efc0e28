"""Shells that complete command lines: bash, zsh and fish as people use them, without their settings."""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from commands import process

PATIENCE = 60
"""Seconds for an answer of an interactive shell."""


def environment(home: Path) -> dict[str, str]:
    """Of a shell that finds the irops of this Python."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return {"PATH": path, "HOME": str(home), "ZDOTDIR": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8"}


def fish_offers(script: Path, folder: Path, lines: Iterable[str]) -> dict[str, set[str]]:
    """By line, the words that fish offers."""
    _require("fish")
    code = "source $argv[1]; for line in $argv[2..]; complete -C $line; echo END; end"
    done = process(
        "fish", "-c", code, str(script), *lines, cwd=folder, env=environment(script.parent), timeout=PATIENCE
    )
    assert done.stderr == "", done.stderr
    answers = done.stdout.split("END\n")
    return {
        line: {row.partition("\t")[0] for row in answer.splitlines()} for line, answer in zip(lines, answers)
    }


class Interactive:
    """A shell in a terminal. The key ^G writes the line to a file, since a program cannot see the screen."""

    def __init__(self, command: list[str], folder: Path, home: Path) -> None:
        _require(command[0])
        self.answers = home / "answers"
        self.answers.write_text("")
        self.terminal, inside = os.openpty()
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(home),
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
        )
        os.close(inside)
        threading.Thread(target=self._drain, daemon=True).start()
        self.completed("")

    def completed(self, line: str) -> str:
        """The line after the key Tab."""
        self.answers.write_text("")
        os.write(self.terminal, f"{line}{chr(9) if line else ''}\x07".encode())
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = self.answers.read_text()
            if answer.endswith("END\n"):
                return answer.removesuffix("\nEND\n")
            time.sleep(0.01)
        raise AssertionError(f"no answer to {line!r}: {answer}")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)

    def _drain(self) -> None:
        try:
            while os.read(self.terminal, 1 << 16):
                pass
        except OSError:  # closed
            return


def bash(script: Path, folder: Path) -> Interactive:
    (script.parent / ".bashrc").write_text(f"""
source {script}
answer() {{ printf '%s\\nEND\\n' "$READLINE_LINE" >> {script.parent}/answers; READLINE_LINE=; }}
bind 'set bell-style none'; bind -x '"\\C-g": answer'
""")
    command = ["bash", "--noprofile", "--rcfile", str(script.parent / ".bashrc"), "-i"]
    return Interactive(command, folder, script.parent)


def zsh(script: Path, folder: Path) -> Interactive:
    answers = script.parent / "answers"
    (script.parent / ".zshrc").write_text(f"""
autoload -U compinit; compinit -u -D; LISTMAX=9999
source {script}
answer() {{ print -r -- "$BUFFER" >> {answers}; print END >> {answers}; zle kill-buffer }}
zle -N answer; bindkey '^G' answer
""")
    return Interactive(["zsh", "-d", "-i"], folder, script.parent)


def _require(name: str) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
