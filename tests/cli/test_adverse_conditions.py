"""Every command under adverse conditions: the exit code, the message and the files are those documented."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from adverse import (
    BROKEN,
    CLOSED,
    CONDITIONS,
    FILE,
    HUNG_UP,
    LOST,
    ROOT,
    TERMINAL,
    Condition,
    Ended,
    Warmed,
    environment_of,
    files_in,
    renewed,
)
from command_words import FINDINGS, REFUSED, REVERSING, SUCCESS, in_folder
from libraries import needs
from tiers import slow
from writers import without_times

from irops.cli.command import PIPE_CLOSED, commands
from irops.cli.command import REFUSED as WRONG

pytestmark = [
    needs("pyarrow"),
    needs("onnx"),
    pytest.mark.skipif(not hasattr(os, "pidfd_open") or not Path("/dev/full").exists(), reason="needs Linux"),
]
NAME = "é☃"
"""A name that ASCII lacks; every file and every layer has it."""
FILL = ("--fill", "ones")
JSON = ("infer", "inspect", "weights", "rules", "ops", "backends", "explain", "diff", "survey")
MORE: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "check": (
        *(("BROKEN", "--output-format", name) for name in ("full", "concise", "json", "sarif", "github")),
        ("MODEL", "--write-baseline", "OUT.json"),
        ("BROKEN", "--fix"),
        ("BROKEN", "--diff"),
        ("MODEL", "BROKEN", "MODEL", "-j", "2"),
    ),
    "run": (
        ("MODEL", *FILL, "--save-outputs", "OUT.npz", "--profile", "OUT.json", "--quiet"),
        ("MODEL", *FILL, "--keep", "all", "--output-format", "json"),
    ),
    "diff": (("MODEL", "MODEL", "--output-format", "html", "--output", "OUT.html"),),
    "compare": (
        ("MODEL", *FILL, "--b", "numpy", "--output-format", "junit", "--output", "OUT.xml"),
        ("MODEL", *FILL, "--b", "reference", "--save-values", "OUT"),
    ),
    "translate": (("MODEL", "--to", "onnx", "--output", "OUT.onnx"),),
    "draw": (("MODEL", "--output", "OUT.html"),),
    "cache": (("clean",),),
    "trust": (("FOLDER",),),
    "completion": (("zsh",), ("fish",)),
    "explain": (("ReverseSequence-1",), ("IR2",)),
    "server": (("--tcp", "127.0.0.1:0", "--help"),),
}
QUICK: Mapping[str, tuple[str, ...]] = {**SUCCESS, "docs": ("--output", "OUT", "--format", "netron")}
"""The pages take seconds, thirty times over."""
LINES: list[tuple[str, ...]] = [
    *((name, *rest) for name, rest in QUICK.items()),
    *((name, *rest) for name, many in MORE.items() for rest in many),
    *((name, *SUCCESS[name], "--output-format", "json") for name in JSON),
    *((name, *rest) for name, rest in FINDINGS.items()),
    *((name, *rest) for name, many in REFUSED.items() for rest in many),
    *((name, "--help") for name in commands()),
    ("--help",),
    ("--version",),
    ("help",),
    ("typo",),
    (),
]


def _message(**content: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **content}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


SESSION = (
    _message(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
    + _message(method="initialized", params={})
    + _message(id=2, method="shutdown")
    + _message(method="exit")
)
"""What an editor sends that is closed at once."""


NEEDS_HOME = {"cache": {"HOME"}, "trust": {"HOME", "XDG_CONFIG_HOME"}}
"""Commands whose files lie in the home of the user, and what names them: without it they refuse to work."""
NEEDS_FOLDER = {"conformance"}
"""Commands that refuse to work where the current folder was removed: Hypothesis asks for it."""


class Trial:
    """Runs command lines in a copy of one folder, and judges them by how they end usually."""

    def __init__(self, scratch: Path) -> None:
        self._scratch, self._original = scratch, scratch / f"original {NAME}"
        self._original.mkdir()
        self.place = scratch / f"place {NAME}"
        text = REVERSING.replace('name="reversed"', f'name="reversed {NAME}"').replace(
            '"reversing"', f'"{NAME}"'
        )
        (self._original / f"model {NAME}.xml").write_text(text, "utf-8")
        broken = (ROOT / "tests" / "rules" / "IR401.xml").read_text("utf-8")
        (self._original / f"broken {NAME}.xml").write_text(
            re.sub(r'<layer id="(\d+)" name="', rf'<layer id="\1" name="{NAME}', broken), "utf-8"
        )
        in_folder((), self._original, self._original, self._original)
        self._warmed: dict[str, Warmed] = {}
        self._usual: dict[tuple[str, ...], Ended] = {}

    def run(self, line: tuple[str, ...], condition: Condition, standard_input: bytes = SESSION) -> Ended:
        words = self._prepared(line)
        if line == ("server",) and condition.streams[0] == TERMINAL:  # it would wait for somebody who types
            condition = replace(condition, streams=(FILE, *condition.streams[1:]))
        if condition.is_relative:
            words = [word.replace(f"{self.place}/", "") for word in words]
        key = json.dumps(dict(condition.start))
        if key not in self._warmed:
            self._warmed[key] = Warmed(self._scratch, condition.start).__enter__()
        try:
            return self._warmed[key].run(words, condition, self.place, standard_input)
        except BaseException:  # its answer is still to come, and would be taken for that of the next command
            self._warmed.pop(key).kill()
            raise

    def by_shell(self, line: tuple[str, ...], redirections: str) -> Ended:
        """Run a command in a process of its own, with redirections of a shell."""
        words, environment = self._prepared(line), environment_of(Condition(), self.place)
        command = ["sh", "-c", f'exec "$@" {redirections}', "sh", sys.executable, "-P", "-m", "irops", *words]
        done = subprocess.run(
            command,
            cwd=self.place,
            env={**environment, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=120,
            check=False,
        )
        out, err = (text.decode("utf-8", "backslashreplace") for text in (done.stdout, done.stderr))
        return Ended(done.returncode, out, err, files_in(self.place))

    def close(self) -> None:
        for one in self._warmed.values():
            one.__exit__(None, None, None)

    def _prepared(self, line: tuple[str, ...]) -> list[str]:
        renewed(self.place, self._original)
        model, broken = (self.place / f"{name} {NAME}.xml" for name in ("model", "broken"))
        return in_folder(line, self.place, model, broken)

    def usual(self, line: tuple[str, ...]) -> Ended:
        if line not in self._usual:
            self._usual[line] = self.run(line, Condition())
        return self._usual[line]

    def faults(self, line: tuple[str, ...], name: str) -> list[str]:
        """What is wrong with a command line under a condition."""
        condition = CONDITIONS[name]
        ended = self.run(line, condition)
        is_read = condition.streams[0] not in (CLOSED, HUNG_UP) or line != ("server",)
        usual = self.usual(line) if is_read else self.run(line, Condition(), standard_input=b"")
        needed = NEEDS_HOME.get(line[0] if line else "", set())
        if ended.status == WRONG and ended.err and needed & condition.environment.keys():
            return []
        lacks_folder = not condition.folder and line[:1] and line[0] in NEEDS_FOLDER
        if ended.status == WRONG and lacks_folder and "the current folder was removed" in ended.err:
            return []
        return [f"{name}: {fault}" for fault in faults_of(condition, usual, ended)]


def faults_of(condition: Condition, usual: Ended, ended: Ended) -> Iterator[str]:
    """What of the end of a command differs from what is documented, given how it ends usually."""
    text = ended.out + ended.err
    for sign in ("Traceback", "internal error:", "Exception ignored", "Fatal Python"):
        if sign in text:
            yield text[-1500:]
    expected = expected_statuses(condition, usual)
    if ended.status not in expected:
        yield f"status {ended.status}, expected {expected}: {text[-800:]}"
    _, out, err = (kind in (*LOST, CLOSED) for kind in condition.streams)
    is_due = (not err and usual.err) or (not out and usual.out) or (not err and ended.status != usual.status)
    if ended.status not in (0, PIPE_CLOSED) and is_due and not text.strip():
        yield f"status {ended.status} without a message"
    if condition.environment.get("TERM") == "dumb" and "\x1b" in text:
        yield f"control sequences: {text[:300]!r}"
    if _shows_the_same(condition) and _plain(ended.out) != _plain(usual.out):
        yield f"prints {ended.out[:500]!r}, not {usual.out[:500]!r}"
    yield from _faults_of_files(usual, ended)


def expected_statuses(condition: Condition, usual: Ended) -> set[int]:
    """The exit codes that are right: the usual one, unless there is output that cannot be written."""
    if condition.folder and condition.streams[1] in LOST and usual.out:
        return {PIPE_CLOSED if condition.streams[1] == BROKEN else WRONG}
    if condition.is_relative:
        return {usual.status, WRONG}
    return {usual.status}


def _shows_the_same(condition: Condition) -> bool:
    is_text = condition.streams[1] == FILE
    return is_text and condition.folder and not condition.environment


def _plain(text: str) -> str:
    """Output without numbers, which hold times."""
    return re.sub(r"[0-9.,]+(e-?[0-9]+)?( [mµn]?s)?|\s+", "0", text)


def _faults_of_files(usual: Ended, ended: Ended) -> Iterator[str]:
    if unknown := set(ended.files) - set(usual.files):
        yield f"leaves {sorted(unknown)}"
    if ended.status == usual.status and (lacking := set(usual.files) - set(ended.files)):
        yield f"does not write {sorted(lacking)}"
    for name in set(usual.files) & set(ended.files):
        now, then = ended.files[name], usual.files[name]
        if now != then and without_times(name, now) != without_times(name, then):
            yield f"{name} is not what is usually written: {now[-200:]!r}, {then[-200:]!r}"


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trial]:
    made = Trial(tmp_path_factory.mktemp("adverse"))
    yield made
    made.close()


def test_every_command_has_lines() -> None:
    assert SUCCESS.keys() == REFUSED.keys() == commands().keys()


def _name(line: tuple[str, ...]) -> str:
    return " ".join(line) or "nothing"


NAMES = tuple(CONDITIONS)
HEAVY = ("docs", "survey", "conformance")
SAMPLE = [
    ((name, *rest), NAMES[(2 * number + k) % len(NAMES)])
    for number, (name, rest) in enumerate(SUCCESS.items())
    if name not in HEAVY
    for k in range(2)
]
"""Each command and each condition at least once."""


@pytest.mark.parametrize(("line", "name"), SAMPLE, ids=[f"{line[0]}: {name}" for line, name in SAMPLE])
def test_a_command_keeps_its_promises(line: tuple[str, ...], name: str, trial: Trial) -> None:
    assert not trial.faults(line, name)


def test_the_sample_has_every_condition() -> None:
    assert {name for _, name in SAMPLE} == set(NAMES)


@pytest.mark.parametrize("line", [slow((line,), id=_name(line)) for line in LINES])
def test_a_command_keeps_its_promises_under_every_condition(line: tuple[str, ...], trial: Trial) -> None:
    assert not [fault for name in CONDITIONS for fault in trial.faults(line, name)]


REDIRECTIONS = {
    "no output": ">&-",
    "no streams": "<&- >&- 2>&-",
    "output full": ">/dev/full",
    "both full": ">/dev/full 2>&1",
    "error stream full": "2>/dev/full",
}


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (("check", "BROKEN"), "both full"),
        (("run", "ABSENT"), "error stream full"),
        slow((("run", "MODEL", *FILL, "--save-outputs", "OUT.npz"), "no streams")),
        slow((("compare", "MODEL", *FILL, "--b", "numpy"), "no output")),
        slow((("draw", "--help"), "output full")),
        slow((("weights", "MALFORMED"), "both full")),
    ],
)
def test_a_process_of_its_own_ends_as_the_forked_one(
    line: tuple[str, ...], name: str, trial: Trial, tmp_path: Path
) -> None:
    forked = trial.run(line, CONDITIONS[name])
    by_shell = trial.by_shell(line, REDIRECTIONS[name])
    assert by_shell.status == forked.status
    assert (_plain(by_shell.out), _plain(by_shell.err)) == (_plain(forked.out), _plain(forked.err))
    assert by_shell.files.keys() == forked.files.keys()


def test_the_judge_finds_what_is_wrong() -> None:
    usual = Ended(1, "2 errors", "", {"out.json": b"{}"})

    def faults(name: str, **changes: Any) -> str:
        return " ".join(faults_of(CONDITIONS[name], usual, replace(usual, **changes)))

    assert faults("no input") == ""
    assert "expected {2}" in faults("output full", out="")
    assert "without a message" in faults("output full", out="", status=2)
    assert faults("output full", out="", status=2, err="No space left on device") == ""
    assert "Traceback" in faults("no input", err="Traceback")
    assert "prints" in faults("reader of errors gone", out="1 error in x")
    assert "leaves ['.out.json.0.part']" in faults("no home", files={**usual.files, ".out.json.0.part": b""})
    assert "does not write ['out.json']" in faults("no home", files={})
    assert "is not what" in faults("no home", files={"out.json": b"{"})
    assert "control sequences" in faults("dumb terminal", out="\x1b[1m2 errors")


def test_a_command_that_is_interrupted_does_not_answer_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = Trial(tmp_path)
    usual = trial.usual(("rules",))

    def interrupted(_: Warmed) -> str:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Warmed, "_answer", interrupted)
        with pytest.raises(KeyboardInterrupt):
            trial.run(("check", "BROKEN"), Condition())
    assert trial.run(("rules",), Condition()) == usual
    trial.close()
