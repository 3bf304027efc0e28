"""irops COMMAND …: import the module of a command, run it, and turn errors into a message and an exit code.

exit_codes.py lists the exit codes.
"""

# PYTHON_ARGCOMPLETE_OK
import argparse
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from time import perf_counter
from typing import Protocol, cast

import irops
from irops.cli.parser import (
    FINDINGS,
    INTERRUPTED,
    PIPE_CLOSED,
    REFUSED,
    Parser,
    add_common,
    exit_codes,
    refuses,
)
from irops.cli.streams import coloured, discard_output, escape_unencodable, handle_signals
from irops.diagnostics.suggestions import did_you_mean_word
from irops.environment import disabled, no_collection
from irops.files.output import UnwritableModel, noting_files_read
from irops.work.python import forget_current_folder

NO_MEMORY = ("cannot allocate memory", "failed to map segment", "can't start new thread", "out of memory")
"""Messages of the system when there is no memory for a library or a thread."""
MAX_LISTED = 50
"""How many of the files that were read are listed."""
MAX_ERROR = 4000
"""The greatest number of characters of the message of an error."""
COMMANDS = {
    "check": "check IR files and report all problems",
    "infer": "infer the element type and shape of every tensor",
    "run": "evaluate a model on given inputs",
    "why": "explain where a size, a type or a value of a layer comes from",
    "inspect": "summarize a model, or examine its constants",
    "extract": "write a part of a model as a model of its own",
    "diff": "report what differs between two models",
    "compare": "name the layers whose values are wrong",
    "reduce": "find the smallest model that still shows a fault",
    "draw": "draw a model as a picture or a page",
    "convert": "convert a model for another release or dialect",
    "survey": "examine many models, and write one table",
    "backends": "list the backends and the ops each one implements",
    "conformance": "test a backend against the definitions",
    "docs": "write the documentation of all ops and rules",
    "explain": "explain rules, constraints and ops; list all rules",
    "ops": "list the defined ops",
    "new": "create the files of a custom op",
    "server": "serve editors: diagnostics, fixes, hovers, completion",
}


class Refusal(Exception):
    """A command cannot be carried out; the message gives the user the reason."""


