"""Long fuzzing runs in slices of some seconds: in this process, in several, or on workers of a cluster."""

from __future__ import annotations

import argparse
import runpy
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

from irops.cli.main import Refusal
from irops.cli.worker_options import add_workers, is_distributed, workers_of
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

    def add(self, part: Slice | Exception) -> dict[str, Any]:
        """Add a slice, or what ended its process; the faults whose signs are new."""
        if isinstance(part, Exception):
            self.signs[f"{type(part).__name__}: {part}"] += 1
            return {}
        new = {sign: fault for sign, fault in part.faults.items() if sign not in self.faults}
        self.faults |= new
        self.signs += part.signs
        self.went += part.went
        return new


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


def fuzz(script: str, description: str | None, keep: Callable[[Path, str, Any], None], **more: str) -> int:
    """The exit status of a program that fuzzes as long as its command line says: 1 if there are faults.

    keep: writes the files of a fault to a folder; more: further options, and what they are by default
    """
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="another number damages files otherwise")
    folder, found = Path("fuzz-found"), "the folder for files that show faults; default: fuzz-found"
    parser.add_argument("--found", type=Path, default=folder, help=found)
    for name, default in more.items():
        parser.add_argument(f"--{name}", default=default, help=f"default: {default}")
    add_workers(parser, jobs="1")
    args = parser.parse_args()
    whole, start, reported = Slice(), monotonic(), monotonic()
    try:
        for part in sliced(args, script, *(getattr(args, name) for name in more)):
            for sign, fault in whole.add(part).items():
                args.found.mkdir(parents=True, exist_ok=True)
                keep(args.found, sign, fault)
            if monotonic() > reported + 60:
                reported = monotonic()
                print(f"{(reported - start) / 60:.0f} minutes, {whole}", flush=True)
    except Refusal as refusal:
        parser.error(str(refusal))
    print(f"{args.minutes:g} minutes, seed {args.seed}, {whole}")
    for sign, count in whole.signs.most_common():
        print(f"{count:8,}  {sign}")
    return bool(whole.signs)
