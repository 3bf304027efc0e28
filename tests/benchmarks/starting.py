"""How long commands take to start, in times of an empty Python process: python tests/benchmarks/starting.py.

Whole processes, CPU time (user and system), the smallest of several rounds. With a model as argument, also
`irops check`, beside a process in which OpenVINO reads the model. Prints ratios; --json FILE writes them.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from frame import keep, minimum, options_of

EMPTY = ["-c", "pass"]
COMMANDS = {
    "--help": ["--help"],
    "explain IR202": ["explain", "IR202"],
    "explain ReLU-1": ["explain", "ReLU-1"],
    "explain Relux (unknown)": ["explain", "Relux"],
    "ops": ["ops"],
    "ops --text reverse": ["ops", "--text", "reverse"],
}
READER = (
    "import sys; sys.modules['openvino_telemetry'] = None\n"
    "import openvino; openvino.Core().read_model(sys.argv[1])"
)


def cpu_seconds(words: Iterable[str]) -> float:
    """The CPU time of a Python process with some arguments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = options_of(__doc__, rounds=9)
    parser.add_argument("models", nargs="*", type=Path)
    args = parser.parse_args()
    cases = {"empty": EMPTY} | {name: ["-m", "irops", *words] for name, words in COMMANDS.items()}
    best = minimum({name: partial(cpu_seconds, words) for name, words in cases.items()}, args.rounds)
    ratios = {name: seconds / best["empty"] for name, seconds in best.items() if name != "empty"}
    for model in args.models:
        cases = {"reader": ["-c", READER, str(model)], "check": ["-m", "irops", "check", "-q", str(model)]}
        best = minimum({name: partial(cpu_seconds, words) for name, words in cases.items()}, args.rounds)
        ratios[f"check {model.name}"] = best["check"] / best["reader"]
    for name, ratio in ratios.items():
        print(f"{name:40} {ratio:6.2f}")
    keep(ratios, args.json)


if __name__ == "__main__":
    main()
