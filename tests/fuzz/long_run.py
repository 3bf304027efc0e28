"""Damage files for a given time, and keep a minimal file for each fault that shows.

    python tests/fuzz/long_run.py --minutes 60 --seed 7
    IROPS_CORPUS=folder python tests/fuzz/long_run.py --minutes 60 --seed 7 --found faults

Faults that look alike are one: the first file that shows it is kept, beside it what is broken. Exit status 1
    if there are any.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from time import monotonic

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from minimise import fewer_changes, minimised  # noqa: E402
from mutations import Change, Seed, Stock, changed, drawn  # noqa: E402
from promises import Broken, hold_promises, sign_of  # noqa: E402
from seeds import corpus_seeds, own_seeds  # noqa: E402

MEMORY = 4 << 30
"""Bytes of address space: what takes more fails here, and is a fault."""


class Run:
    """One long run: counts, and files of faults."""

    def __init__(self, found: Path) -> None:
        self.found, self.signs, self.went = found, Counter[str](), Counter[str]()
        own, others = own_seeds(), corpus_seeds()
        self.groups = [group for group in (own, others) if group]
        self.stock = Stock([*own, *others])
        self.folder = Path(tempfile.mkdtemp(prefix="irops-fuzz-"))

    def once(self, chance: Random) -> None:
        """Damage one file, and keep it if irops breaks what it promises of every file."""
        seed, changes = chance.choice(chance.choice(self.groups)), drawn(chance)
        text, weights = changed(seed, changes, self.stock)
        try:
            self.went[hold_promises(text, weights, self.folder)] += 1
        except Broken as broken:
            self.signs[broken.sign] += 1
            if self.signs[broken.sign] == 1:
                self._keep(seed, changes, broken)

    def _keep(self, seed: Seed, changes: list[Change], broken: Broken) -> None:
        def shows(text: bytes, weights: bytes) -> bool:
            return sign_of(lambda: hold_promises(text, weights, self.folder)) == broken.sign

        few = fewer_changes(seed, changes, self.stock, shows)
        text, weights = minimised(*changed(seed, few, self.stock), shows)
        self.found.mkdir(parents=True, exist_ok=True)
        number = sum(1 for _ in self.found.glob("*.txt"))
        path = self.found / f"{number:03}.xml"
        path.write_bytes(text)
        if weights:
            path.with_suffix(".bin").write_bytes(weights)
        kinds = ", ".join(change.kind for change in few)
        path.with_suffix(".txt").write_text(f"{broken}\nfrom {seed.name}\nby {kinds}\n")
        print(f"{path}: {broken.sign} (from {seed.name} by {kinds})", flush=True)

    def __str__(self) -> str:
        inputs = sum(self.went.values()) + sum(self.signs.values())
        went = ", ".join(f"{count:,} {what}" for what, count in sorted(self.went.items()))
        return f"{inputs:,} inputs: {went}; {len(self.signs)} faults in {sum(self.signs.values()):,} of them"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0, help="another number damages files otherwise")
    parser.add_argument(
        "--found",
        type=Path,
        default=Path("fuzz-found"),
        help="the folder for files that show faults; default: fuzz-found",
    )
    args = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    run, chance = Run(args.found), Random(args.seed)
    start, reported = monotonic(), monotonic()
    while monotonic() < start + 60 * args.minutes:
        run.once(chance)
        if monotonic() > reported + 60:
            reported = monotonic()
            print(f"{(reported - start) / 60:.0f} minutes, {run}", flush=True)
    print(f"{args.minutes:g} minutes, seed {args.seed}, {run}")
    for sign, count in run.signs.most_common():
        print(f"{count:8,}  {sign}")
    return bool(run.signs)


if __name__ == "__main__":
    sys.exit(main())
