"""A judge of comparing and reducing: whether a fault planted in a model is reported, named and explained.

Truth is found without irops.compare: original and faulty model run by the reference in f32 and in f64. What
f32 and f64 differ by is rounding; a fault matters if it changes results by far more than that.
"""

from __future__ import annotations

import copy
import itertools
import re
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from model_faults import Fault, Random

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import GraphNode
from irops.backends.backend import Reference
from irops.debugging.compare.comparison import Comparison
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Context
from irops.ir.model import Graph, Layer, LayerKind, Model
from irops.ir.storage import Weights

MATTERS = 300.0
"""A change of a result matters for certain if it exceeds rounding this many times: comparing allows eight
times the roundoff in every layer and a margin for how it adds up. Smaller changes are counted apart."""

QUIET = (LayerKind.PARAMETER, LayerKind.CONSTANT, LayerKind.RESULT)
MODES = ("propagated", "isolated", "stored", "renamed", "reverse")


# ---- truth


def in_f64(model: Model) -> Model:
    """The model with f64 in place of f32; constants keep their values."""
    wide = replace(model, graph=copy.deepcopy(model.graph), source=None)
    content = bytearray()
    for _, layer in wide.walk():
        if layer.is_constant:
            assert model.weights is not None
            elements = bytes(model.weights.read(int(layer.data["offset"]), int(layer.data["size"])))
            if layer.data["element_type"] == "f32":
                elements = np.frombuffer(elements, np.float32).astype(np.float64).tobytes()
            content.extend(b"\0" * (-len(content) % 64))
            layer.data |= {"offset": str(len(content)), "size": str(len(elements))}
            content.extend(elements)
        layer.data = {key: "f64" if text == "f32" else text for key, text in layer.data.items()}
        for port in (*layer.inputs, *layer.outputs):
            port.precision = "FP64" if port.precision == "FP32" else port.precision
    wide.weights = Weights.of_bytes(bytes(content))
    return wide


def widened(array: Any) -> Any:
    return array.astype(np.float64) if isinstance(array, np.ndarray) and array.dtype == np.float32 else array


@dataclass(frozen=True)
class Effect:
    """What a fault does to the results.

    size: the greatest change, relative to the greatest element; times: the greatest change over what
    rounding does; exact: whether the runs in f64 could be made
    """

    size: float
    times: float
    exact: bool

    @property
    def level(self) -> str:
        """none, small (it may pass for rounding) or clear"""
        if self.times >= MATTERS:
            return "clear"
        return "small" if self.times > 1 else "none"


def results_of(model: Model, inputs: Sequence[Any]) -> list[Any]:
    analysis = ModelAnalysis(model)
    found = irops.run(analysis, list(inputs))
    return [np.asarray(found[port.name]) for port in analysis.signature.results]


def effect_of(original: Model, wrong: Model, inputs: Sequence[Any]) -> Effect:
    """What a fault does to the results, by the reference in f32 and in f64."""
    plain = results_of(original, inputs), results_of(wrong, inputs)
    if [(a.shape, a.dtype) for a in plain[0]] != [(b.shape, b.dtype) for b in plain[1]]:
        raise ValueError("the fault changes the shape of a result")
    wide = [widened(array) for array in inputs]
    try:
        exact = results_of(in_f64(original), wide), results_of(in_f64(wrong), wide)
        done = [a.shape for a in exact[0]] == [a.shape for a in plain[0]] and [b.shape for b in exact[1]] == [
            b.shape for b in plain[1]
        ]
    except irops.DiagnosticError:
        done = False
    if not done:
        exact = plain
    size = times = 0.0
    for right, other, right64, other64 in zip(*plain, *exact):
        if right.dtype.kind not in "fcV" and right.dtype.name not in ("bfloat16", "float16"):
            if (right64 != other64).any():
                size, times = max(size, 1.0), np.inf
            continue
        a, b, a64, b64 = (
            x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
            for x in (right, other, right64, other64)
        )
        finite = np.isfinite(a64) & np.isfinite(b64) & np.isfinite(a) & np.isfinite(b)
        if (np.isnan(a64) != np.isnan(b64)).any() or (np.isinf(a64) != np.isinf(b64)).any():
            size, times = np.inf, np.inf
        if not finite.any():
            continue
        scale = float(np.abs(a64[finite]).max())
        rounding = max(
            float(np.abs(a - a64)[finite].max()),
            float(np.abs(b - b64)[finite].max()),
            (1 if done else 32) * 2.0**-24 * scale,
            1e-38,
        )
        change = float(np.abs(a64 - b64)[finite].max())
        size = max(size, change / (scale or 1e-38))
        times = max(times, change / rounding)
    return Effect(float(size), float(times), done)


