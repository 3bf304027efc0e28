"""Random plants in networks, and whether irops.compare finds them."""

import numpy as np
from planted import FAULTS, WrongCall

import irops
from irops.analysis.model_analysis import ModelAnalysis
from irops.backends.backend import Reference
from irops.debugging.compare.comparison import compared
from irops.debugging.sources.layerwise import Layerwise
from irops.debugging.sources.source import Context


class Counting:
    """The reference; records the op of every call."""

    name = "counting"

    def __init__(self):
        self.calls = []

    def kernel(self, op):
        kernel = op.functions.kernel
        if kernel is None or op.definition.bodies or op.definition.stateful:
            return None

        def compute(*inputs, **attributes):
            self.calls.append(op.id)
            return kernel(*inputs, **attributes)

        return compute


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
    counting = Counting()
    layers_by(analysis, inputs, counting, "isolated")
    number = int(random.integers(len(counting.calls)))
    op = counting.calls[number]
    fault = FAULTS[int(random.integers(len(FAULTS)))]
    planted = WrongCall(op, counting.calls[:number].count(op), fault)
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
    counting, calls = Counting(), []
    context = Context(analysis, analysis.signature.arrays(inputs))
    for value in Layerwise(counting).walk(context):
        calls.append((analysis.root.layers[value.layer].layer.name, len(counting.calls)))
    end = next(count for layer, count in calls if layer == name)
    return counting.calls[: end - 1].count(op)


def opened(folder):
    """A network and its inputs."""
    analysis = ModelAnalysis(irops.read(folder / "model.xml"))
    with np.load(folder / "inputs.npz") as stored:
        return analysis, [stored[name] for name in stored.files]
