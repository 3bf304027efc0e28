"""Commands under adverse conditions: closed, full and broken standard streams, no home, no current folder.

A process imports all commands and loads all definitions once. For each call it forks: the child takes the
streams, the environment and the current folder that the condition says, and ends as a process of `irops`
does, its last flush included.
What Python sets up when it starts, such as the encoding of file names and the order of sets, is that of the
first process, so there is one for each such setting.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Self

ROOT = Path(__file__).parents[2]
KEPT, FILE, TERMINAL = "kept", "file", "terminal"
CLOSED, FULL, BROKEN, HUNG_UP = "closed", "full", "broken", "hung up"
LOST = (FULL, BROKEN, HUNG_UP)
"""Streams that take nothing, and say so."""
TIMEOUT = 120

_FORKING = r"""
import fcntl, io, json, os, pty, select, signal, sys, tempfile
from importlib import import_module
requests = os.fdopen(fcntl.fcntl(0, fcntl.F_DUPFD_CLOEXEC, 200), "r", encoding="utf-8")
replies = os.fdopen(fcntl.fcntl(1, fcntl.F_DUPFD_CLOEXEC, 201), "w", encoding="utf-8")
from irops.cli.command import commands
from irops.cli.index_parts import ops_of
from irops.cli.main import main
from irops.registry import default_registry
for name in commands():
    import_module(f"irops.cli.{name}")
import irops.cli.view, irops.cli.findings, irops.cli.guard, pyarrow.parquet, onnx, rich.console, rich.table
ops_of(default_registry())
irops.cli.view.require_model_explorer = lambda: None
irops.cli.view.serve = lambda *_, **__: None
encodings = sys.stdout.encoding

def opened(number, kind):
    if kind == "file":
        return os.open(job["files"][number], os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    if kind == "terminal":
        return os.open(job["terminal"], os.O_RDWR)
    if kind == "full":
        return os.open("/dev/full", os.O_RDWR)
    ours, theirs = os.pipe() if kind == "broken" else pty.openpty()
    os.close(ours)
    return theirs

def stream(number, mode):
    try:
        os.fstat(number)
    except OSError:
        return None
    encoding, _, errors = os.environ.get("PYTHONIOENCODING", "").partition(":")
    errors = "backslashreplace" if number == 2 else errors or sys.__stdout__.errors
    made = open(number, mode, encoding=encoding or encodings, errors=errors, closefd=False)
    if number == 2 or (number == 1 and made.isatty()):
        made.reconfigure(line_buffering=True)
    return made

def begin():
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    for name, value in job["environment"].items():
        os.environb[name.encode()] = value.encode()
    import pwd
    user = pwd.getpwuid(os.getuid())
    def getpwuid(number):
        if job["is_stranger"]:
            raise KeyError(f"getpwuid(): uid not found: {number}")
        return pwd.struct_passwd((*user[:5], job["home"], *user[6:]))
    pwd.getpwuid = getpwuid
    if job["folder"]:
        os.chdir(job["folder"].encode())
    else:
        os.chdir(tempfile.mkdtemp())
        os.rmdir(os.getcwd())
    kinds = enumerate(job["streams"])
    wanted = [None if kind == "closed" else opened(number, kind) for number, kind in kinds]
    wanted = [None if handle is None else fcntl.fcntl(handle, fcntl.F_DUPFD, 100) for handle in wanted]
    for number, handle in enumerate(wanted):
        os.close(number) if handle is None else os.dup2(handle, number)
    os.closerange(3, 4096)
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        made = stream(number, mode)
        setattr(sys, name, made)
        setattr(sys, f"__{name}__", made)
    sys.argv = ["irops", *(os.fsdecode(word.encode()) for word in job["words"])]

replies.write("ready\n"); replies.flush()
while True:
    line = requests.readline()
    if not line:
        os._exit(0)
    job = json.loads(line)
    child = os.fork()
    if child == 0:
        break
    handle = os.pidfd_open(child)
    if not select.select([handle], [], [], job["timeout"])[0]:
        os.killpg(child, signal.SIGKILL)
    os.close(handle)
    replies.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n"); replies.flush()
begin()
sys.exit(main())
"""


@dataclass(frozen=True, slots=True)
class Condition:
    """What stands around a command.

    streams: standard input, output and error; environment: variables that are set, or None that are not;
    folder: whether there is a current folder; is_stranger: the user has no entry in the list of users;
    start: variables that Python reads when it starts
    """

    streams: tuple[str, str, str] = (FILE, FILE, FILE)
    environment: Mapping[str, str | None] = field(default_factory=dict)
    folder: bool = True
    is_relative: bool = False
    is_stranger: bool = False
    start: Mapping[str, str] = field(default_factory=dict)


_NO_HOME: Mapping[str, str | None] = {
    "XDG_CONFIG_HOME": None,
    "IROPS_CACHE_DIR": None,
    "XDG_CACHE_HOME": None,
}
_ASCII = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
CONDITIONS: Mapping[str, Condition] = {
    "no input": Condition((CLOSED, FILE, FILE)),
    "no output": Condition((FILE, CLOSED, FILE)),
    "no error stream": Condition((FILE, FILE, CLOSED)),
    "no input and output": Condition((CLOSED, CLOSED, FILE)),
    "no input and error stream": Condition((CLOSED, FILE, CLOSED)),
    "no output and error stream": Condition((FILE, CLOSED, CLOSED)),
    "no streams": Condition((CLOSED, CLOSED, CLOSED)),
    "output full": Condition((FILE, FULL, FILE)),
    "error stream full": Condition((FILE, FILE, FULL)),
    "both full": Condition((FILE, FULL, FULL)),
    "reader of output gone": Condition((FILE, BROKEN, FILE)),
    "reader of errors gone": Condition((FILE, FILE, BROKEN)),
    "both readers gone": Condition((FILE, BROKEN, BROKEN)),
    "output full, reader of errors gone": Condition((FILE, FULL, BROKEN)),
    "terminal hung up": Condition((HUNG_UP, HUNG_UP, HUNG_UP)),
    "dumb terminal": Condition((TERMINAL, TERMINAL, TERMINAL), {"TERM": "dumb"}),
    "terminal of no type": Condition((TERMINAL, TERMINAL, TERMINAL), {"TERM": None}),
    "no home": Condition(environment={"HOME": None, **_NO_HOME}),
    "no home, unknown user": Condition(environment={"HOME": None, **_NO_HOME}, is_stranger=True),
    "home is a file": Condition(environment={"HOME": "/dev/null", **_NO_HOME}),
    "home not writable": Condition(environment={"HOME": "/proc", **_NO_HOME}),
    "cache and configuration are files": Condition(
        environment={"IROPS_CACHE_DIR": "/dev/null/cache", "XDG_CONFIG_HOME": "/dev/null/configuration"}
    ),
    "no current folder": Condition(folder=False),
    "no current folder, relative paths": Condition(folder=False, is_relative=True),
    "streams in ASCII": Condition(environment={"PYTHONIOENCODING": "ascii"}),
    "locale in ASCII": Condition(environment=dict(_ASCII), start=_ASCII),
    "sets in another order": Condition(start={"PYTHONHASHSEED": "1"}),
}


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. status: its exit code, negative for a signal; files: what it left, by path"""

    status: int
    out: str
    err: str
    files: Mapping[str, bytes]


class Warmed:
    """A process that has imported all commands, and forks for each. A context manager."""

    def __init__(self, scratch: Path, start: Mapping[str, str]) -> None:
        self._scratch, self._start = scratch, start

    def __enter__(self) -> Self:
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", **self._start}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _FORKING],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            encoding="utf-8",
            cwd=ROOT,
        )
        assert self._answer() == "ready"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(TIMEOUT)
        self._process.stdout.close()

    def kill(self) -> None:
        """End it while it answers, and the command that it runs."""
        running = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        for child in map(int, running):
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
        self._process.kill()
        self.__exit__(None, None, None)

    def run(self, words: list[str], condition: Condition, place: Path, standard_input: bytes) -> Ended:
        """Run a command with a folder as the current one; what it then holds is in the result."""
        files = [self._scratch / name for name in ("input", "output", "errors")]
        for file, content in zip(files, (standard_input, b"", b"")):
            file.write_bytes(content)
        ours, theirs = pty.openpty()
        read: list[bytes] = []
        reader = Thread(target=_read_all, args=(ours, read))
        reader.start()
        try:
            job = {
                "words": words,
                "streams": condition.streams,
                "files": list(map(str, files)),
                "terminal": os.ttyname(theirs),
                "environment": environment_of(condition, place),
                "is_stranger": condition.is_stranger,
                "home": str(home_of(place)),
                "folder": str(place) if condition.folder else "",
                "timeout": TIMEOUT,
            }
            assert self._process.stdin is not None
            self._process.stdin.write(f"{json.dumps(job)}\n")
            self._process.stdin.flush()
            status = int(self._answer())
        finally:
            os.close(theirs)
            reader.join()
            os.close(ours)
        out, err = (file.read_bytes().decode("utf-8", "backslashreplace") for file in files[1:])
        if condition.streams[1] == TERMINAL:
            out = b"".join(read).decode("utf-8", "backslashreplace")
        return Ended(status, out, err, files_in(place))

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        assert answer, "the process that forks has ended"
        return answer.strip()


