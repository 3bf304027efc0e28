"""What the programs share that measure: their options, the file of their figures, and the turns that they
take.
"""

import json
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Mapping
from math import inf
from pathlib import Path
from typing import Any


def options_of(description: str | None, rounds: int | None = None) -> ArgumentParser:
    """Options with --json, and --rounds where there is a number of rounds."""
    parser = ArgumentParser(description=description, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the figures here")
    if rounds is not None:
        parser.add_argument("--rounds", type=int, default=rounds)
    return parser


def keep(figures: Any, path: Path | None) -> None:
    if path is not None:
        path.write_text(json.dumps(figures, indent=1) + "\n")


def cpu_seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """Processor time of work, in seconds."""
    start = time.process_time()
    for _ in range(repeats):
        result = work()
    took = (time.process_time() - start) / repeats
    del result  # not timed: OpenVINO frees its model in other threads
    return took


def minimum(
    times: Mapping[str, Callable[[], float]], rounds: int, *, enough: float = inf, budget: float = inf
) -> dict[str, float]:
    """The minimum of the times of each, in seconds, taken in turns.

    times: functions that take a time; enough: what took longer is not done again; budget: seconds after which
    no third round starts
    """
    best, spent = dict.fromkeys(times, inf), 0.0
    for turn in range(rounds):
        if turn > 1 and spent > budget:
            break
        for name, taken in times.items():
            if turn == 0 or best[name] <= enough:
                took = taken()
                best[name], spent = min(best[name], took), spent + took
    return best
