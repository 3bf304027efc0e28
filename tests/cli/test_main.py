"""Behaviour common to all commands: help, exit codes, one-line error messages."""

import signal
from importlib import import_module

import pytest
from commands import python, started

from irops.cli.main import COMMANDS
from irops.cli.parser import RENAMED


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command, irops):
    result = irops(command, "--help")
    assert result.status == 0
    assert "example:\n  irops " + command in result.out
    assert "--quiet" in result.out or command == "server"
    assert all(len(line) <= 80 for line in result.out.splitlines())


def test_the_overview_lists_every_command(irops):
    result = irops("--help")
    assert result.status == 0
    assert all(f"  {name} " in result.out for name in COMMANDS)
    assert all(len(line) <= 80 for line in result.out.splitlines())


def test_the_version_is_printed(irops):
    assert irops("--version").out.startswith("irops ")


def test_an_internal_error_is_one_line_with_instructions(irops, monkeypatch, broken):
    def fail(*_, **__):
        raise RuntimeError("the wheels came off\nand more")

    monkeypatch.setattr(import_module("irops.cli.check"), "check", fail)
    result = irops("check", broken)
    assert result.status == 2
    assert result.err.startswith("irops check: internal error: RuntimeError: the wheels came off\n")
    assert "Please report it" in result.err
    assert "Traceback" not in result.err
    with pytest.raises(RuntimeError):
        irops("check", broken, "--debug")
    monkeypatch.setenv("IROPS_DEBUG", "1")
    with pytest.raises(RuntimeError):
        irops("check", broken)


def test_an_interrupted_command_exits_with_130(irops, monkeypatch, broken):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("irops.cli.check"), "check", interrupt)
    assert irops("check", broken) == (130, "", "irops check: interrupted\n")


@pytest.mark.slow("starts a process")
def test_a_closed_pipe_is_not_an_error(valid_model):
    process = started("-m", "irops", "inspect", valid_model, "--output-format", "json")
    process.stdout.close()
    assert process.wait() == 128 + signal.SIGPIPE
    assert process.stderr.read() == ""
    process.stderr.close()


@pytest.mark.slow("starts a process")
def test_text_outside_the_encoding_is_escaped(tmp_path):
    path = tmp_path / "m.xml"
    layer = '<layer id="0" name="été" type="Sigmoide" version="opset1"/>'
    path.write_text(f'<net name="m" version="11"><layers>{layer}</layers></net>', "utf-8")
    done = python("-m", "irops", "check", path, env={"PYTHONIOENCODING": "ascii"})
    assert 'layer 0 "\\xe9t\\xe9"' in done.stdout
    assert done.stderr == ""


HEAVY = ("rich", "networkx", "jinja2", "importlib.metadata", "asyncio", "multiprocessing", "argcomplete")


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize(
    "option", [*(f"--output-format={form}" for form in ("full", "concise", "json")), "-h"]
)
def test_checking_imports_few_modules(option, tmp_path):
    """networkx is for cycles, rich for terminals."""
    path = tmp_path / "m.xml"
    path.write_text('<net name="m" version="11"><layers/><edges/></net>')
    script = (
        f"import sys; from irops.cli.main import main; main(['check', {str(path)!r}, {option!r}]);"
        f"print(*(n for n in {HEAVY!r} if n in sys.modules), file=sys.stderr)"
    )
    assert python("-c", script).stderr.split() == []


@pytest.mark.slow("starts processes")
@pytest.mark.parametrize("line", ["--help", "explain IR202", "explain IR4"])
def test_help_and_rules_are_shown_without_definitions(line):
    script = (
        f"import sys; from irops.cli.main import main; main({line.split()!r}); heavy = {{'numpy',"
        " 'rich', 'irops.dialects.registry', 'irops.spec.definition'};"
        " print(*(heavy & sys.modules.keys()), file=sys.stderr)"
    )
    done = python("-c", script, cwd="/")
    assert done.stdout
    assert done.stderr.split() == []


def test_importing_irops_imports_no_heavy_module():
    script = f"import sys, irops; print(*(n for n in {('numpy', 'argparse', *HEAVY)!r} if n in sys.modules))"
    assert python("-c", script).stdout.split() == []


@pytest.mark.parametrize("words", RENAMED)
def test_the_old_name_of_an_option_is_understood_and_said_to_be_old(words, irops, reversing):
    _, command, old = words.split()
    given = {"run": (reversing, "--fill", "ones"), "survey": (reversing, "--tasks", "run")}.get(command)
    given = given or (() if command == "conformance" else (reversing, "--fill", "ones", "-o", "OUT"))
    new, result = (irops(command, *given, name, "nobody") for name in (RENAMED[words], old))
    assert result.err.replace(f"irops {command}: {old} is called {RENAMED[words]} now\n", "", 1) == new.err
    assert result.err != new.err
    assert (result.status, new.status) == (2, 2)
