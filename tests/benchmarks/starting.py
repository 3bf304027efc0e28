"""How long commands take to start, in times of an empty Python process: python tests/benchmarks/starting.py.

Whole processes, CPU time (user and system), the smallest of several rounds. What irops keeps is in a folder
of this run; "first" is a call that finds nothing there. With a model as argument, also `irops check`, beside
a process in which OpenVINO reads the model. Prints ratios; --json FILE writes them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

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


def cpu_seconds(words: Iterable[str], cache: Path) -> float:
    """The CPU time of a Python process with some arguments. cache: where irops keeps what it keeps"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
        env={**os.environ, "IROPS_CACHE_DIR": str(cache)},
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def smallest(cases: dict[str, list[str]], rounds: int, folder: Path) -> dict[str, float]:
    """The smallest time of each case, measured in turn. A case called "first" finds no cache."""
    best = dict.fromkeys(cases, float("inf"))
    for count in range(rounds):
        for name, words in cases.items():
            fresh = folder / f"{count}-{len(name)}" if name.endswith("first") else folder / "kept"
            best[name] = min(best[name], cpu_seconds(words, fresh))
    return best


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    ratios: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        cases = {"empty": EMPTY} | {name: ["-m", "irops", *words] for name, words in COMMANDS.items()}
        for words in cases.values():
            cpu_seconds(words, folder / "kept")  # makes the index
        best = smallest(cases, args.rounds, folder)
        ratios |= {name: seconds / best["empty"] for name, seconds in best.items() if name != "empty"}
        for model in args.models:
            check = ["-m", "irops", "check", "-q", str(model)]
            best = smallest(
                {"reader": ["-c", READER, str(model)], "first": check, "again": check}, args.rounds, folder
            )
            ratios |= {
                f"check {model.name}, {name}": best[name] / best["reader"] for name in ("first", "again")
            }
    for name, ratio in ratios.items():
        print(f"{name:40} {ratio:6.2f}")
    if args.json:
        args.json.write_text(json.dumps(ratios, indent=2) + "\n")


if __name__ == "__main__":
    main()