def home_of(place: Path) -> Path:
    """The home of the user who runs commands in a folder, also by the list of users; not the real one."""
    return place.parent / "home"


def environment_of(condition: Condition, place: Path) -> dict[str, str]:
    """The variables of a command in a folder."""
    kept = ("PATH", "PYTHONPATH", "VIRTUAL_ENV", "LD_LIBRARY_PATH", "LANG", "LC_ALL")
    wanted: dict[str, str | None] = {
        **{name: os.environ[name] for name in kept if name in os.environ},
        "HOME": str(home_of(place)),
        "IROPS_CACHE_DIR": str(place.parent / "cache"),
        "TERM": "xterm-256color",
        **condition.environment,
    }
    return {name: value for name, value in wanted.items() if value is not None}


def renewed(place: Path, original: Path) -> None:
    """Let a folder be a copy of another one again, without a cache and a home beside it."""
    for folder in (place, home_of(place), place.parent / "cache"):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(original, place)


def files_in(folder: Path) -> dict[str, bytes]:
    """The content of all files of a folder, by path, without digests in names; of identities.json the name
    alone, as it spells paths the way the locale reads them.
    """
    return {
        re.sub(r"(part-\d+)-[0-9a-f]{16}", r"\1", path.relative_to(folder).as_posix()): path.read_bytes()
        if path.is_file() and path.name != "identities.json"
        else b""
        for path in sorted(folder.rglob("*"))
        if not path.is_dir()
    }


def _read_all(handle: int, read: list[bytes]) -> None:
    while True:
        try:
            chunk = os.read(handle, 1 << 16)
        except OSError:  # all others have closed the terminal
            return
        if not chunk:
            return
        read.append(chunk)
