"""Damage files for a given time, and keep a minimal file for each fault that shows.

    python tests/fuzz/long_run.py --minutes 60 --seed 7
    IROPS_CORPUS=folder python tests/fuzz/long_run.py --minutes 60 --seed 7 --found faults
    python tests/fuzz/long_run.py --minutes 60 --scheduler tcp://host:8786

Workers of a cluster need this file under the same path, and tests/support in their PYTHONPATH.
Faults that look alike are one: the first file that shows it is kept, beside it what is broken. Exit status 1
    if there are any.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from time import monotonic

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from minimise import fewer_changes, minimised  # noqa: E402
from mutations import Change, Seed, Stock, changed, drawn  # noqa: E402
from promises import Broken, hold_promises, sign_of  # noqa: E402
from seeds import corpus_seeds, own_seeds  # noqa: E402
from slices import Slice, fuzz  # noqa: E402

MEMORY = 4 << 30
"""Bytes of address space: what takes more fails here, and is a fault."""


class Run:
    """What the slices of a process share: files to damage, and the signs that it has minimal files of."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        own, others = own_seeds(), corpus_seeds()
        self.groups = [group for group in (own, others) if group]
        self.stock = Stock([*own, *others])
        self.folder = Path(tempfile.mkdtemp(prefix="irops-fuzz-"))

    def slice(self, chance: Random, seconds: float) -> Slice:
        result, until = Slice(), monotonic() + seconds
        while monotonic() < until:
            self.once(chance, result)
        return result

    def once(self, chance: Random, result: Slice) -> None:
        """Damage one file, and keep it if irops breaks what it promises of every file."""
        seed, changes = chance.choice(chance.choice(self.groups)), drawn(chance)
        text, weights = changed(seed, changes, self.stock)
        try:
            result.went[hold_promises(text, weights, self.folder)] += 1
        except Broken as broken:
            result.signs[broken.sign] += 1
            if broken.sign not in self.seen:
                self.seen.add(broken.sign)
                result.faults[broken.sign] = self._minimal(seed, changes, broken)

    def _minimal(self, seed: Seed, changes: list[Change], broken: Broken) -> tuple[bytes, bytes, str]:
        def shows(text: bytes, weights: bytes) -> bool:
            return sign_of(lambda: hold_promises(text, weights, self.folder)) == broken.sign

        few = fewer_changes(seed, changes, self.stock, shows)
        kinds = ", ".join(change.kind for change in few)
        return *minimised(*changed(seed, few, self.stock), shows), f"{broken}\nfrom {seed.name}\nby {kinds}\n"


def prepare() -> Callable[[tuple[Random, float]], Slice]:
    """See slices.sliced."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    run = Run()
    return lambda item: run.slice(*item)


def keep(folder: Path, sign: str, fault: tuple[bytes, bytes, str]) -> None:
    text, weights, description = fault
    path = folder / f"{sum(1 for _ in folder.glob('*.txt')):03}.xml"
    path.write_bytes(text)
    if weights:
        path.with_suffix(".bin").write_bytes(weights)
    path.with_suffix(".txt").write_text(description)
    print(f"{path}: {sign} ({', '.join(description.splitlines()[-2:])})", flush=True)


if __name__ == "__main__":
    sys.exit(fuzz(__file__, __doc__, keep))
