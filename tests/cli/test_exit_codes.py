"""Every command ends with the exit codes that its help states: 0 success, 1 findings, 2 wrong usage (in
test_wrong_usage).
"""

import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from commands import ROOT, process

from irops.cli.main import COMMANDS, command_named
from irops.cli.parser import exit_codes

TEXT = Path(__file__).with_name("exit_codes.txt").read_text("utf-8")
SUCCESS, FINDINGS = (
    [
        pytest.param(line, marks=pytest.mark.slow(why) if why else ())
        for line, why in re.findall(r"^irops (.*?)(?:  # (.*))?$", part, re.MULTILINE)
    ]
    for part in re.split(r"^\d$", TEXT, flags=re.MULTILINE)[1:]
)


def commands_of(lines):
    return {line.values[0].split()[0] for line in lines}


@pytest.fixture(autouse=True)
def served(monkeypatch):
    """What irops server is started with, which ends at once."""
    calls = []
    monkeypatch.setattr("irops.server.features.serve", lambda *arguments: calls.append(arguments))
    return calls


@pytest.mark.parametrize("line", SUCCESS)
def test_success_is_0(line, words, irops):
    assert irops(*words(line)).status == 0


@pytest.mark.parametrize("line", FINDINGS)
def test_findings_are_1(line, words, irops):
    result = irops(*words(line))
    assert result.status == 1
    assert re.search(r"error\s+(IR|OD)\d+", result.out + result.err)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_states_the_codes(command, irops):
    assert command in commands_of(SUCCESS)
    text = irops(command, "--help").out
    assert text.endswith(exit_codes(command_named(command)[0].EXIT_1) + "\n")
    assert ("\n  1  " in text) is (command in commands_of(FINDINGS))


def test_a_warning_is_1_only_with_strict(irops, broken):
    warned = broken.with_name("IR209.xml")
    assert irops("check", warned).status == 0
    assert irops("check", warned, "--strict").status == 1
    assert irops("check", warned, "--strict", "--exit-zero").status == 0
    assert irops("check", warned, "--strict", "--ignore", "IR209,IR304").status == 0


NUMBERS = ("-1", "0", "1e400", "9" * 400, "nan", "")
FORMS = {"N": "", "S": "", "BYTES": "", "[NAME=]NUMBER": "", "NAME=VALUE": "depth="}
"""How helps call a number, and what is before it."""


@pytest.mark.parametrize("line", SUCCESS)
def test_a_number_of_any_size_is_taken_or_refused(line, words, irops):
    command = line.split()[0]
    options = [a for a in command_named(command)[1]._actions if a.option_strings and a.metavar in FORMS]
    for option, number in product(options, NUMBERS):
        result = irops(*words(line), f"{option.option_strings[0]}={FORMS[option.metavar]}{number}")
        assert result.status in (0, 1, 2)
        assert "internal error" not in result.err
        assert result.status < 2 or result.err.splitlines()[-1].startswith(f"irops {command}: ")


STREAMS = {
    "closed": ('exec "$@" >&- 2>&-', {0}, ""),
    "full": ('exec "$@" >/dev/full', {0, 2}, "No space left on device"),
    "full of errors": ('exec "$@" 2>/dev/full', {0, 2}, ""),
    "a pipe that nobody reads": ('"$@" | true', {0}, ""),
    "no home, no terminal": ('unset HOME TERM; LC_ALL=C PYTHONUTF8=0 exec setsid "$@"', {0}, ""),
    "no folder": ('mkdir a; cd a; rmdir ../a; exec "$@"', {0, 2}, "current folder does not|No such file or"),
}
"""Shell commands around a line, how it may end, and the reason that it gives for 2."""
FAST = ("run MODEL --fill ones", "compare MODEL --fill ones --b reference")
SLOW = pytest.mark.slow("starts every command in a process")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("way", STREAMS)
@pytest.mark.parametrize(
    "line", [line if line.values[0] in FAST else pytest.param(*line.values, marks=SLOW) for line in SUCCESS]
)
def test_streams_and_folders_that_are_gone_are_no_internal_error(line, way, words, tmp_path):
    script, statuses, reason = STREAMS[way]
    command = ("sh", "-c", f"unset PYTHONUNBUFFERED; {script}", "sh", sys.executable, "-m", "irops")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = process(*command, *words(line), stdin=subprocess.DEVNULL, cwd=tmp_path, env=environment)
    assert done.returncode in statuses, done.stderr
    assert not re.search("Traceback|Exception ignored|internal error", done.stderr)
    assert done.returncode == 0 or re.search(reason, done.stderr)


def test_a_value_of_an_input_is_given_in_one_way_to_infer_and_run(irops, reversing, tmp_path):
    np.save(tmp_path / "l.npy", np.array([2, 1], np.int32))
    file = f"lengths={tmp_path / 'l.npy'}"
    result = irops("infer", reversing, "--input", file, "--shape", "x:2,3", "--ends")
    assert result.status == 0
    assert "[2, 1]" in result.out
    assert irops("run", reversing, "--input", file, "--shape", "x:2,3", "--fill", "ones").status == 0


def test_options_reach_the_server(irops, served):
    words = ("--stdio", "--limit", "seconds=7", "--docs", "https://example.org/irops")
    assert irops("server", *words).status == 0
    ((options,),) = served
    assert (options.limits.seconds, options.docs) == (7, "https://example.org/irops")
