"""A judge of comparing two conversions of one network: a fault is planted in one of them.

The right answers are names of layers of the other one. They are found by values, without irops.compare: the
layers that give what the planted layer gives in the correct conversion; where none does, since the two
conversions compute the same in other steps, the layers between the nearest values that both have.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from model_faults import Fault, Random, plant
from planted_models import accepted, answer, effect_of

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.backends.backend import Reference
from irops.ir.model import LayerKind, Model
from irops.runtime.evaluator import Evaluator
from irops.runtime.run import walk_model
from irops.runtime.variables import Variables

PAIR_MODES = ("propagated", "isolated")
NEAR = 1e-4


class Known:
    """A model with the values of all its layers, as sorted numbers, and the ways between its layers."""

    def __init__(self, model: Model, inputs: Sequence[Any]) -> None:
        self.analysis = ModelAnalysis(model)
        self.root = self.analysis.root
        self.layers = {node.layer.id: node.layer for node in self.root.order}
        self.values: dict[int, list[np.ndarray]] = {}
        arrays = self.analysis.signature.arrays(list(inputs))
        for computed in walk_model(Evaluator(self.analysis, (Reference(),)), arrays, Variables()):
            layer = computed.step.layer
            if layer.kind in (LayerKind.RESULT, LayerKind.CONSTANT):
                continue
            for array in map(np.asarray, computed.outputs):
                if array.dtype.kind in "fiub" and array.size > 1 and (array != array.flat[0]).any():
                    self.values.setdefault(layer.id, []).append(np.sort(array.astype(np.float64).ravel()))

    def before(self, number: int) -> list[int]:
        return [source[0].id for source in self.root.wiring.inputs[number] if source is not None]

    def behind(self, number: int) -> list[int]:
        outputs = range(len(self.layers[number].outputs))
        users = self.root.wiring.consumers
        return [layer.id for index in outputs for layer, _ in users.get((number, index), ())]

    def all_before(self, numbers: Iterable[int]) -> set[int]:
        """Layers, and all that they depend on."""
        found, ahead = set(numbers), list(numbers)
        while ahead:
            new = [number for number in self.before(ahead.pop()) if number not in found]
            found.update(new)
            ahead += new
        return found


def right_names(a: Known, b: Known, wrong: Model, fault: Fault) -> set[str]:
    """The layers of a that may be named for a fault in b."""
    names = {fault.path[0]} if fault.path else accepted(b.analysis, ModelAnalysis(wrong), fault)
    planted = [number for number, layer in b.layers.items() if layer.name in names]
    planted = [number for number in planted if number not in b.root.constants] or planted
    found: set[int] = set()
    for number in planted:
        partners = _partners(a, b, number)
        found |= partners
        if fault.around:  # what a layer is put behind, or left out before, is used by these
            found |= {user for one in partners for user in a.behind(one)}
        if not partners or len(b.layers[number].outputs) > 1:  # a recurrent layer may be many steps in a
            found |= _between(a, b, number)
    return {a.layers[number].name for number in found}


def _partners(a: Known, b: Known, number: int) -> set[int]:
    """The layers of a that give what a layer of b gives."""
    return {
        one
        for one, values in a.values.items()
        if any(_equal(value, other) for value in b.values.get(number, ()) for other in values)
    }


def _equal(value: np.ndarray, other: np.ndarray) -> bool:
    scale = NEAR * float(np.abs(value).max())
    return value.size == other.size and np.allclose(other, value, rtol=NEAR, atol=scale, equal_nan=True)


def _between(a: Known, b: Known, number: int) -> set[int]:
    """The layers of a between the nearest values before and behind a layer of b that both models have."""
    ends = _nearest(a, b, number, b.behind) | _results_behind(a, b, number)
    begins = _nearest(a, b, number, b.before)
    quiet = (LayerKind.PARAMETER, LayerKind.CONSTANT, LayerKind.RESULT)
    between = a.all_before(ends) - a.all_before(begins)
    return {one for one in between if a.layers[one].kind not in quiet}


def _nearest(a: Known, b: Known, number: int, step: Callable[[int], list[int]]) -> set[int]:
    found: set[int] = set()
    seen, ahead = {number}, step(number)
    while ahead:
        other = ahead.pop()
        if other in seen:
            continue
        seen.add(other)
        partners = _partners(a, b, other)
        found |= partners
        if not partners:
            ahead += step(other)
    return found


def _results_behind(a: Known, b: Known, number: int) -> set[int]:
    """What feeds the results of a that depend on a layer of b."""
    pairs = zip(a.root.results, b.root.results)
    return {a.before(one.id)[0] for one, other in pairs if number in b.all_before([other.id])}


def pair_row(
    a: Model, b: Model, inputs: Sequence[Any], random: Random, modes: Sequence[str] = PAIR_MODES
) -> dict[str, Any] | None:
    """A fault planted in b, and what is said of a beside it; None where none shows clearly.

    Raises:  DiagnosticError or ValueError for a faulty model that does not run, or has another shape
    """
    planted = plant(b, random)
    if planted is None:
        return None
    wrong, fault = planted
    effect = effect_of(b, wrong, inputs)
    if effect.level != "clear":
        return None
    right = right_names(Known(a, inputs), Known(b, inputs), wrong, fault)
    row: dict[str, Any] = {
        "kind": fault.kind,
        "names": list(fault.names),
        "path": list(fault.path),
        "detail": fault.detail,
        "size": effect.size,
        "right": sorted(right)[:12],
        "accepted": len(right),
    }
    with tempfile.TemporaryDirectory() as folder:
        irops.write(wrong, f"{folder}/b.xml")
        for mode in modes:
            found = answer(mode, fault, right, lambda mode=mode: irops.compare(
                ModelAnalysis(a), list(inputs), b=f"model:{folder}/b.xml", mode=mode))  # fmt: skip
            row[mode] = {key: value for key, value in asdict(found).items() if key != "mode"}
    return row


def is_named(answer: dict[str, Any]) -> bool:
    """Whether a fault is reported, in the results too, and named at rank 1."""
    return answer["ok"] is False and answer["results"] == "differ" and answer["named"]
