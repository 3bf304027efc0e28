"""Plant faults in networks and see whether irops.compare names the layer: hundreds of plants, in hours.

    python tests/debugging/long_planted.py CORPUS --count 500 --seed 0 --report planted.jsonl

CORPUS has a folder for each network, with model.xml and inputs.npz (arrays in the order of the inputs).
Every plant is one line of JSON; the last line printed sums up. tests/debugging/test_planted.py runs a few.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from planting import networks, opened, try_one

import irops


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--report", default="planted.jsonl")
    args = parser.parse_args()
    random = np.random.default_rng(args.seed)
    folders = networks(args.corpus)
    totals = Counter()
    with open(args.report, "a", encoding="utf-8") as report:
        while totals["plants"] < args.count:
            folder = folders[int(random.integers(len(folders)))]
            try:
                row = try_one(*opened(folder), random)
            except irops.DiagnosticError as error:
                row = {"error": str(error)[:300]}
            if row is None:
                continue
            totals["plants"] += 1
            totals.update(key for key, value in row.items() if value is True)
            totals["with_propagated"] += "propagated" in row
            print(json.dumps({"network": folder.name, **row}), file=report, flush=True)
    print(dict(totals))


if __name__ == "__main__":
    main()
