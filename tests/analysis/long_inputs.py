"""Generate inputs for the models of a corpus and see whether they suit: sizes, inference, a run, indices.

    python tests/analysis/long_inputs.py CORPUS --seed 7 --seconds 60 --report inputs.jsonl

CORPUS has a folder for each model, with model.xml. Without --seed, a fresh one is drawn and printed. Every
model is one line of JSON; the last line printed sums up.
"""

from __future__ import annotations

import argparse
import json
import secrets
import signal
from collections import Counter
from pathlib import Path

import numpy as np

import irops
from irops.analysis.model_analysis import analyse
from irops.analysis.synthetic_inputs.generate import synthetic_inputs


def judged(path, seed):
    """What the inputs of one model are like, and how a run of the reference ends."""
    analysis = analyse(irops.read(path))
    chosen = synthetic_inputs(analysis, seed=seed)
    inferred = analysis.infer({position: array.shape for position, array in chosen.arrays.items()})
    row = {
        "open": any(entry.is_assumed for entry in chosen.inputs),
        "size 1": any(entry.ones for entry in chosen.inputs),
        "inference errors": bool(chosen.errors) or inferred.has_errors,
        "inputs": chosen.lines,
    }
    results = irops.run(analysis, chosen.arrays, keep="all")
    row["warnings"] = sorted({str(finding.constraint or finding.code) for finding in results.warnings})
    row["indices out of range"] = int(sum(_is_out_of_range(analysis, inferred, results)))
    return row


def _is_out_of_range(analysis, inferred, results):
    """For each Gather of the outermost graph whose inputs were kept, whether an index is none of its data."""
    for node in analysis.root.order:
        if node.layer.type not in ("Gather", "GatherElements"):
            continue
        values = []
        for source in analysis.root.wiring.inputs[node.layer.id]:
            layer, output = source
            values.append(results.get(layer.name if len(layer.outputs) < 2 else f"{layer.name}:{output}"))
        data, indices = values[:2]
        if data is None or indices is None or not indices.size:
            continue
        facts = inferred.of(node.layer.id)
        axis = int(np.ravel(values[2])[0]) if len(values) > 2 else facts.attributes["axis"]
        wide = indices.astype(np.int64)
        yield wide.min() < -data.shape[axis] or wide.max() >= data.shape[axis]


def _late(*_):
    raise TimeoutError


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31))
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--report", default="inputs.jsonl")
    args = parser.parse_args()
    signal.signal(signal.SIGALRM, _late)
    totals = Counter()
    with open(args.report, "w", encoding="utf-8") as report:
        for path in sorted(args.corpus.glob("*/model.xml")):
            signal.alarm(args.seconds)
            try:
                row = judged(path, args.seed)
            except irops.DiagnosticError as error:
                row = {"refused": str(error)[:300]}
            except TimeoutError:
                row = {"timeout": True}
            finally:
                signal.alarm(0)
            totals["models"] += 1
            totals.update(key for key, value in row.items() if value and key != "inputs")
            print(json.dumps({"model": path.parent.name, **row}), file=report, flush=True)
    print(f"seed {args.seed}:", dict(totals))


if __name__ == "__main__":
    main()
