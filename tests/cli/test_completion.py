"""The scripts of irops completion, in the shells that they are for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from shells import Bash, Fish, InteractiveBash, Shell, Zsh

from irops.cli.main import COMMANDS, main
from irops.cli.shells.command_lines import command_lines
from irops.cli.shells.kinds import BY_METAVAR, BY_NAME
from irops.cli.shells.word_lists import word_lists

SHELLS = {"bash": Bash, "zsh": Zsh, "fish": Fish}
FREE = {
    "A,B",
    "ADDRESS",
    "BYTES",
    "CLASS",
    "STATUSES",
    "HOST:PORT",
    "LAYER",
    "LAYER/BODY",
    "LAYERS",
    "N",
    "NAME",
    "NAME:SHAPE",
    "S",
    "URL",
    "V",
    "VALUES",
    "WORDS",
}
"""The metavars of values that people type in full."""
FILES = (
    "model.xml",
    "model.bin",
    "net.onnx",
    "notes.txt",
    "in.npz",
    "x.npy",
    "models/other.xml",
    "my ops/a.txt",
)


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the script for each shell."""
    folder = tmp_path_factory.mktemp("scripts")
    for name in SHELLS:
        with pytest.MonkeyPatch.context() as patch, (folder / f"irops.{name}").open("w") as file:
            patch.setattr("sys.stdout", file)
            assert main(["completion", name]) == 0
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    for name in FILES:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("")
    return folder


@pytest.fixture(scope="module", params=SHELLS)
def shell(request: pytest.FixtureRequest, scripts: Path, folder: Path) -> Iterator[Shell]:
    shell = SHELLS[request.param](scripts / f"irops.{request.param}", folder)
    yield shell
    shell.close()


WORDS = {
    "irops che": {"check"},
    "irops co": {"compare", "completion", "conformance", "convert"},
    "irops --v": {"--version"},
    "irops help insp": {"inspect"},
    "irops completion ": {"bash", "zsh", "fish"},
    "irops cache ": {"show", "clean"},
    "irops check --output-f": {"--output-format"},
    "irops check --output-format ": {"full", "concise", "json", "sarif", "github", "gitlab"},
    "irops check --output-format sa": {"sarif"},
    "irops check model.xml --target 2023.": {"2023.0", "2023.1", "2023.2", "2023.3"},
    "irops check --select IR401": {"IR401"},
    "irops check --ignore dead-": {"dead-layer"},
    "irops explain dangling-e": {"dangling-edge"},
    "irops explain ReverseS": {"ReverseSequence-1"},
    "irops where IR202 ReverseS": {"ReverseSequence-1"},
    "irops backends --op ReverseS": {"ReverseSequence-1"},
    "irops run model.xml --backend nu": {"numba"},
    "irops run model.xml --fill o": {"ones"},
    "irops convert model.xml --target new": {"newest"},
    "irops ops --category act": {"activation"},
    "irops translate model.xml --to on": {"onnx"},
    "irops why model.xml ": set(),
    "irops new ": set(),
    "irops check --jobs ": set(),
    "irops chekc ": set(),
}
FILES_OF = {
    "irops check ": {"model.xml", "net.onnx", "models", "my ops"},
    "irops check --strict model.xml n": {"net.onnx"},
    "irops infer --quiet m": {"model.xml", "models", "my ops"},
    "irops check --weights ": {"model.bin", "models", "my ops"},
    "irops run model.xml --load-inputs i": {"in.npz"},
    "irops check model.xml --definitions m": {"models", "my ops"},
    "irops diff model.xml n": {"net.onnx"},
}


@pytest.mark.slow("real shells")
def test_words_are_offered(shell: Shell) -> None:
    assert shell.offers(WORDS) == WORDS


def test_files_are_offered(shell: Shell) -> None:
    offered = {line: {word.rstrip("/") for word in words} for line, words in shell.offers(FILES_OF).items()}
    assert offered == FILES_OF