# ---- right answers


def accepted(shown: ModelAnalysis, other: ModelAnalysis, fault: Fault) -> set[str]:
    """The layers of the compared model that may be named for a fault.

    shown: the compared model; other: the one with the fault, or without it
    """
    if fault.path:
        return {fault.path[0]}
    graph, beside = shown.root, other.root
    own = {node.layer.name: node for node in graph.order}
    theirs = {node.layer.name: node for node in beside.order}
    names: set[str] = set()
    for name in fault.names:
        if name in own:
            names |= _flow(graph, name)
        if name not in own or fault.around:
            for where, nodes in ((graph, own), (beside, theirs)):
                if name in nodes:
                    for near in _neighbours(where, name, own):
                        names |= _flow(graph, near)
    return names


def _flow(graph: GraphNode, name: str) -> set[str]:
    """A layer; for a constant, the layers that follow from constants alone and those that first use them."""
    constant = graph.constants
    ids = {node.layer.name: node.layer.id for node in graph.order}
    if ids[name] not in constant:
        return {name}
    found, ahead = {name}, [ids[name]]
    while ahead:
        number = ahead.pop()
        for user in _users(graph, number):
            if user.name not in found:
                found.add(user.name)
                if user.id in constant:
                    ahead.append(user.id)
    return found


def _users(graph: GraphNode, number: int) -> list[Layer]:
    return [
        node.layer
        for node in graph.order
        if any(source is not None and source[0].id == number for source in graph.wiring.inputs[node.layer.id])
    ]


def _neighbours(graph: GraphNode, name: str, own: Mapping[str, Any]) -> set[str]:
    """The layers beside one that the compared model has; through those that it has not."""
    ids = {node.layer.name: node.layer.id for node in graph.order}
    found: set[str] = set()
    seen, ahead = {name}, [name]
    while ahead:
        number = ids[ahead.pop()]
        sources = [source[0] for source in graph.wiring.inputs[number] if source is not None]
        for layer in (*sources, *_users(graph, number)):
            if layer.name in own:
                found.add(layer.name)
            elif layer.name not in seen and layer.name in ids:
                seen.add(layer.name)
                ahead.append(layer.name)
    return {near for near in found if near in own}


# ---- other forms of the faulty model


def renamed(model: Model, random: Random) -> Model:
    """The model with other names and ids of layers, in another order; inputs and results stay in theirs."""
    layers = copy.deepcopy(model.graph.layers)
    edges = copy.deepcopy(model.graph.edges)
    for layer in layers:
        feeds_result = {
            e.from_port for e in edges if e.from_layer == layer.id and _is_result(layers, e.to_layer)
        }
        for port in layer.outputs:
            if layer.kind is not LayerKind.PARAMETER and port.id not in feeds_result:
                port.names = ()
        for body in layer.bodies.values():
            for number, inner in enumerate(body.graph.layers):
                inner.name = f"q{number}"
    order = _other_order(Graph(layers, edges), random)
    numbers = {layer.id: int(number) for layer, number in zip(layers, random.permutation(len(layers)))}
    for index, layer in enumerate(order):
        layer.name = f"r{index}"
    for edge in edges:
        edge.from_layer, edge.to_layer = numbers[edge.from_layer], numbers[edge.to_layer]
    for layer in layers:
        layer.id = numbers[layer.id]
    return replace(model, graph=Graph(order, edges), source=None)


