"""Shells that complete command lines: bash, zsh and fish as people use them, without their settings."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from shlex import quote

import pytest

PATIENCE = 60
"""Seconds for an answer of an interactive shell."""


class Shell:
    """Gives the words that a shell offers for a command line whose end is the place of the cursor."""

    name = ""

    def __init__(self, script: Path, folder: Path) -> None:
        if shutil.which(self.name) is None:
            pytest.skip(f"there is no {self.name} here")
        self.script, self.folder = script, folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(script.parent),
            "TERM": "xterm",
            "LC_ALL": "C.UTF-8",
        }

    def offers(self, lines: Iterable[str]) -> dict[str, set[str]]:
        """By line, what is offered."""
        raise NotImplementedError

    def close(self) -> None:
        """End the shell."""

    def _run(self, code: str, lines: Sequence[str], *arguments: str) -> dict[str, set[str]]:
        """What a program prints for each line, each answer before a line END."""
        done = subprocess.run(
            [self.name, "-c", code, *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.stderr == "", done.stderr
        answers = done.stdout.split("END\n")
        return {line: set(filter(None, answer.splitlines())) for line, answer in zip(lines, answers)}


class Bash(Shell):
    name = "bash"

    def offers(self, lines: Iterable[str]) -> dict[str, set[str]]:
        """What the function of completion gives for the words into which readline splits a line."""
        lines = list(lines)
        calls = "\n".join(f"offer {quote(line)} {' '.join(map(quote, _split(line)))}" for line in lines)
        code = f"""source "$1"; compopt() {{ :; }}; set -u
offer() {{
  COMP_LINE=$1; COMP_POINT=${{#1}}; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
  _irops; printf '%s\n' ${{COMPREPLY[@]+"${{COMPREPLY[@]}}"}} END
}}
{calls}"""
        return self._run(code, lines, "bash", str(self.script))


def _split(line: str) -> list[str]:
    return [*re.findall(r"[=:]+|[^\s=:]+", line), *([""] if line[-1] in " =:" else [])]


class Fish(Shell):
    name = "fish"

    def offers(self, lines: Iterable[str]) -> dict[str, set[str]]:
        lines = list(lines)
        code = "source $argv[1]; for line in $argv[2..]; complete -C $line; echo END; end"
        answers = self._run(code, lines, str(self.script), *lines)
        return {line: {row.partition("\t")[0] for row in rows} for line, rows in answers.items()}


class Interactive:
    """A shell in a terminal, which writes to a file what a program cannot see on the screen."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str], answers: Path) -> None:
        self.answers = answers
        self.terminal, inside = os.openpty()
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
        )
        os.close(inside)
        threading.Thread(target=self._drain, daemon=True).start()

    def ask(self, keys: str) -> list[str]:
        """The lines of the file after some keys, once the shell has ended its answer with a line END."""
        self.answers.write_text("")
        os.write(self.terminal, keys.encode())
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            lines = self.answers.read_text().splitlines()
            if lines[-1:] == ["END"]:
                return lines[:-1]
            time.sleep(0.01)
        raise AssertionError(f"no answer to {keys!r}: {lines}")

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


class Zsh(Shell):
    name = "zsh"

    def __init__(self, script: Path, folder: Path) -> None:
        super().__init__(script, folder)
        answers, settings = script.parent / ".answers_of_zsh", script.parent / ".zshrc"
        answers.write_text("")
        settings.write_text(
            f"""
autoload -U compinit; compinit -u -D; LISTMAX=9999
source {script}
compadd() {{ # writes down what is offered; the options ask for words that are not
  if [[ ${{@[1,(i)(-|--)]}} != *-(O|A|D)\\ * ]]; then
    local -a offered; builtin compadd -A offered "$@"; print -rl -- $offered >> {answers}
  fi
  builtin compadd "$@"
}}
answer() {{ print -r -- "LINE $BUFFER" >> {answers}; print END >> {answers}; zle kill-buffer }}
zle -N answer; bindkey '^G' answer
"""
        )
        environment = {**self.environment, "ZDOTDIR": str(script.parent)}
        self.shell = Interactive(["zsh", "-d", "-i"], folder, environment, answers)
        self.shell.ask("\x07")

    def offers(self, lines: Iterable[str]) -> dict[str, set[str]]:
        return {line: self._offers(line) for line in lines}

    def _offers(self, line: str) -> set[str]:
        answer = self.shell.ask(f"{line}\t\x07")
        return {word.replace("\\", "") for word in answer if word and not word.startswith("LINE ")}

    def completed(self, line: str) -> str:
        """The line after the key Tab."""
        return self.shell.ask(f"{line}\t\x07")[-1].removeprefix("LINE ")

    def close(self) -> None:
        self.shell.close()


class InteractiveBash(Shell):
    name = "bash"

    def __init__(self, script: Path, folder: Path) -> None:
        super().__init__(script, folder)
        answers, settings = script.parent / ".answers_of_bash", script.parent / ".bashrc"
        answers.write_text("")
        settings.write_text(
            f"""
source {script}
answer() {{ printf 'LINE %s\\nEND\\n' "$READLINE_LINE" >> {answers}; READLINE_LINE=; }}
bind 'set bell-style none'; bind -x '"\\C-g": answer'
"""
        )
        self.shell = Interactive(
            ["bash", "--noprofile", "--rcfile", str(settings), "-i"], folder, self.environment, answers
        )
        self.shell.ask("\x07")

    def completed(self, line: str) -> str:
        """The line after the key Tab."""
        return self.shell.ask(f"{line}\t\x07")[-1].removeprefix("LINE ")

    def close(self) -> None:
        self.shell.close()
