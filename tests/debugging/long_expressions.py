"""Compare the expressions of irops.why with inference, for every size of every layer of many models.

python tests/debugging/long_expressions.py FOLDER [--count N] [--seed S] [--name PART] [--random N] prints
the figures of each model FOLDER/*/model.xml, and the totals. Each expression is evaluated for three random
settings of the sizes of inputs, and compared with the size that inference gives for these inputs; so is its
printed text, with letters for repeated parts, which is parsed again. --random N does the same for N random
graphs.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from random_graphs import Maker
from size_expressions import check_model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--name", default="")
    parser.add_argument("--random", type=int, default=0)
    args = parser.parse_args()
    paths = sorted(path for path in args.folder.glob("*/model.xml") if args.name in path.parent.name)
    chosen = sorted(random.Random(args.seed).sample(paths, min(args.count, len(paths))))
    total: Counter[str] = Counter()
    wrong: list[str] = []
    for seed in range(args.seed, args.seed + args.random):
        counts, different = check_model(Maker(seed).graph.model(), seed)
        total.update(counts)
        wrong.extend(different)
        print(*different[:2], sep="\n", end="\n" if different else "", flush=True)
    print(f"{args.random} random graphs:", dict(total), f"{len(wrong)} wrong", flush=True)
    for path in chosen:
        counts, different = check_model(path, args.seed)
        total.update(counts)
        wrong.extend(different)
        print(
            path.parent.name, dict(counts), f"{len(different)} wrong", *different[:2], sep="\n  ", flush=True
        )
    print(dict(total), f"{len(wrong)} wrong")


if __name__ == "__main__":
    main()
