"""Random plants in networks, and whether irops.compare finds them."""

import numpy as np
from planted import FAULTS, Planted, WrongCall

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.backends.backend import Reference
from irops.debugging.compare.comparison import compared
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Context


def below(analysis, name):
    """The names of the layers of the outermost graph that depend on a layer."""
    names = {name}
    wiring = analysis.root.wiring
    for node in analysis.root.order:
        if any(s is not None and s[0].name in names for s in wiring.inputs[node.layer.id]):
            names.add(node.layer.name)
    return names


def planted_layers(analysis, inputs, backend, mode):
    """The names of the layers that are called wrong, the innermost name of their path first."""
    return [layer for layer in layers_by(analysis, inputs, backend, mode) if layer.is_fault]


def layers_by(analysis, inputs, backend, mode):
    """The layers of a comparison with a backend, which computes each layer once."""
    context = Context(analysis, analysis.signature.arrays(inputs))
    sources = Layerwise(Reference()), Layerwise(backend)
    return compared(context, *sources, mode, with_results=False).layers


def try_one(analysis, inputs, random):
    """Whether one plant is found in each mode, by name; None where it changes nothing."""
    layers_by(analysis, inputs, spy := Planted(), "isolated")
    calls = [call.op for call, *_ in spy.calls]
    number = int(random.integers(len(calls)))
    op = calls[number]
    fault = FAULTS[int(random.integers(len(FAULTS)))]
    planted = WrongCall(op, calls[:number].count(op), fault)
    isolated = planted_layers(analysis, inputs, planted, "isolated")
    if not planted.changed:
        return None
    found = {"isolated": len(isolated) == 1 and isolated[0].op == op}
    if isolated and not isolated[0].path:
        name = isolated[0].name
        again = WrongCall(op, propagated_call(analysis, inputs, op, name), fault)
        wrong = planted_layers(analysis, inputs, again, "propagated")
        found["propagated"] = bool(wrong) and wrong[0].name in below(analysis, name)
    return found


def propagated_call(analysis, inputs, op, name):
    """The number of a layer among the calls of its op in a plain run."""
    spy, ends = Planted(), {}
    context = Context(analysis, analysis.signature.arrays(inputs))
    for value in Layerwise(spy).walk(context):
        ends.setdefault(analysis.root.layers[value.layer].layer.name, len(spy.calls))
    return [call.op for call, *_ in spy.calls[: ends[name] - 1]].count(op)


def opened(folder):
    """A network and its inputs."""
    analysis = ModelAnalysis(irops.read(folder / "model.xml"))
    with np.load(folder / "inputs.npz") as stored:
        return analysis, [stored[name] for name in stored.files]
