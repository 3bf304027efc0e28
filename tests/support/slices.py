"""Long fuzzing runs in slices of some seconds: in this process, in several, or on workers of a cluster."""

from __future__ import annotations

import argparse
import runpy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

from irops.cli.worker_options import is_distributed, workers_of
from irops.work.serving import Work

SLICE = 20.0
"""Seconds that a slice takes."""


@dataclass
class Slice:
    """What some seconds gave: counts, and for each sign the files that show it, with a description."""

    signs: Counter[str] = field(default_factory=Counter)
    went: Counter[str] = field(default_factory=Counter)
    faults: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        inputs = sum(self.went.values()) + sum(self.signs.values())
        went = ", ".join(f"{count:,} {what}" for what, count in sorted(self.went.items()))
        return f"{inputs:,} inputs: {went}; {len(self.signs)} faults in {sum(self.signs.values()):,} of them"


def prepared_by(script: str, *arguments: Any) -> Work:
    """What the function `prepare` of a Python file returns for arguments."""
    work: Work = runpy.run_path(script)["prepare"](*arguments)
    return work


def sliced(args: argparse.Namespace, script: str, *arguments: Any) -> Iterator[Any]:
    """The results of all slices of args.minutes, as they arrive; Died for one that ended its process.

    script: a file with a function `prepare`, which gets the arguments and returns a function of a slice: the
    source of its random numbers, and its seconds
    """
    total = 60 * args.minutes
    seconds = min(SLICE, total)
    rounds = ceil(total / seconds)
    if not is_distributed(args):
        work = prepared_by(script, *arguments)
        for number in range(rounds):
            yield work((Random(f"{args.seed}-{number}"), seconds))
        return
    with workers_of(args) as workers:
        slices = [(Random(f"{args.seed}-{number}"), seconds) for number in range(rounds * workers.count)]
        path = str(Path(script).resolve())
        for _, result in workers.run(prepared_by, (path, *arguments), slices):
            yield result
