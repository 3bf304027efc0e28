"""irops COMMAND …: finds the command's module, runs it, and turns what goes wrong into a sentence and an exit
code.

0: clean; 1: findings; 2: wrong usage, or a fault of irops itself.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Protocol, cast

import irops
from irops.cli.streams import drop_output, heed_signals, take_any_text

CLEAN, FINDINGS, REFUSED = 0, 1, 2
INTERRUPTED, PIPE_CLOSED = 130, 141  # 128 and the number of the signal, as shells have it
MISUSE = (
    "invalid-input-shape",
    "unknown-input",
    "unknown-backend",
    "unavailable-backend",
    "unfillable-input",
    "malformed-settings",
    "unknown-setting",
    "invalid-setting",
)
"""Rules about what the person gave, not about the model."""
COMMANDS = {
    "check": "say all that is wrong with IR files",
    "infer": "tell the type and shape of every tensor",
    "run": "evaluate a model on given inputs",
    "inspect": "show a model at a glance",
    "translate": "say a model in ops of another dialect",
    "backends": "list what can compute, and which ops each has",
    "conformance": "hold a backend to the definitions",
    "docs": "write the pages of all ops and rules",
    "explain": "explain a rule, a constraint or an op",
    "ops": "list the ops that irops knows",
    "where": "tell which files define an op",
    "new": "begin an op of your own",
}


class Refusal(Exception):
    """A command cannot do what it is asked; the message says why, for the person who asked."""


class Command(Protocol):
    """What a command's module offers."""

    def configure(self, parser: argparse.ArgumentParser) -> None: ...
    def execute(self, args: argparse.Namespace) -> int: ...


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit code. arguments: those of this process if not given, and then its signals are
    heeded, too.
    """
    if arguments is not None:
        return _command(list(arguments))
    heed_signals()
    words = sys.argv[1:]
    if words[:1] == ["run"]:  # maps weights, and calls libraries that compute
        from irops.cli.guard import guarded

        return guarded("run", lambda: _command(words))
    return _command(words)


def _command(words: list[str]) -> int:
    debug = "--debug" in words or bool(os.environ.get("IROPS_DEBUG"))
    take_any_text()
    try:
        status = _dispatch([word for word in words if word != "--debug"])
        sys.stdout.flush()
    except SystemExit as end:  # argparse: --help, or wrong usage
        return end.code if isinstance(end.code, int) else REFUSED
    except BrokenPipeError:  # the reader of a pipe has seen enough
        drop_output()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        print(f"irops {words[0]}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        if debug:
            raise
        return _told(words[0], error)
    return status


def _dispatch(words: list[str]) -> int:
    if not words:
        _overview().print_help()
        return REFUSED
    if words[0].startswith("-"):
        _overview().parse_args(words)
    name = words[0]
    if name not in COMMANDS:
        raise Refusal(f"there is no command {name!r}{_nearest(name)}; irops --help lists them all")
    command = cast(Command, import_module(f"irops.cli.{name}"))
    parser = argparse.ArgumentParser(
        prog=f"irops {name}",
        description=command.__doc__,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.configure(parser)
    parser.add_argument("--debug", action="store_true", help="show where in irops an internal error arose")
    return command.execute(parser.parse_args(words[1:]))


def _overview() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS)) + 2
    commands = "\n".join(f"  {name:{width}}{what}" for name, what in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="irops",
        usage="irops COMMAND ...",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
        description=f"Check, infer, run and document OpenVINO IR models.\n\ncommands:\n{commands}",
        epilog=(
            "example:\n  irops check model.xml\n\nirops COMMAND --help tells more.\n"
            "Exit codes: 0 clean, 1 findings, 2 wrong usage or a fault of irops."
        ),
    )
    parser.add_argument("--version", action="version", version=f"irops {irops.__version__}")
    return parser


def _nearest(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, COMMANDS, 1)
    return f"; did you mean {near[0]}?" if near else ""


def _told(command: str, error: Exception) -> int:
    """Tell a person of an error; the exit code."""
    from irops.diagnostics.diagnostic import DiagnosticError

    if isinstance(error, DiagnosticError):
        from irops.cli.findings import tell

        tell(error.diagnostics, sys.stderr)
        return REFUSED if error.diagnostics[0].name in MISUSE else FINDINGS
    expected = isinstance(error, (Refusal, OSError))
    text = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    if expected:
        print(f"irops {command}: {text}", file=sys.stderr)
    else:
        print(
            f"irops {command}: internal error: {type(error).__name__}: {text.splitlines()[0]}\nThis is a"
            " fault of irops. Please report it with the model and the output of the same command with"
            " --debug.",
            file=sys.stderr,
        )
    return REFUSED
