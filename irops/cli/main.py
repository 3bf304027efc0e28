"""irops COMMAND …: import the module of the command, run it, and turn errors into messages and exit codes."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

import irops
from irops.cli.command import (
    FINDINGS,
    INTERRUPTED,
    PIPE_CLOSED,
    REFUSED,
    command_named,
    commands,
    module_of,
    parser_of,
    refuses,
)
from irops.cli.parser import Parser
from irops.cli.streams import escape_unencodable, flush_or_discard, handle_signals, say, secure_streams
from irops.diagnostics.printable import Printable, printable
from irops.diagnostics.suggestions import did_you_mean_word
from irops.files.switches import disabled
from irops.files.urls import is_url, without_credentials
from irops.ir.targets import Unwritable, command_targets
from irops.work.processes.python import forget_current_folder

NO_MEMORY = ("cannot allocate memory", "failed to map segment", "can't start new thread", "out of memory")
"""What the system says when there is no memory for a library or a thread."""
MAX_ERROR = 4000
"""The greatest number of characters of the message of an error."""


class Refusal(Exception):
    """A command cannot be carried out; the message gives the user the reason."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Without `arguments`, use those of this process, and install its signal handlers.
    """
    if arguments is not None:
        return _command(list(arguments))
    secure_streams()
    forget_current_folder()
    handle_signals()
    arguments = sys.argv[1:]
    command = command_named(arguments[0]) if arguments else None
    if command is not None and command.is_guarded:
        from irops.cli.guard import guarded

        return guarded(arguments[0], lambda: _command(arguments))
    status = _command(arguments)
    return leave(status) if command is not None and command.ends_at_once else status


def _command(arguments: list[str]) -> int:
    debug = "--debug" in arguments or bool(os.environ.get("IROPS_DEBUG"))
    escape_unencodable()
    try:
        status = _status([word for word in arguments if word != "--debug"])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed the pipe
        status = PIPE_CLOSED
    except KeyboardInterrupt:
        say(f"irops {printable(arguments[0])}: interrupted", sys.stderr)
        status = INTERRUPTED
    except Exception as error:
        if debug:
            raise
        status = _report_error(" ".join(arguments[:1]), error)
    flush_or_discard()
    return status


def _status(words: list[str]) -> int:
    try:
        return _dispatch(words)
    except SystemExit as end:  # argparse: --help, or wrong usage
        return end.code if isinstance(end.code, int) else REFUSED


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
    if command_named(name) is None:
        meant = did_you_mean_word(name, commands())
        if os.path.exists(name):
            meant = f"; irops check {name} checks this model"
        raise Refusal(f"unknown command {name!r}{meant}; irops --help lists all commands")
    parser = parser_of(name)
    parser.add_argument("--debug", action="store_true", help="print the traceback of an internal error")
    args = parser.parse(arguments[1:])
    for action in parser.written:
        _require_local(action.option_strings[0], getattr(args, action.dest))
    with command_targets(overwrite=getattr(args, "overwrite", False)):
        return module_of(name).execute(args)


def _require_local(option: str, path: str | None) -> None:
    if path is not None and is_url(path):
        raise Refusal(f"{option} {without_credentials(path)} is a URL; irops writes local files only")


def _overview() -> Parser:
    width = max(map(len, commands())) + 2
    lines = "\n".join(f"  {name:{width}}{command.summary}" for name, command in commands().items())
    parser = Parser(
        "irops",
        f"Check, infer, run and document OpenVINO IR models.\n\ncommands:\n{lines}",
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


def _bounded(text: str) -> Printable:
    """A message that may quote a file or an argument: of bounded length, without control characters."""
    from irops.diagnostics.printable import abridged, printable_lines

    return printable_lines(f"{abridged(text, MAX_ERROR)}\n").removesuffix("\n")


def _has_current_folder() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _report_error(command: str, error: Exception) -> int:
    """Print an error for the user; return the exit code."""
    from irops.diagnostics.diagnostic import DiagnosticError

    if isinstance(error, DiagnosticError):
        from irops.cli.findings import print_diagnostics

        print_diagnostics(error.diagnostics, sys.stderr)
        named = command_named(command)
        differs = named is not None and named.says_difference
        return REFUSED if differs or refuses([error.diagnostics[0].name]) else FINDINGS
    of = printable(f"irops {command}".rstrip())
    if _is_out_of_memory(error):
        say(f"{of}: not enough memory", sys.stderr)
        return REFUSED
    expected = isinstance(error, (Refusal, OSError, Unwritable))
    text = str(error) or type(error).__name__
    if isinstance(error, OSError) and error.strerror and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    elif isinstance(error, FileNotFoundError) and not _has_current_folder():
        text = "the current folder was removed"
    if expected:
        say(f"{of}: {_bounded(text)}", sys.stderr)
    else:
        what = f"{printable(type(error).__name__)}: {_bounded(text.splitlines()[0])}"
        say(
            f"{of}: internal error: {what}\nThis is a bug in irops. Please report it with the"
            " model and the output of the same command with --debug.",
            sys.stderr,
        )
    return REFUSED


def leave(status: int) -> int:
    """End this process with a status, after what is registered for its end.

    Python would first free all objects one by one, which takes as long as the check of a small model. Returns
    the status, for Python to end the process, if somebody looks at it from inside: a profiler, a debugger, an
    interactive session, another thread.
    """
    threads = sys.modules.get("threading")
    watched = sys.gettrace() is not None or sys.getprofile() is not None or sys.flags.interactive
    if watched or (threads is not None and threads.active_count() > 1):
        return status
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed, or the reader is gone
            stream.flush()
    os._exit(status)


PLAIN = (KeyError, IndexError, ValueError)


@contextmanager
def argument_errors(prefix: str = "") -> Iterator[None]:
    """Turn a KeyError, an IndexError or a ValueError into a Refusal with its message.

    Errors of derived types pass: a DiagnosticError has findings, which are reported as such.
    """
    try:
        yield
    except PLAIN as error:
        if type(error) not in PLAIN:
            raise
        raise Refusal(f"{prefix}{error.args[0]}") from None
