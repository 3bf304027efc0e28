"""Let a release of OpenVINO run files; it may crash or hang over each of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Timer
from typing import Any

RUNNER = Path(__file__).with_name("runner.py")


@dataclass(frozen=True)
class Request:
    """A file to run. inputs: an .npz file with its inputs in order; types, shapes: of these

    outputs: the .npz file for its outputs
    """

    xml: Path
    inputs: Path
    types: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    outputs: Path

    def line(self) -> str:
        fields: dict[str, Any] = {
            "xml": str(self.xml),
            "inputs": str(self.inputs),
            "types": self.types,
            "shapes": self.shapes,
            "outputs": str(self.outputs),
        }
        return json.dumps(fields) + "\n"


def runs(
    requests: Sequence[Request], packages: Path | None, timeout: float = 120
) -> Iterator[tuple[Request, str]]:
    """Each request, and why the release did not run it, "" where it did.

    packages: the folder of a release, as in asking.refusals; timeout: seconds for each file
    """
    environment = dict(os.environ)
    if packages is not None:
        environment["PYTHONPATH"] = os.pathsep.join((str(packages), str(packages.parent / "numpy1")))
    process: subprocess.Popen[str] | None = None
    for request in requests:
        if process is None:
            process = subprocess.Popen(
                [sys.executable, "-s", str(RUNNER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=environment,
            )
        answer = _answer(process, request, timeout)
        if answer is None:
            process.kill()
            process.communicate()
            process, answer = None, "the process crashed or did not answer"
        yield request, answer
    if process is not None:
        process.kill()
        process.communicate()


def _answer(process: subprocess.Popen[str], request: Request, timeout: float) -> str | None:
    assert process.stdin is not None
    assert process.stdout is not None
    watch = Timer(timeout, process.kill)
    watch.start()
    try:
        process.stdin.write(request.line())
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("["):
                return str(json.loads(line)[1])
        return None
    except BrokenPipeError:
        return None
    finally:
        watch.cancel()
