"""Faults planted in networks as converters write them: irops.compare and irops.diff name the layer and the cause.

`python tests/debugging/compare/test_network_faults.py FOLDER SEED COUNT` plants faults in networks of a folder.
"""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from model_faults import ModelFault, planted, renamed

import irops
from irops.diagnostics.printable import abridged


def difference(model, other, inputs) -> float:
    """By how much the results of two models differ, as a share of the greatest number."""
    greatest = 0.0
    for one, two in zip(irops.run(model, inputs).values(), irops.run(other, inputs).values(), strict=True):
        a, b = (np.asarray(array, np.complex128) for array in (one, two))
        if a.shape != b.shape or (np.isfinite(a) != np.isfinite(b)).any():
            return np.inf
        apart = np.abs(a - b)[np.isfinite(a) & np.isfinite(b)].max(initial=0)
        greatest = max(greatest, apart / (np.abs(a[np.isfinite(a)]).max(initial=0) or 1))
    return greatest


def misses(model, inputs, fault: ModelFault) -> Iterator[str]:
    """What compare and diff do not say of a fault."""
    for name, other in (("", fault.model), ("renamed ", renamed(fault.model))):
        for mode in ("propagated", "isolated"):
            yield from _misses(
                irops.compare(model, inputs, b=other, mode=mode), model, fault, f"{name}{mode}"
            )
    values = irops.run(fault.model, inputs, keep="all")
    stored = irops.compare(model, inputs, b=dict(values), mode="propagated")
    yield from _misses(stored, model, fault, "stored", is_stored=True)


def _misses(found, model, fault: ModelFault, mode: str, *, is_stored: bool = False) -> Iterator[str]:
    if found.ok:
        yield f"{mode}: ok"
    if not any(result.is_fault for result in found.results):
        yield f"{mode}: no result differs"
    first, said = found.first, str(found)
    if first is not None and first.name == fault.layer:
        if not is_stored and not first.cause:
            yield f"{mode}: no cause"
    elif is_stored:  # of a layer that is missing, or whose output a further one changes, they have the users
        users = {user.name for output in irops.Graph(model)[fault.layer].outputs for user in output.users}
        if first is not None and first.name not in users:
            yield f"{mode}: first is {first.name}"
    elif fault.layer not in said and abridged(fault.layer, 60) not in said:
        yield f"{mode}: first is {None if first is None else first.name}, {fault.layer} is not in the report"


def draws(folders, seed: int, count: int) -> Iterator[tuple[Path, dict, irops.Model, ModelFault, float]]:
    """Faults in networks of folders that change a result, or make that it cannot be computed."""
    draw = random.Random(seed)
    while count:
        folder = draw.choice(folders)
        model = irops.read(folder / "model.xml")
        with np.load(folder / "inputs.npz") as arrays:
            ports = json.loads((folder / "io.json").read_text("utf-8"))["inputs"]
            inputs = {port["node"]: arrays[port["key"]] for port in ports}
        fault = planted(model, draw)
        if fault is None:
            continue
        try:
            size = difference(model, fault.model, inputs)
        except irops.EvaluationError:
            continue
        if size > 1e-5:
            count -= 1
            yield folder, inputs, model, fault, size


if __name__ == "__main__":
    corpus = sorted(path.parent for path in Path(sys.argv[1]).glob("*/model.xml"))
    for place, arrays, right, wrong, apart in draws(corpus, int(sys.argv[2]), int(sys.argv[3])):
        print(f"{place.name}: {wrong.kind} in {wrong.layer}, {apart:.2g}", flush=True)
        for miss in misses(right, arrays, wrong):
            print("   ", miss, flush=True)
