"""How long models take to be read, inferred and checked, beside OpenVINO reading them (which infers too):

    python tests/benchmarks/reading.py
    python tests/benchmarks/reading.py chain:5000 language-model:32 --rounds 9 --json figures.json

chain:N has N layers of MatMul, Add and ReLU with their constants; language-model:N has N decoder layers with
dynamic shapes, of some 130 nodes each. Times are processor time, so that they do not depend on how many cores
there are; those of functions are the least of some rounds, those of processes the median. Memory is the peak
resident size of a process. Prints ratios; --json FILE writes all figures.
"""

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from frame import cpu_seconds, keep, minimum, options_of
from reading_models import write

MODELS = ("chain:5000", "chain:20000", "language-model:32", "language-model:80")
READ_MODEL = (
    "import sys; sys.modules['openvino_telemetry'] = None; import openvino;"
    " openvino.Core().read_model(sys.argv[1])"
)
CHILD = (
    "import json, resource, subprocess, sys; code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)"
    ".returncode; used = resource.getrusage(resource.RUSAGE_CHILDREN);"
    " print(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))"
)
"""Runs a command and prints its status, its seconds of processor time and its peak megabytes."""


def seconds_of(work: Callable[[], object]) -> float:
    gc.collect()
    return cpu_seconds(work)


def process(*command: str) -> tuple[float, float]:
    """Seconds of processor time and peak megabytes of a process. Python finds its modules compiled, as those
    of an installed program are.
    """
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(Path(tempfile.gettempdir()) / "irops-benchmark-bytecode")
    child = [sys.executable, "-c", CHILD, *command]
    done = subprocess.run(child, capture_output=True, text=True, check=True, env=environment)
    code, seconds, peak = json.loads(done.stdout)
    if code != 0:
        raise RuntimeError(f"{' '.join(command)} ended with status {code}")
    return seconds, peak


def measure(file: Path, rounds: int) -> dict[str, float]:
    """Seconds of each function and process, and megabytes of processes, by name."""
    import openvino

    import irops

    core, model = openvino.Core(), irops.read(file)
    if not irops.check(file).ok:
        raise RuntimeError(f"{file.name} has findings")
    works: dict[str, Callable[[], object]] = {
        "read_model": lambda: core.read_model(file),
        "irops.read": lambda: irops.read(file),
        "irops.infer": lambda: irops.infer(model),
        "irops.check": lambda: irops.check(file),
    }
    figures = minimum({name: partial(seconds_of, work) for name, work in works.items()}, rounds)
    return figures | measure_processes(file, rounds)


def measure_processes(file: Path, rounds: int) -> dict[str, float]:
    reader = (sys.executable, "-c", READ_MODEL, str(file))
    check = (sys.executable, "-m", "irops", "check", "-q", str(file))
    process(*check)  # compiles the modules
    runs: dict[str, list[tuple[float, float]]] = {"openvino": [], "irops check": []}
    for _ in range(rounds):
        runs["openvino"].append(process(*reader))
        runs["irops check"].append(process(*check))
    times = {f"process {name}": statistics.median(run[0] for run in rows) for name, rows in runs.items()}
    return times | {f"memory {name}": min(run[1] for run in rows) for name, rows in runs.items()}


def peer_of(name: str) -> str:
    """What a figure is divided by."""
    what = name.split(maxsplit=1)[0]
    return f"{what} openvino" if what in ("process", "memory") else "read_model"


def main() -> int:
    parser = options_of(__doc__, rounds=5)
    parser.add_argument("models", nargs="*", default=MODELS, help=f"default: {' '.join(MODELS)}")
    args = parser.parse_args()
    everything = {}
    with tempfile.TemporaryDirectory() as folder:
        for spec in args.models:
            figures = everything[spec] = measure(write(spec, Path(folder)), args.rounds)
            print(spec)
            for name, value in figures.items():
                unit = "MB" if name.startswith("memory") else "s"
                ratio = value / figures[peer_of(name)]
                print(f"  {name:26} {value:9.3f} {unit:3} {ratio:6.2f} x OpenVINO", flush=True)
    keep(everything, args.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
