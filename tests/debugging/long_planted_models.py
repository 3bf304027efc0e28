"""Plant faults in networks and see whether irops.compare reports, names and explains them.

    python tests/debugging/long_planted_models.py CORPUS --count 500 --seed 1 --report planted_models.jsonl

CORPUS has a folder for each network, with model.xml and inputs.npz (arrays in the order of the inputs);
FOLDER/NAME as --network takes some alone. Every plant is one line of JSON: the fault, what it does to the
results by runs in f32 and f64, and the answer of each mode. The last line printed sums up. --failures
prints the cases of a report that fail.
"""

from __future__ import annotations

import argparse
import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from time import monotonic

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from model_faults import KINDS, plant
from planted_models import MODES, judged, summary

import irops


def networks(folder: str, patterns: list[str], greatest: int) -> list[Path]:
    """The folders of networks whose files take at most so many bytes."""
    folders = sorted(path.parent for path in Path(folder).glob("*/model.xml"))
    return [
        path
        for path in folders
        if (not patterns or any(fnmatchcase(path.name, pattern) for pattern in patterns))
        and sum(file.stat().st_size for file in (path / "model.xml", path / "model.bin") if file.exists())
        <= greatest
    ]


def rows(args: argparse.Namespace):
    """One row a plant, until there are enough or the time is over."""
    folders = networks(args.corpus, args.network, args.greatest)
    random, done, end = np.random.default_rng(args.seed), 0, monotonic() + args.seconds
    while done < args.count and monotonic() < end:
        folder = folders[int(random.integers(len(folders)))]
        seed = int(random.integers(2**31))
        row = one(folder, seed, tuple(args.kind or KINDS), args.mode or MODES, only_clear=args.clear)
        if row is not None:
            done += 1
            yield row


def one(folder: Path, seed: int, kinds: tuple[str, ...], modes: tuple[str, ...], *, only_clear: bool = False):
    """The row of the plant of a seed in a network; None where there is none.

    only_clear: compare only where the results change for certain
    """
    random = np.random.default_rng(seed)
    model = irops.read(folder / "model.xml")
    with np.load(folder / "inputs.npz") as stored:
        inputs = [stored[name] for name in stored.files]
    planted = plant(model, random, kinds)
    if planted is None:
        return None
    wrong, fault = planted
    begin = monotonic()
    try:
        row = judged(model, wrong, fault, inputs, random, modes, only_clear=only_clear)
    except (irops.DiagnosticError, ValueError):
        return None  # the faulty model does not run, or has results of another shape
    except Exception as error:  # irops must refuse a model by a diagnostic
        return {
            "network": folder.name,
            "seed": seed,
            "kind": fault.kind,
            "crash": f"{type(error).__name__}: {error}",
        }
    return {"network": folder.name, "seed": seed, **row, "seconds": round(monotonic() - begin, 1)}


def failing(row) -> list[str]:
    """The modes in which a plant that matters is not reported, named or explained."""
    if row.get("effect") != "clear":
        return []
    return [mode for mode in MODES if mode in row and not _is_right(row[mode])]


def _is_right(answer) -> bool:
    is_reported = answer["ok"] is False and answer["results"] == "differ"
    return is_reported and answer["named"] and answer["explained"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--network", action="append", default=[], metavar="PATTERN")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--mode", action="append", choices=MODES)
    parser.add_argument("--greatest", type=int, default=600_000, metavar="BYTES", help="of a network's files")
    parser.add_argument("--clear", action="store_true", help="compare only where results change for certain")
    parser.add_argument("--report", default="planted_models.jsonl")
    parser.add_argument("--again", metavar="REPORT", help="plant the failing cases of a report again")
    parser.add_argument("--failures", action="store_true", help="only print the failing cases of --report")
    args = parser.parse_args()
    if args.failures:
        known = [json.loads(line) for line in Path(args.report).read_text("utf-8").splitlines()]
        for row in known:
            for mode in failing(row):
                found = row[mode]
                print(
                    f"{row['network']} {row['seed']} [{mode}] {row['kind']} at {row['names']} "
                    f"({row['detail']}), size {row['size']:.2g}: ok={found['ok']} "
                    f"results={found['results']} first={found['first']!r} named={found['named']} "
                    f"cause={found['cause']!r} {found['error']}"
                )
        print(json.dumps(summary(known), indent=1))
        return
    if args.again:
        failed = [json.loads(line) for line in Path(args.again).read_text("utf-8").splitlines()]
        again = [
            one(
                Path(args.corpus) / row["network"],
                row["seed"],
                tuple(args.kind or KINDS),
                tuple(failing(row)),
            )
            for row in failed
            if failing(row)
        ]
        stream = (row for row in again if row is not None)
    else:
        stream = rows(args)
    found = []
    with open(args.report, "a", encoding="utf-8") as report:
        for row in stream:
            found.append(row)
            print(json.dumps(row), file=report, flush=True)
    print(json.dumps(summary(found), indent=1))


if __name__ == "__main__":
    main()