class Command(Protocol):
    """The module of a command; its docstring is the help."""

    EXIT_1: str | None
    """The meaning of exit code 1; None for commands that never end with it."""

    def configure(self, parser: argparse.ArgumentParser) -> None: ...
    def execute(self, args: argparse.Namespace) -> int: ...


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Without `arguments`, use those of this process, and install its signal handlers.
    """
    if arguments is not None:
        return _command(list(arguments))
    forget_current_folder()  # first, so that no import finds a module there
    if "_ARGCOMPLETE" in os.environ:  # a shell asks what may follow
        completion = import_module("irops.cli.completion")
        return cast(int, completion.complete(COMMANDS))
    escape_unencodable()
    handle_signals()
    arguments = sys.argv[1:]
    if arguments[:1] in (["run"], ["compare"]):  # maps weights, and calls libraries that compute
        from irops.cli.guard import guarded

        return guarded(arguments[0], lambda: _command(arguments))
    status = _command(arguments)
    gc.freeze()  # else Python looks for garbage among all objects before it ends
    return status


def _command(arguments: list[str]) -> int:
    debug = "--debug" in arguments or bool(os.environ.get("IROPS_DEBUG"))
    escape_unencodable()
    try:
        try:
            status = _dispatch([word for word in arguments if word != "--debug"])
        except SystemExit as end:  # argparse: --help, or wrong usage
            status = end.code if isinstance(end.code, int) else REFUSED
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed the pipe
        discard_output()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        print(f"irops {_bounded(arguments[0])}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        if debug:
            raise
        try:
            status = _report_error(_bounded(arguments[0]), error)
            sys.stdout.flush()
        except OSError:  # one of the streams is full: of Python, the exit code would be another one
            discard_output()
            status = REFUSED
    return status


def _dispatch(arguments: list[str]) -> int:
    try:
        disabled()
    except ValueError as error:
        raise Refusal(str(error)) from None
    if not arguments:
        _overview().print_help()
        return REFUSED
    if arguments[0].startswith("-"):
        _overview().parse(arguments)
    name = arguments[0]
    if name == "help":
        return _dispatch([*arguments[1:2], "--help"])
    if name not in COMMANDS:
        meant = did_you_mean_word(name, COMMANDS)
        if os.path.exists(name):
            meant = f"; irops check {name} checks this model"
        raise Refusal(f"unknown command {name!r}{meant}; irops --help lists all commands")
    command, parser = command_named(name)
    add_common(parser)
    args = parser.parse(arguments[1:])
    start = perf_counter()
    with noting_files_read() as files, coloured(args.color):
        try:
            return command.execute(args)
        finally:
            if args.verbose:
                _report_files(name, list(files.values()), perf_counter() - start)


def _report_files(command: str, files: Sequence[str], seconds: float) -> None:
    from irops.diagnostics.printable import printable

    for file in files[:MAX_LISTED]:
        print(f"irops {command}: read {printable(file)}", file=sys.stderr)
    more = f", {len(files) - MAX_LISTED:,} further files" if len(files) > MAX_LISTED else ""
    print(f"irops {command}: {seconds:,.2f} s{more}", file=sys.stderr)


def command_named(name: str) -> tuple[Command, Parser]:
    """The module of a command, and its parser."""
    with no_collection():  # which would look for garbage among functions and classes again and again
        command = cast(Command, import_module(f"irops.cli.{name}"))
    parser = Parser(f"irops {name}", command.__doc__, exit_codes(command.EXIT_1))
    command.configure(parser)
    return command, parser


def _overview() -> Parser:
    width = max(map(len, COMMANDS)) + 2
    commands = "\n".join(f"  {name:{width}}{what}" for name, what in COMMANDS.items())
    parser = Parser(
        "irops",
        f"Check, infer, run and document OpenVINO IR models.\n\ncommands:\n{commands}",
        "example:\n  irops check model.xml\n\n"
        "irops COMMAND --help, or irops help COMMAND, describes a command.\n"
        "Exit codes: 0 success; 1 findings; 2 wrong usage, a file that cannot be read or\nwritten, or an"
        " internal error.",
        usage="irops COMMAND ...",
    )
    parser.add_argument("--version", action="version", version=f"irops {irops.__version__}")
    return parser


def _is_out_of_memory(error: BaseException | None) -> bool:
    """Whether memory ran out: for an object, for a library that was to be loaded, or for a thread."""
    while error is not None:
        words = str(error).lower()
        if isinstance(error, MemoryError) or any(sign in words for sign in NO_MEMORY):
            return isinstance(error, (MemoryError, ImportError, OSError, RuntimeError, SystemError))
        error = error.__cause__ or error.__context__
    return False


def _bounded(text: str) -> str:
    """A message that may quote a file or an argument: of bounded length, on one line, without control
    characters.
    """
    from irops.diagnostics.printable import abridged, printable

    return printable(abridged(text, MAX_ERROR))


def _report_error(command: str, error: Exception) -> int:
    """Print an error for the user; return the exit code."""
    from irops.diagnostics.diagnostic import DiagnosticError

    if isinstance(error, DiagnosticError):
        from irops.cli.display import print_diagnostics

        print_diagnostics(error.diagnostics, sys.stderr)
        return REFUSED if refuses([error.diagnostics[0].name]) else FINDINGS
    if _is_out_of_memory(error):
        print(f"irops {command}: not enough memory", file=sys.stderr)
        return REFUSED
    expected = isinstance(error, (Refusal, OSError, UnwritableModel))
    text = str(error) or type(error).__name__
    if isinstance(error, FileNotFoundError) and error.filename is None:  # of getcwd
        text = "the current folder does not exist any more"
    elif isinstance(error, OSError) and error.strerror and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    if expected:
        print(f"irops {command}: {_bounded(text)}", file=sys.stderr)
    else:
        what = f"{type(error).__name__}: {_bounded(text.splitlines()[0])}"
        print(
            f"irops {command}: internal error: {what}\nThis is a bug in irops. Please report it with the"
            " model and the output of the same command with --debug.",
            file=sys.stderr,
        )
    return REFUSED