def _is_result(layers: Iterable[Layer], number: int) -> bool:
    return any(layer.id == number and layer.kind is LayerKind.RESULT for layer in layers)


def _other_order(graph: Graph, random: Random) -> list[Layer]:
    """A topological order by chance; inputs, results and sinks stay in order among themselves."""
    waits = {
        layer.id: {e.from_layer for e in graph.edges if e.to_layer == layer.id} for layer in graph.layers
    }
    fixed = [
        [layer.id for layer in graph.layers if layer.kind is kind]
        for kind in (LayerKind.PARAMETER, LayerKind.RESULT, LayerKind.SINK)
    ]
    for chain in fixed:
        for before, after in itertools.pairwise(chain):
            waits[after].add(before)
    left, done, order = list(graph.layers), set(), []
    while left:
        ready = [layer for layer in left if waits[layer.id] <= done]
        layer = ready[int(random.integers(len(ready)))]
        left.remove(layer)
        done.add(layer.id)
        order.append(layer)
    return order


def recorded(model: Model, inputs: Sequence[Any]) -> dict[str, Any]:
    """The values of all layers of a model, as a run of it stores them."""
    analysis = ModelAnalysis(model)
    context = Context(analysis, analysis.signature.arrays(list(inputs)))
    values: dict[str, Any] = {}
    for value in Layerwise(Reference()).walk(context):
        layer: Layer = analysis.root.layers[value.layer].layer
        for index, array in enumerate(value.outputs):
            if array is not None:
                values[layer.name if len(layer.outputs) == 1 else f"{layer.name}:{index}"] = array
    return {**values, **irops.run(analysis, list(inputs))}


# ---- the judge


@dataclass(frozen=True)
class Answer:
    """What irops.compare said in one mode.

    ok: its verdict; results: agree, differ or not compared; first, cause: of the first wrong layer; named,
    explained: whether these are right; error: what it raised
    """

    mode: str
    ok: bool | None = None
    results: str = "not compared"
    first: str = ""
    cause: str = ""
    named: bool = False
    explained: bool = False
    seconds: float = 0.0
    error: str = ""


def answer(mode: str, fault: Fault, right: set[str], compare: Any) -> Answer:
    """The answer of one comparison, judged."""
    begin = monotonic()
    try:
        found = compare()
    except Exception as error:  # the judge counts every error of what it judges
        where = traceback.extract_tb(error.__traceback__)[-1]
        return Answer(
            mode,
            error=f"{type(error).__name__}: {str(error)[:200]} ({Path(where.filename).name}:{where.lineno})",
        )
    first = found.first
    cause = "" if first is None else first.cause
    name = "" if first is None else (*first.path, first.name)[0]
    return Answer(
        mode,
        bool(found.ok),
        results_word(found),
        name,
        cause[:300],
        name in right,
        bool(cause) and re.search(fault.cause, cause, re.IGNORECASE) is not None,
        round(monotonic() - begin, 2),
    )


def results_word(found: Comparison) -> str:
    """What a comparison says of the results: differ, agree (all of them), or not compared."""
    if any(result.is_fault for result in found.results):
        return "differ"
    compared = bool(found.results) and all(result.is_compared for result in found.results)
    return "agree" if compared else "not compared"


