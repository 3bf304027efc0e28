"""Compare correct networks with correct runtimes, and count the false alarms: hundreds of networks, in hours.

    python tests/debugging/long_zoo.py CORPUS --count 40 --seed 0 --report zoo.jsonl

CORPUS has a folder for each network, with model.xml, inputs.npz, io.json and ov.npz (results of OpenVINO).
Each case is one line of JSON; the last line printed sums up. tests/debugging/test_zoo.py runs a few.
--conversions compares networks with other conversions of them (NAME__export beside NAME) and with renamed
copies, in place of runtimes. Networks that the report has already are left out, so that the same command
continues an interrupted run. --plants N plants faults in one of two conversions that give equal results, and
counts how many are named.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from planted_models import effect_of
from planted_pairs import is_named, pair_row
from zoo import DEFAULT, F32, conversions, layer_cases, opened, stored_case

import irops
from irops.debugging.sources.source import SourceFailed

MODES = ("propagated", "isolated")
SOURCES = {"f32": F32, "default": DEFAULT}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="names of networks, separated by commas")
    parser.add_argument("--greatest", type=int, default=1 << 40, metavar="BYTES", help="of a network's files")
    parser.add_argument("--conversions", action="store_true")
    parser.add_argument(
        "--mode", action="append", choices=MODES, help="default: both; conversions: propagated"
    )
    parser.add_argument("--source", action="append", choices=SOURCES, help="default: both")
    parser.add_argument("--plants", type=int, metavar="N", help="in pairs of conversions")
    parser.add_argument("--report", default="zoo.jsonl")
    args = parser.parse_args()
    if args.plants:
        with open(args.report, "a", encoding="utf-8") as report:
            print(planted_in_pairs(args, report))
        return
    folders = [
        path.parent
        for path in sorted(Path(args.corpus).glob("*/model.xml"))
        if sum(file.stat().st_size for file in path.parent.glob("model.*")) <= args.greatest
        and not (args.conversions and "__" in path.parent.name)
    ]
    order = np.random.default_rng(args.seed).permutation(len(folders))[: args.count]
    chosen = [folders[index] for index in order]
    if args.only:
        chosen = [Path(args.corpus) / name for name in args.only.split(",")]
    if Path(args.report).exists():
        done = {json.loads(line)["network"] for line in Path(args.report).read_text("utf-8").splitlines()}
        chosen = [folder for folder in chosen if folder.name not in done]
    totals = Counter()
    with open(args.report, "a", encoding="utf-8") as report:
        for folder in chosen:
            start = time.monotonic()
            try:
                analysis, inputs, expected = opened(folder)
                if args.conversions:
                    modes = args.mode or ["propagated"]
                    outcomes = list(conversions(folder, analysis, inputs, modes))
                else:
                    outcomes = [stored_case(folder.name, analysis, inputs, expected)]
                    for name in args.source or SOURCES:
                        source, modes = SOURCES[name], args.mode or MODES
                        outcomes.extend(layer_cases(folder.name, analysis, inputs, source, modes))
                rows = [outcome.row() for outcome in outcomes]
            except (irops.DiagnosticError, SourceFailed) as error:
                rows = [{"network": folder.name, "case": "error", "error": str(error)[:300]}]
            for row in rows:
                totals["cases"] += 1
                totals["errors"] += "error" in row
                totals["cases with alarms"] += bool(row.get("alarms"))
                totals["cases with false alarms"] += bool(row.get("false"))
                totals["silent cases"] += bool(row.get("silent"))
                print(
                    json.dumps({**row, "seconds": round(time.monotonic() - start, 1)}),
                    file=report,
                    flush=True,
                )
    print(dict(totals))


def planted_in_pairs(args, report) -> dict[str, int]:
    """Plant faults in one of two conversions, one line of the report each; counts."""
    random, totals = np.random.default_rng(args.seed), Counter()
    pairs, equal = list(pairs_of(Path(args.corpus), args.only, args.greatest)), {}
    while totals["plants"] < args.plants and pairs:
        pair = pairs[int(random.integers(len(pairs)))]
        seed = int(random.integers(2**31))
        start = time.monotonic()
        try:
            (a, _, _), (b, inputs, _) = map(opened, pair)
            if pair not in equal:
                equal[pair] = effect_of(a.model, b.model, inputs).level == "none"
            if not equal[pair]:
                pairs.remove(pair)
                continue
            row = pair_row(a.model, b.model, inputs, np.random.default_rng(seed), args.mode or MODES)
        except (irops.DiagnosticError, ValueError):
            continue  # the faulty model does not run, or its results have another shape
        if row is None:
            continue
        totals["plants"] += 1
        for mode in args.mode or MODES:
            totals[f"{mode}: results differ"] += row[mode]["results"] == "differ"
            totals[f"{mode}: named"] += is_named(row[mode])
            totals[f"{mode}: explained"] += is_named(row[mode]) and row[mode]["explained"]
        names = [folder.name for folder in pair]
        row = {"pair": names, "seed": seed, **row, "seconds": round(time.monotonic() - start, 1)}
        print(json.dumps(row), file=report, flush=True)
    return dict(totals)


def pairs_of(corpus: Path, only: str, greatest: int):
    """The folders of networks that were converted from the same source, each way round."""
    for path in sorted(corpus.glob("*__*/model.xml")):
        name = path.parent.name.partition("__")[0]
        first = corpus / name
        files = [file for folder in (first, path.parent) for file in folder.glob("model.*")]
        is_small = all(file.stat().st_size <= greatest for file in files)
        if (first / "model.xml").exists() and is_small and (not only or name in only.split(",")):
            yield first, path.parent
            yield path.parent, first


if __name__ == "__main__":
    main()
