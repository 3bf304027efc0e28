"""How fast libraries reverse arrays: python tests/benchmarks/reversing.py [--json FILE] [--only TEXT]
[--seconds N] [--from FILE].

All libraries get the same arrays and write to arrays that they are given, in turns, a few times each, round
by round. The minimum time of each counts: the one with data as warm in the caches as its size allows. The
table has ratios to memcpy (numpy.copyto), the limit of one core that passes through memory once: 1 is as
fast, 0.5 takes twice as long. Results are compared with the reference, and marked (!) where they differ in
any bit.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from frame import keep, options_of
from reversing_cases import cases, layout
from reversing_peers import PEERS, Case, Work, machine
from reversing_tables import aims, table

IN_A_ROW, FOR = 5, 0.003
"""How often one peer works, and for how many seconds, at least, before the next one does: threads of the one
before look for work for a while, and keep a core busy."""
LEAST_ROUNDS, MOST_ROUNDS = 3, 100
SHARE = 0.2
"""What part of the time of a case one peer may take once it has had its least rounds: slow ones must not use
up that of the rest.
"""


def measured(case: Case, seconds: float) -> tuple[dict[str, float], list[str]]:
    """The least time of each peer in seconds, and whose results are wrong. seconds: about how long to
    go on.
    """
    works: dict[str, Work] = {}
    wrong: list[str] = []
    truth = np.empty_like(case.data)
    by_reference = PEERS["reference"](case, truth)
    assert by_reference is not None
    by_reference()
    outs = {name: np.zeros_like(case.data) for name in PEERS}  # foreign libraries know them by address only
    for name, peer in PEERS.items():
        work = peer(case, outs[name])
        if work is not None:
            works[name] = work
            work()
            if name != "memcpy" and outs[name].tobytes() != truth.tobytes():
                wrong.append(name)
    least, spent = dict.fromkeys(works, float("inf")), dict.fromkeys(works, 0.0)
    for turn in range(MOST_ROUNDS):
        if turn >= LEAST_ROUNDS and sum(spent.values()) > seconds:
            break
        for name, work in works.items():
            if turn < LEAST_ROUNDS or spent[name] < SHARE * seconds:
                first, times = time.perf_counter(), 0
                while times < IN_A_ROW or time.perf_counter() - first < FOR:
                    begin = time.perf_counter()
                    work()
                    least[name], times = min(least[name], time.perf_counter() - begin), times + 1
                spent[name] += time.perf_counter() - first
    return least, wrong


def measure(only: str = "", seconds: float = 1.6) -> dict[str, Any]:
    """All cases whose title has a text."""
    found = []
    for about, case in cases():
        title = f"{about['op']} {layout(about)} {about['type']} {about['lengths']}"
        if only in title:
            least, wrong = measured(case, seconds)
            found.append({**about, "seconds": least, "wrong": wrong})
            print(title, file=sys.stderr, flush=True)
    return {"version": 2, "machine": machine(), "cases": found}


def main() -> int:
    parser = options_of(__doc__)
    parser.add_argument("--only", default="", help="only cases whose line in the table has this text")
    parser.add_argument("--seconds", type=float, default=1.6, help="about how long a case is measured")
    parser.add_argument("--from", type=Path, dest="earlier", help="times of an earlier run, instead of a run")
    args = parser.parse_args()
    run = json.loads(args.earlier.read_text()) if args.earlier else measure(args.only, args.seconds)
    print(table(run))
    if not args.only:
        print(aims(run))
    keep(run, args.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
