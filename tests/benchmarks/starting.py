"""How long commands take to start, in times of an empty Python process: python tests/benchmarks/starting.py.

Whole processes, CPU time (user and system), the smallest of several rounds. Prints ratios; --json FILE writes
them.
"""

import resource
import subprocess
import sys
from collections.abc import Iterable
from functools import partial

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


def cpu_seconds(words: Iterable[str]) -> float:
    """The CPU time of a Python process with some arguments."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    args = options_of(__doc__, rounds=9).parse_args()
    cases = {"empty": EMPTY} | {name: ["-m", "irops", *words] for name, words in COMMANDS.items()}
    best = minimum({name: partial(cpu_seconds, words) for name, words in cases.items()}, args.rounds)
    ratios = {name: seconds / best["empty"] for name, seconds in best.items() if name != "empty"}
    for name, ratio in ratios.items():
        print(f"{name:40} {ratio:6.2f}")
    keep(ratios, args.json)


if __name__ == "__main__":
    main()
