"""Every system call of every writer, failing in every way: long_injected_failures.py [NAME …]

Prints a line for each writer: how many calls, how many failures, what was left. Takes some minutes.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from injection import WAYS
from writers import WRITERS, Trials


def attempted(name: str) -> int:
    """Try all failures of a writer and print what was left; how many did not leave the old or the new."""
    left: Counter[str] = Counter()
    wrong = 0
    with TemporaryDirectory() as scratch, Trials(name, Path(scratch)) as trials:
        for point in trials.points:
            for how in WAYS:
                try:
                    left[trials.attempt(point, how)] += 1
                except AssertionError as error:
                    wrong += 1
                    print(f"  {how} at {point}: {error}")
        counts = ", ".join(f"{count} {state}" for state, count in left.most_common())
        tried = sum(left.values()) + wrong
        print(f"{name}: {len(trials.points)} calls, {tried} failures: {counts}; {wrong} wrong", flush=True)
    return wrong


def main(names: list[str]) -> int:
    return 1 if sum(attempted(name) for name in names or WRITERS) else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
