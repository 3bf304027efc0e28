"""Starts Pythons that find no module in the current folder, which may hold anybody's files: unless the person
has named it in PYTHONPATH, or the program that calls irops lies there.
"""

import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subprocess import Popen


PACKAGE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
"""The folder that holds the package irops."""


def start_python(
    module: str, *arguments: str, more: dict[str, str] | None = None, **options: Any
) -> "Popen[Any]":
    """Start `python -P -m module arguments`. more: variables of its environment; options: of Popen"""
    from subprocess import Popen  # as slow to import as a small command

    own = {"PYTHONPATH": os.pathsep.join(paths_of_children()), "PYTHONSAFEPATH": "1"}
    environment = {**os.environ, **own, **(more or {})}
    return Popen([sys.executable, "-P", "-m", module, *arguments], env=environment, **options)


def start_command(words: Sequence[str], **options: Any) -> "Popen[Any]":
    """Start a command, without input and output, in a session of its own. Where processes can be copied, a
    guard in its process group kills the group once this process has ended, whatever ended it.

    options: of Popen. Raises: OSError
    """
    from subprocess import DEVNULL, PIPE, Popen

    options = {"stderr": DEVNULL, "start_new_session": True, **options}
    if not hasattr(os, "fork"):
        return Popen(words, stdin=DEVNULL, stdout=DEVNULL, **options)
    # the input ends with this process, the output once the command has taken the place of Python
    guarded = [sys.executable, "-I", "-S", __file__, *words]
    process = Popen(guarded, stdin=PIPE, stdout=PIPE, **options)
    assert process.stdout is not None
    with process.stdout as answer:
        number = int(answer.read() or b"0")
    if number:
        process.wait()
        raise OSError(number, os.strerror(number))
    return process


def _become_guarded(words: list[str]) -> None:
    """Become a command, once a guard is there; the number of the error is written to the output."""
    lifeline, answer = os.dup(0), os.dup(1)  # which the command does not inherit
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    if not os.fork():
        if not os.fork():  # no child of the command, which may wait for all that it has
            os.close(answer)
            os.read(lifeline, 1)
            os.killpg(0, signal.SIGKILL)
        os._exit(0)
    os.wait()
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores, and a command would, too
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        os.write(answer, str(error.errno).encode())
        os.killpg(0, signal.SIGKILL)


def paths_of_children() -> list[str]:
    """The folders of modules of this process, and that of irops, but not the current folder by accident."""
    paths = [os.path.abspath(path) for path in sys.path if not _is_by_accident(path)]
    return list(dict.fromkeys([*paths, PACKAGE]))


def forget_current_folder() -> None:
    """Take the current folder out of the folders of modules of this process, unless it was asked for."""
    sys.path[:] = [path for path in sys.path if not _is_by_accident(path)]


def _is_by_accident(path: str) -> bool:
    """Whether a folder of sys.path is the current one, and nobody asked for it: Python adds it for -m, -c and
    a prompt, and for an empty entry of PYTHONPATH, such as $PYTHONPATH:/lib has if the variable is not set.
    """
    try:
        here = os.getcwd()
    except OSError:  # it was deleted
        return not path
    if path and os.path.abspath(path) != here:
        return False
    named = (os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path)
    return here not in named and not _has_code_of_this_process(here)


def _has_code_of_this_process(folder: str) -> bool:
    """Whether the program that runs lies in a folder, or has imported modules from it: they are its own."""
    for name, module in list(sys.modules.items()):
        file = None if "." in name else getattr(module, "__file__", None)
        if isinstance(file, str):
            place, base = os.path.split(os.path.abspath(file))
            if folder == (os.path.dirname(place) if base.startswith("__init__.") else place):
                return True
    return False


if __name__ == "__main__":
    _become_guarded(sys.argv[1:])
