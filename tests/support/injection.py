"""Failures at system calls: a program runs under strace, which lets one call fail, or kills the process.

A program is Python code in two parts: one that imports and warms up, carried out once, and one that writes
files in its current folder, carried out in a forked process for each call that fails.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic, sleep
from typing import Self

import pytest

CALLS = tuple(
    re.findall(
        r"\w+",
        """
        openat write pwrite64 copy_file_range sendfile fsync fdatasync ftruncate rename renameat renameat2
        unlink unlinkat link linkat symlink symlinkat chmod fchmod fchmodat fchown fchownat chown mkdir
        mkdirat rmdir setxattr utimensat flock
        """,
    )
)
"""The system calls that change files, or lock them; opening to read counts, too."""
KILLED = -9
WAYS = ("KILL", "ENOSPC", "EIO", "EINTR")
"""How a call fails: the process is killed there, or the call gives an error."""
TIMEOUT = 60.0

_FORKING = r"""
import ctypes, json, os, signal, sys, traceback
signal.signal(signal.SIGINT, signal.SIG_IGN)
setup, code = json.loads(sys.stdin.readline())
replies = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
scope = {"__name__": "program"}
exec(compile(setup, "setup", "exec"), scope)
code = compile(code, "code", "exec")
exec(code, scope)
os.chdir("/")
replies.write("ready\n"); replies.flush()
for line in sys.stdin:
    folder, cache, errors = json.loads(line)
    start, go = os.pipe()
    child = os.fork()
    if child == 0:
        status = 70
        try:
            os.close(go)
            os.chdir(folder)
            os.environ["IROPS_CACHE_DIR"] = cache
            os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
            os.dup2(2, 1)
            try:
                ctypes.CDLL(None).prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)  # strace may attach
            except (OSError, AttributeError):
                pass
            if os.read(start, 1):
                exec(code, scope)
                status = scope.get("status", 0)
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 1
        except BaseException:
            status = 71
            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(status)
    os.close(start)
    replies.write(f"{child}\n"); replies.flush()
    sys.stdin.readline()
    os.write(go, b"x"); os.close(go)
    replies.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n"); replies.flush()
"""


@dataclass(frozen=True, slots=True)
class Point:
    """The n-th call of a name since the program began to write."""

    call: str
    count: int
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """How a program ended. status: its exit code, 71 for an exception, or KILLED; errors: what it printed"""

    status: int
    errors: str


class Program:
    """Python code that writes files in a folder, which is its current one. A context manager.

    setup: carried out once; code: carried out once after it in the folder warm, so that modules are imported,
    and then for each call of the methods, in a process of its own
    """

    warm: Path
    cache: Path | None = None
    """The folder of the cache; None: cache in the folder of each call."""

    def __init__(self, setup: str, code: str) -> None:
        self._texts = setup, code
        self._opened = ExitStack()

    def __enter__(self) -> Self:
        self._scratch = Path(self._opened.enter_context(TemporaryDirectory(prefix="injection-")))
        environment = {
            **os.environ,
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
            "IROPS_CACHE_DIR": str(self.warm / "cache"),
        }
        self._process = self._opened.enter_context(
            subprocess.Popen(
                [sys.executable, "-P", "-c", _FORKING],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                cwd=self.warm,
                text=True,
            )
        )
        self._send(self._texts)
        assert self._answer() == "ready"
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._opened.close()

    def points(self, folder: Path) -> list[Point]:
        """The calls that the program makes to write, in order, when nothing fails."""
        log = self._scratch / "log"
        done = self._run(folder, ["-o", str(log)])
        assert done.status in (0, 1), done
        return list(_points(log.read_text(errors="replace"), str(folder)))

    def run(self, folder: Path) -> Done:
        """Run the program; nothing fails."""
        return self._run(folder, None)

    def failing(self, folder: Path, point: Point, how: str) -> Done:
        """Run the program. how: one of WAYS"""
        what = "signal=KILL" if how == "KILL" else f"error={how}"
        return self._run(folder, ["-o", os.devnull, f"--inject={point.call}:{what}:when={point.count}"])

    def _run(self, folder: Path, options: list[str] | None) -> Done:
        errors = self._scratch / "errors"
        self._send([str(folder), str(self.cache or folder / "cache"), str(errors)])
        child = int(self._answer())
        with ExitStack() as opened:
            if options is not None:
                strace = ["strace", "-qq", "-s", "512", "-e", f"trace={','.join(_known_calls())}", *options]
                tracer = opened.enter_context(subprocess.Popen([*strace, "-p", str(child)]))
                _wait_for_tracer(child)
            self._send("go")
            status = int(self._answer())
            if options is not None:
                tracer.wait(TIMEOUT)
        return Done(status, errors.read_text(errors="replace"))

    def _send(self, content: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{json.dumps(content)}\n")
        self._process.stdin.flush()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        assert answer, "the setup of the program failed"
        return answer.strip()


def _wait_for_tracer(child: int) -> None:
    """Wait until strace traces a process."""
    until = monotonic() + TIMEOUT
    while "TracerPid:\t0\n" in Path(f"/proc/{child}/status").read_text():
        assert monotonic() < until, "strace did not attach"
        sleep(0.002)


def _points(log: str, folder: str) -> Iterator[Point]:
    counts: dict[str, int] = {}
    for line in log.splitlines():
        match = re.match(r"(?:\d+ +)?(\w+)\((.*)", line)
        if match is None:
            continue
        name, rest = match.groups()
        counts[name] = counts.get(name, 0) + 1
        if not _is_elsewhere(name, rest, folder):
            yield Point(name, counts[name], line)


def _is_elsewhere(name: str, rest: str, folder: str) -> bool:
    """Whether a call concerns no file of the folder: standard streams, and modules that are imported."""
    if name == "write":
        return rest.startswith(("1,", "2,"))
    path = re.search(r'"([^"]*)"', rest) if name == "openat" else None
    return path is not None and path[1].startswith("/") and not path[1].startswith(folder)


@cache
def _known_calls() -> tuple[str, ...]:
    """The calls that the processor has: Arm has no rename, only renameat."""
    known = []
    for call in CALLS:
        done = subprocess.run(["strace", "-e", f"trace={call}", "-V"], capture_output=True, check=False)
        if done.returncode == 0:
            known.append(call)
    return tuple(known)


@cache
def missing() -> str:
    """Why no failure can be injected here, or ""."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False)
    return (
        ""
        if done.returncode == 0
        else f"strace cannot trace here: {done.stderr.decode(errors='replace').strip()}"
    )


needs_strace = pytest.mark.skipif(bool(missing()), reason=missing() or "strace works")