def answers(
    original: Model, wrong: Model, fault: Fault, inputs: Sequence[Any], random: Random, modes: Sequence[str]
) -> list[Answer]:
    """What irops.compare says of a faulty model in several modes."""
    shown, other = ModelAnalysis(original), ModelAnalysis(wrong)
    right, back = accepted(shown, other, fault), accepted(other, shown, fault)
    given = list(inputs)
    found: list[Answer] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, model in (("a", original), ("b", wrong)):
            irops.write(model, f"{folder}/{name}.xml")
        b = f"model:{folder}/b.xml"
        if "renamed" in modes:
            irops.write(renamed(wrong, random), f"{folder}/r.xml")
        calls = {
            "propagated": (right, lambda: irops.compare(shown, given, b=b, mode="propagated")),
            "isolated": (right, lambda: irops.compare(shown, given, b=b, mode="isolated")),
            "stored": (right, lambda: irops.compare(shown, given, b=recorded(wrong, given))),
            "renamed": (right, lambda: irops.compare(shown, given, b=f"model:{folder}/r.xml")),
            "reverse": (back, lambda: irops.compare(other, given, b=f"model:{folder}/a.xml")),
        }
        for mode in modes:
            found.append(answer(mode, fault, *calls[mode]))
    return found


def judged(
    original: Model,
    wrong: Model,
    fault: Fault,
    inputs: Sequence[Any],
    random: Random,
    modes: Sequence[str] = MODES,
    *,
    only_clear: bool = False,
) -> dict[str, Any]:
    """A plant as one row: the fault, its effect, and the answers. only_clear: none for other effects"""
    effect = effect_of(original, wrong, inputs)
    row: dict[str, Any] = {
        "kind": fault.kind,
        "names": list(fault.names),
        "path": list(fault.path),
        "detail": fault.detail,
        "effect": effect.level,
        "size": effect.size,
        "times": effect.times,
        "f64": effect.exact,
    }
    asked = () if only_clear and effect.level != "clear" else modes
    for found in answers(original, wrong, fault, inputs, random, asked):
        row[found.mode] = {k: v for k, v in asdict(found).items() if k != "mode"}
    return row


def summary(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The sum of rows: of the plants that matter, how many are reported, named and explained in each mode."""
    rows = list(rows)
    total: dict[str, Any] = {
        "plants": len(rows),
        "effect": dict(Counter(row.get("effect", "error") for row in rows)),
        "kinds": len({row["kind"] for row in rows if "kind" in row}),
    }
    for mode in MODES:
        of = [row[mode] for row in rows if mode in row and row.get("effect") == "clear"]
        quiet = [row[mode] for row in rows if mode in row and row.get("effect") == "none"]
        small = [row[mode] for row in rows if mode in row and row.get("effect") == "small"]
        if of:
            total[mode] = {
                "clear": len(of),
                "not ok": sum(a["ok"] is False for a in of),
                "results differ": sum(a["results"] == "differ" for a in of),
                "rank 1": sum(a["named"] for a in of),
                "cause": sum(a["named"] and a["explained"] for a in of),
                "errors": sum(bool(a["error"]) for a in of),
                "small": len(small),
                "small, results differ": sum(a["results"] == "differ" for a in small),
                "small, rank 1": sum(a["named"] for a in small),
                "none": len(quiet),
                "none, results differ": sum(a["results"] == "differ" for a in quiet),
            }
    return total


def reduction(
    original: Model, wrong: Model, fault: Fault, inputs: Sequence[Any], *, tries: int = 150
) -> dict[str, Any]:
    """What irops.reduce makes of a faulty model beside the original one, as a row.

    kept: whether the planted layer, or one beside it where a layer is missing, is in the reduced model
    """
    begin = monotonic()
    shown, other = ModelAnalysis(original), ModelAnalysis(wrong)
    right = accepted(shown, other, fault)
    with tempfile.TemporaryDirectory() as folder:
        irops.write(wrong, f"{folder}/b.xml")
        try:
            small = irops.reduce(
                shown, list(inputs), differs=("reference", f"model:{folder}/b.xml"), tries=tries
            )
        except ValueError as error:
            return {"error": f"{type(error).__name__}: {str(error).replace(folder, '')[:200]}"}
    names = [layer.name for layer in small.model.layers if layer.kind not in QUIET]
    return {
        "layers": small.layers,
        "of": small.of,
        "tries": small.tries,
        "stopped": small.stopped,
        "names": names[:6],
        "kept": bool(right & set(names)),
        "seconds": round(monotonic() - begin, 1),
    }
