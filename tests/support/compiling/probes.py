"""IR files of one op in which the inputs of one type variable have another element type.

Whether the CPU plug-in compiles a layer may depend on what is constant and on whether shapes are static, so
each op and type is asked in several ways.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from releases.probe import Probe, arrays_of, layer_model
from releases.probes import type_variables

from irops.backends.one_op import one_op_model
from irops.conformance.cases import inputs_of
from irops.dialects.registry import default_registry
from irops.spec.definition import OPENVINO, ExampleCase
from irops.spec.load import examples
from irops.spec.op import Op
from irops.values.element import element_types, zeros

CONSTANT_ONLY = ("u1", "u3", "u6")
"""The types that no input of a model can have (IR215), so that layers meet them as constants."""
OTHERS = ("Result-1", "ConvertLike-1")
"""The ops that are not asked: a Result has no output to use, and ConvertLike becomes a Convert."""
NARROW = (*CONSTANT_ONLY, "u2", "u4", "i4", "nf4", "f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1")
"""Conversions are asked from and to these."""
PARAMETER = re.compile(r'<layer id="\d+" name="(input\d+)" type="Parameter".*?</layer>', re.DOTALL)
SHAPE = re.compile(r'shape="([\d,]*)"')
DIM = re.compile(r"<dim>\d+</dim>")


@dataclass(frozen=True, slots=True)
class Way:
    """How the op is fed. variable: which inputs of the type variable are inputs of the model and not
    constants: "all", "first" or "none"; of the other inputs, the one at index 0 is an input of the model, if
    there are any; dynamic: their sizes are unknown.
    """

    name: str
    variable: str = "all"
    dynamic: bool = False


WAYS = (Way("plain"), Way("plain?", dynamic=True), Way("mixed", "first"), Way("folded", "none"))


Name = tuple[str, ...]
"""Of a probe: (op, variable, type, way), or (Convert-1, type, destination type, way)."""
Asked = Callable[[Name], bool]


def all_probes(asked: Asked) -> Iterator[Probe]:
    """The probes whose names are asked for."""
    registry = default_registry()
    for id_ in registry.ids():
        op = registry.op(id_)
        if op.definition.dialect == OPENVINO and not op.definition.library and op.id not in OTHERS:
            yield from conversion_probes(op, asked) if op.id == "Convert-1" else type_probes(op, asked)


def type_probes(op: Op, asked: Asked) -> Iterator[Probe]:
    """The type "own" stands for those of the example."""
    cases = [case for case in examples(op.definition) if _usable(op, case)]
    for variable, allowed in type_variables(op).items():
        case = next((case for case in cases if _places(op, case, variable)), None)
        for way in WAYS if case is not None else ():
            assert case is not None
            for name in ("own", *sorted(allowed)):
                fits = way.variable != "first" or len(_places(op, case, variable)) > 1
                fits = fits and (name not in CONSTANT_ONLY or way.variable == "none")
                if fits and asked((op.id, variable, name, way.name)):
                    yield type_probe(op, case, variable, name, way)


def conversion_probes(op: Op, asked: Asked) -> Iterator[Probe]:
    kinds = [kind for kind in element_types() if kind.name not in ("dynamic", "string")]
    for source in kinds:
        for to in kinds:
            for way in (way for way in WAYS if way.variable != "first"):
                narrow = source.name in NARROW or to.name in NARROW
                if source is to or not narrow or (source.name in CONSTANT_ONLY and way.variable == "all"):
                    continue
                if not asked((op.id, source.name, to.name, way.name)):
                    continue
                array = zeros((2, 8), source)
                fixed = {} if way.variable == "all" else {0: array}
                text, weights = one_op_model(op, [array], {"destination_type": to.name}, 1, fixed)
                yield Probe((op.id, source.name, to.name, way.name), _dynamic(text, way), weights)


def _usable(op: Op, case: ExampleCase) -> bool:
    """Whether the example has inputs, all with static shapes and elements."""
    tensors = inputs_of(op, case) if case.net is None else []
    return bool(tensors) and all(
        tensor is not None and tensor.shape.static and 0 not in tensor.shape.to_tuple() for tensor in tensors
    )


def _places(op: Op, case: ExampleCase, variable: str) -> list[int]:
    """The inputs of an example that a type variable or the name of an input stands for."""
    ports = {port.name: port for port in op.definition.inputs}
    return [
        index
        for index, tensor in enumerate(inputs_of(op, case))
        if tensor is not None and variable in (tensor.name, ports[tensor.name].type)
    ]


def type_probe(op: Op, case: ExampleCase, variable: str, name: str, way: Way) -> Probe:
    arrays = arrays_of(op, case, {} if name == "own" else {variable: name})
    assert arrays is not None
    places = _places(op, case, variable)
    inputs = {"all": places, "first": places[:1], "none": []}[way.variable]
    fixed = {
        index: array
        for index, array in enumerate(arrays)
        if index not in inputs and (index in places or index > 0 or not inputs)
    }
    text, weights = layer_model(op, case, arrays, fixed)
    return Probe((op.id, variable, name, way.name), _dynamic(text, way), weights)


def _dynamic(text: str, way: Way) -> str:
    """The text with unknown sizes, and the sizes with which to run the model in a comment at its end."""
    if not way.dynamic:
        return text
    shapes = {layer[1]: SHAPE.search(layer[0]) for layer in PARAMETER.finditer(text)}
    sizes = ";".join(f"{name}:{shape[1]}" for name, shape in shapes.items() if shape is not None)
    return f"{PARAMETER.sub(_of_unknown_sizes, text)}<!--{sizes}-->"


def _of_unknown_sizes(parameter: re.Match[str]) -> str:
    text = SHAPE.sub(lambda shape: f'shape="{re.sub("[0-9]+", "?", shape[1])}"', parameter[0])
    return DIM.sub("<dim>-1</dim>", text)
