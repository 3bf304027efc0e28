"""Rebuild graphs from their pictures: networks of a folder, and random graphs.

python tests/drawing/long_lossless.py [FOLDER] [--random N] [--seed S] [--name PART] draws each model
FOLDER/*/model.xml, and N random graphs from seed S on, folded and unfolded, and prints what is lost.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from random_graphs import Maker
from rebuilt import losses


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--name", default="")
    args = parser.parse_args()
    paths = sorted(args.folder.glob("*/model.xml")) if args.folder is not None else []
    lossless = tried = 0
    for path in (path for path in paths if args.name in path.parent.name):
        start = time.perf_counter()
        found = [*losses(path), *losses(path, unfold=True)]
        tried += 1
        lossless += not found
        seconds = time.perf_counter() - start
        print(f"{path.parent.name}: {len(found)} losses, {seconds:.1f} s", *found[:3], sep="\n  ", flush=True)
    print(f"{lossless} of {tried} networks are rebuilt")
    lossless = 0
    for seed in range(args.seed, args.seed + args.random):
        graph = Maker(seed).graph
        found = [*losses(graph), *losses(graph, unfold=True)]
        lossless += not found
        if found:
            print(f"seed {seed}:", *found[:3], sep="\n  ", flush=True)
    print(f"{lossless} of {args.random} random graphs are rebuilt")


if __name__ == "__main__":
    main()
