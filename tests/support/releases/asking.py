"""Ask a release of OpenVINO what it does with files; each release runs in processes of its own, which may
crash or hang over any of them.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Timer

WORKER = Path(__file__).with_name("worker.py")
CRASHED = "the process that read the file crashed"
SECONDS = 120
"""How long an answer may take."""


def refusals(files: Sequence[Path], packages: Path | None = None, action: str = "read") -> dict[Path, str]:
    """Why a release does not do with each file what worker.py calls an action, "" where it does.

    packages: the folder of a release that pip installed with --target, beside a folder numpy1 with a NumPy
    below 2 for releases before 2024.3; by default the OpenVINO of this environment.
    """
    environment = dict(os.environ)
    if packages is not None:
        environment["PYTHONPATH"] = os.pathsep.join((str(packages), str(packages.parent / "numpy1")))
    process: Popen[str] | None = None
    found: dict[Path, str] = {}
    for file in files:
        if process is None:
            command = [sys.executable, "-s", str(WORKER)]
            process = Popen(command, stdin=PIPE, stdout=PIPE, text=True, env=environment)
        answer = _answer(process, {"xml": str(file), "action": action})
        if answer is None:
            _end(process)
            process = None
        found[file] = CRASHED if answer is None else answer
    if process is not None:
        _end(process)
    return found


def _answer(process: Popen[str], request: Mapping[str, str]) -> str | None:
    assert process.stdin is not None
    assert process.stdout is not None
    watch = Timer(SECONDS, process.kill)
    watch.start()
    with suppress(BrokenPipeError):
        process.stdin.write(json.dumps(request) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith('"'):  # and is not what OpenVINO itself prints
                watch.cancel()
                return str(json.loads(line))
    watch.cancel()
    return None


def _end(process: Popen[str]) -> None:
    process.kill()
    process.communicate()


def installed_releases(folder: Path) -> dict[str, Path]:
    """The folders of releases in a folder, by their first two numbers: 2023.0 for 2023.0.0."""
    return {
        ".".join(path.name.split(".")[:2]): path
        for path in sorted(folder.glob("20[0-9][0-9].*"), key=lambda path: path.name.split("."))
        if (path / "openvino").is_dir()
    }
