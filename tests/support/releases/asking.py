"""Ask a release of OpenVINO which files it reads; each release runs in processes of its own."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from commands import python_process

WORKER = Path(__file__).with_name("worker.py")
CRASHED = "the process that read the file crashed"


def refusals(files: Sequence[Path], packages: Path | None = None, worker: Path = WORKER) -> dict[Path, str]:
    """Why a release refuses each file, "" for those that it reads.

    packages: the folder of a release that pip installed with --target, beside a folder numpy1 with a NumPy
    below 2 for releases before 2024.3; by default the OpenVINO of this environment. worker: the script that
    takes the files from standard input.
    """
    answers: dict[Path, str] = {}
    while len(answers) < len(files):
        ahead = files[len(answers) :]
        answers.update(_answers(ahead, packages, worker))
        if len(answers) < len(files):
            answers[files[len(answers)]] = CRASHED
    return answers


def _answers(files: Sequence[Path], packages: Path | None, worker: Path) -> dict[Path, str]:
    """The answers of one process, up to the file that crashes it."""
    environment = dict(os.environ)
    if packages is not None:
        environment["PYTHONPATH"] = os.pathsep.join((str(packages), str(packages.parent / "numpy1")))
    done = python_process("-s", str(worker), input="".join(f"{file}\n" for file in files), env=environment)
    if done.returncode > 0:
        raise RuntimeError(done.stderr)
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("["))
    return {Path(path): why for path, why in lines}


def installed_releases(folder: Path) -> dict[str, Path]:
    """The folders of releases in a folder, by their first two numbers: 2023.0 for 2023.0.0."""
    return {
        ".".join(path.name.split(".")[:2]): path
        for path in sorted(folder.glob("20[0-9][0-9].*"), key=lambda path: path.name.split("."))
        if (path / "openvino").is_dir()
    }
