"""Plant faults in networks, reduce each, and count how small the models become.

    python tests/debugging/long_reductions.py FOLDER --plants 500 --output report.jsonl

FOLDER has a folder for each network: model.xml, model.bin and inputs.npz, whose arrays are in the order of
the inputs. A fault that does not change the results of its network is drawn anew. With --by sources, the
judge is that of --differs, else a function.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from planted import Plant, Planted, calls_of, random_plant

import irops
from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.debugging.reduce.reduction import NoFault, Reduction, reduce
from irops.diagnostics.diagnostic import EvaluationError
from irops.ir.numpy_files import as_declared
from irops.runtime.session import Session
from irops.verdicts.metrics import difference

DRAWS = 20
"""How often a fault is drawn for a network before the network is left out."""
SMALL = 3


def inputs_of(analysis: ModelAnalysis, path: Path) -> list[Any]:
    """The arrays of a file for the inputs of a model."""
    with np.load(path) as arrays:
        return [
            as_declared(arrays[name], port.fact.element_type)
            for name, port in zip(arrays.files, analysis.signature.inputs)
        ]


class Shows:
    """An oracle: whether a model gives other results with the plant. hits: how often the plant applied"""

    def __init__(self, plant: Plant) -> None:
        self.plant, self.hits = plant, 0

    def __call__(self, model: irops.Model, inputs: Any) -> bool:
        analysis, planted = analyse(model), Planted(self.plant)
        good = Session(analysis).run(inputs)
        try:
            bad = Session(analysis, backends=[planted]).run(inputs)
        except EvaluationError:
            return planted.hits > 0
        finally:
            self.hits = planted.hits
        return any(difference(bad[name], good[name]) for name in good)


def reduction_of(
    analysis: ModelAnalysis, inputs: Any, calls: Any, draw: random.Random, *, by_sources: bool
) -> tuple[Plant, Reduction] | None:
    """A fault that shows, and the reduction of the model; None if none of some draws shows."""
    for _ in range(DRAWS):
        plant = random_plant(calls, draw)
        try:
            if by_sources:
                return plant, reduce(analysis.model, inputs, differs=("reference", Planted(plant)))
            return plant, reduce(analysis.model, inputs, Shows(plant))
        except NoFault:
            continue
    return None


def reports(folder: Path, plants: int, seed: int, *, by_sources: bool) -> Iterator[dict[str, Any]]:
    """An entry for each plant, the networks in turn."""
    networks = sorted(path.parent for path in folder.glob("*/model.xml"))
    random.Random(seed).shuffle(networks)
    count = 0
    while count < plants:
        for network in networks[: plants - count]:
            count += 1
            draw, start = random.Random(f"{seed} {count} {network.name}"), time.monotonic()
            entry: dict[str, Any] = {"network": network.name, "number": count}
            try:
                analysis = analyse(irops.read(network / "model.xml"))
                inputs = inputs_of(analysis, network / "inputs.npz")
                calls = calls_of(analysis, inputs)
                outcome = reduction_of(analysis, inputs, calls, draw, by_sources=by_sources)
            except EvaluationError as error:
                yield {**entry, "error": str(error)[:300]}
                continue
            if outcome is None:
                yield {**entry, "error": "no fault shows"}
                continue
            plant, small = outcome
            shows = Shows(plant)
            yield {
                **entry,
                "kind": plant.kind,
                "op": plant.call.op,
                "exact": plant.exact,
                "at_least": plant.at_least,
                "layers": small.layers,
                "of": small.of,
                "tries": small.tries,
                "stopped": small.stopped,
                "same": shows(small.model, small.inputs) and shows.hits > 0,
                "types": [layer.type for layer in small.model.layers],
                "seconds": round(time.monotonic() - start, 1),
            }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plants", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--by", choices=("function", "sources"), default="function")
    parser.add_argument("--output", type=Path, required=True)
    args = parser.parse_args()
    entries = []
    with args.output.open("w") as file:
        for entry in reports(args.folder, args.plants, args.seed, by_sources=args.by == "sources"):
            entries.append(entry)
            file.write(json.dumps(entry) + "\n")
            file.flush()
    reduced = [entry for entry in entries if "layers" in entry]
    small = sum(entry["layers"] <= SMALL and entry["same"] for entry in reduced)
    print(f"{small} of {len(reduced)} plants reduced to {SMALL} layers or fewer")


if __name__ == "__main__":
    main()