@pytest.mark.slow("real shells")
def test_every_command_and_option_is_offered(shell: Shell) -> None:
    options = {
        f"irops {line.command} --": {name for one in line.options for name in one.names if name[:2] == "--"}
        for line in command_lines()
    }
    offered = shell.offers(["irops ", *options])
    assert offered.pop("irops ") >= {*COMMANDS, "help"}
    assert {line: {name.removesuffix("=") for name in names} for line, names in offered.items()} == options


LINES = {
    "irops chec": "irops check",
    "irops check --output-format=sa": "irops check --output-format=sarif",
    "irops check --select IR401,dangling-e": "irops check --select IR401,dangling-edge",
    "irops check --limit dep": "irops check --limit depth=",
    "irops explain onnx:Gather-13": "irops explain onnx:Gather-13",
    "irops explain graiphic:ReverseS": "irops explain graiphic:ReverseSequence",
    "irops compare model.xml --b openvino:C": "irops compare model.xml --b openvino:CPU",
    "irops compare model.xml --b model:ne": "irops compare model.xml --b model:net.onnx",
    "irops run model.xml --input x=x": "irops run model.xml --input x=x.npy",
    "irops check models/o": "irops check models/other.xml",
    "irops check --weights=model.": "irops check --weights=model.bin",
    "irops check my": "irops check my\\ ops/",
}
"""What the key Tab makes of a line; = and : and commas are part of words in each shell in its way."""


@pytest.mark.slow("real shells")
@pytest.mark.parametrize("kind", [InteractiveBash, Zsh])
def test_the_key_tab_completes_a_line(kind: type[Any], scripts: Path, folder: Path) -> None:
    shell = kind(scripts / f"irops.{kind.name}", folder)
    completed = {line: shell.completed(line).rstrip(", ") for line in LINES}
    shell.close()
    assert completed == LINES


def test_fish_offers_the_ends_of_words(scripts: Path, folder: Path) -> None:
    offered = Fish(scripts / "irops.fish", folder).offers(LINES)
    for line, whole in LINES.items():
        start = line.rpartition(" ")[0]
        last = whole.removeprefix(f"{start} ").replace("\\", "")
        assert last in offered[line], line


@pytest.mark.slow("real shells")
def test_the_script_is_found_in_a_folder_of_functions_of_zsh(
    scripts: Path, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "_irops").write_text((scripts / "irops.zsh").read_text())
    start = tmp_path / "start.zsh"
    start.write_text(f"fpath=({tmp_path} $fpath); autoload -U compinit; compinit -u -D")
    shell = Zsh(start, folder)
    assert shell.completed("irops insp").rstrip() == "irops inspect"
    shell.close()


def test_each_value_is_completed_or_free() -> None:
    """A new metavar belongs to irops/cli/shells/kinds.py, or to FREE above."""
    for line in command_lines():
        values = [(one.metavar, one.value, one.names) for one in line.options if one.value is not None]
        values += [(one.metavar, one.value, (f"{line.command} {one.metavar}",)) for one in line.arguments]
        for metavar, value, names in values:
            kinds = metavar in BY_METAVAR or metavar in FREE or any(name in BY_NAME for name in names)
            assert kinds or value.words or metavar == "title", (line.command, names, metavar)


def test_words_that_a_shell_expands_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "irops.cli.shells.word_lists.backend_names", lambda: ("numba", "$(rm -r ~)", "a b", "`x`")
    )
    lists = word_lists()
    assert list(lists["backends"]) == ["numba"]
    assert not [
        word for words in lists.values() for word in words if set(word) & set(" $`'\"\\;&|<>(){}*?~#!\n")
    ]


def test_a_shell_that_is_unknown_is_wrong_usage(irops: Callable[..., Any]) -> None:
    result = irops("completion", "bahs")
    assert (result.status, result.out) == (2, "")
    assert "did you mean bash?" in result.err
