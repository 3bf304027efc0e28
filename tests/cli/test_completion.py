"""What argcomplete offers for a line, and that a shell gets it."""

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from commands import process
from libraries import Late, needs
from tables import table

import irops
from irops.cli.completion import complete, parser_for
from irops.cli.main import COMMANDS, command_named

pytestmark = needs("argcomplete")
argcomplete = Late("argcomplete")
SEPARATOR = "\013"
FILES = (
    "model.xml",
    "model.bin",
    "net.onnx",
    "notes.txt",
    ".hidden.xml",
    "trace.json",
    "x.npy",
    "models/other.xml",
    "my ops/a.txt",
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with files."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def environment_of(line):
    """What argcomplete gets from a shell about a line whose end is the place of the cursor."""
    return {"_ARGCOMPLETE": "1", "COMP_LINE": line, "COMP_POINT": str(len(line))}


def offered(line):
    """The words that are offered for a line."""

    class Finder(argcomplete.CompletionFinder):  # type: ignore[misc]
        def _init_debug_stream(self):  # by default it takes a file descriptor that may be in use
            argcomplete.io.debug_stream = io.StringIO()

    stream = io.StringIO()
    command = next((word for word in line.split() if word in COMMANDS), "")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment_of(line).items():
            patch.setenv(name, value)
        Finder()(
            parser_for(command, COMMANDS),
            always_complete_options=False,
            exit_method=lambda _: None,
            output_stream=stream,
            default_completer=argcomplete.SuppressCompleter(),
        )
    return {word.strip() for word in stream.getvalue().split(SEPARATOR) if word}


@pytest.mark.parametrize(("line", "expected"), table(__file__, "words_are_offered"))
def test_words_are_offered(line, expected):
    assert offered(line) == set(expected)


@pytest.mark.parametrize(("line", "expected"), table(__file__, "files_are_offered"))
def test_files_are_offered(folder, line, expected):
    assert {word.replace("\\", "") for word in offered(line)} == set(expected)


@pytest.mark.parametrize(("line", "expected"), table(__file__, "names_are_offered"))
def test_names_of_layers_and_tensors_are_offered(folder, line, expected):
    graph = irops.Graph()
    x = graph.parameter("image", "f32[2]")
    graph.result(
        graph.add("Tanh", graph.add("Add", x, np.float32([1, 2]), name="shifted"), name="tan"), "out"
    )
    irops.write(graph, folder / "model.xml")
    assert offered(line) == set(expected)


def test_names_of_files_that_a_terminal_would_obey_are_not_offered(folder):
    (folder / "mo\x1b[2J.xml").write_text("")
    assert offered("irops check mo") == {"model.xml", "models/"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_offered(command):
    options = {name for action in command_named(command)[1]._actions for name in action.option_strings}
    assert offered(f"irops {command} --") == {
        name for name in (*options, "--color", "--verbose", "--debug") if name[:2] == "--"
    }


def test_every_command_is_offered():
    assert offered("irops ") == {*COMMANDS, "help"}


def test_a_library_that_is_missing_is_named(monkeypatch, capsys):
    monkeypatch.setattr(
        "irops.cli.completion.missing_libraries", lambda extra, *names: f"{names} of {extra} is missing"
    )
    assert complete(COMMANDS) == 2
    assert capsys.readouterr().err == "irops: ('argcomplete',) of completion is missing\n"


def test_the_program_answers_a_shell(tmp_path):
    answer = tmp_path / "answer"
    more = {**environment_of("irops insp"), "_ARGCOMPLETE_STDOUT_FILENAME": str(answer)}
    done = subprocess.run([sys.executable, "-m", "irops"], env={**os.environ, **more}, check=False)
    assert (done.returncode, answer.read_text().strip()) == (0, "inspect")


LINES = table(__file__, "lines")
"""What the key Tab makes of a line."""


BASH = """
source ./script; set -- $COMP_LINE; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_python_argcomplete irops "${!#}"; printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.slow("starts a shell and a process for each line")
@pytest.mark.parametrize(("line", "whole"), LINES.items())
def test_bash_gets_the_end_of_a_line(line, whole, folder):
    (folder / "script").write_text(argcomplete.shellcode(["irops"], shell="bash"))
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = process("bash", "-c", BASH, env={**os.environ, **environment_of(line), "PATH": path})
    last = done.stdout.strip()
    assert (done.stderr, whole[-len(last) :]) == ("", last)
