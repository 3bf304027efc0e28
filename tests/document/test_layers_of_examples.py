"""The layers that pages show for examples: irops accepts them, and OpenVINO reads them. The irops.call(…)
line of every op page is Python, and runs on the inputs of the first example.
"""

import ast
import re
from xml.etree import ElementTree

import pytest
from invoking import loaded
from runtimes import read_all

import irops
from irops.conformance.cases import expected_outputs, inputs_of
from irops.diagnostics.diagnostic import errors_of
from irops.dialects import dialects
from irops.dialects.registry import default_registry
from irops.document.case_views import layer_text
from irops.document.site import call_text, called_case, literal
from irops.ir.read import loads
from irops.spec.definition import ExampleCase
from irops.spec.load import examples
from irops.spec.op import Op
from irops.values.element import element_type, element_type_of
from irops.values.packing import pack
from irops.values.shape import Shape
from irops.verdicts.metrics import difference

EDGE = '<edge from-layer="{}" from-port="{}" to-layer="{}" to-port="{}"/>'
CONSTANT = (
    '<layer id="{}" name="c{}" type="Const" version="opset1">'
    '<data element_type="{}" shape="{}" offset="{}" size="{}"/>{}</layer>'
)
PARAMETER = (
    '<layer id="{}" name="c{}" type="Parameter" version="opset1">'
    '<data element_type="{}" shape="{}"/>{}</layer>'
)
RESULT = '<layer id="{}" name="r{}" type="Result" version="opset1"><input>{}</input></layer>'


def model_around(op: Op, case: ExampleCase) -> tuple[str, bytes]:
    """The text of the model and its weights; of an example that is a model, that without weights."""
    if case.net is not None:
        return case.net.decode(), b""
    text = layer_text(op, case).layer
    layer = ElementTree.fromstring(text)
    at = int(layer.attrib["id"])
    tensors = [tensor for tensor in inputs_of(op, case) if tensor is not None]
    layers, edges, weights = [], [], b""
    for k, (tensor, port) in enumerate(zip(tensors, layer.findall("input/port"), strict=True)):
        shape = ",".join(dim.text or "" for dim in port.findall("dim"))
        output = ElementTree.tostring(port, "unicode").replace(f'id="{k}"', 'id="0"', 1)
        output = f"<output>{output}</output>"
        if tensor.value is None or port.attrib["precision"] == "STRING":
            layers.append(PARAMETER.format(k, k, tensor.element_type, shape.replace("-1", "?"), output))
        else:
            raw = pack(tensor.value, element_type_of(tensor.value))
            layers.append(CONSTANT.format(k, k, tensor.element_type, shape, len(weights), len(raw), output))
            weights += raw + bytes(-len(raw) % 8)
        edges.append(EDGE.format(k, 0, at, port.attrib["id"]))
    layers.append(text)
    for k, port in enumerate(layer.findall("output/port"), at + 1):
        inner = re.sub(r'id="\d+"', 'id="0"', ElementTree.tostring(port, "unicode"), count=1)
        layers.append(RESULT.format(k, k, inner))
        edges.append(EDGE.format(at, port.attrib["id"], k, 0))
    net = (
        f'<net name="m" version="11"><layers>{"".join(layers)}</layers><edges>{"".join(edges)}</edges></net>'
    )
    return f'<?xml version="1.0"?>\n{net}', weights


OMITS_INPUT = ("CumSum-3", "exclusive, from the end, axis left out")
"""The specification has the input optional, OpenVINO does not read the layer without it (IR321)."""


def all_examples():
    registry = default_registry()
    for op in map(registry.op, registry.ids()):
        for case in examples(op.definition):
            yield op, case


def test_every_example_of_an_op_of_openvino_has_its_layer():
    assert [op.id for op, case in all_examples() if not layer_text(op, case).layer] == []


@pytest.mark.slow("the layers of all pages")
def test_irops_accepts_the_layers():
    refused = []
    for op, case in all_examples():
        model, _ = loads(
            *(part if isinstance(part, bytes) else part.encode() for part in model_around(op, case))
        )
        if case.net is None and errors_of(irops.check(model).diagnostics):
            refused.append((op.id, case.name))
    assert refused == [OMITS_INPUT]


@pytest.mark.slow("OpenVINO reads a layer of every op")
def test_openvino_reads_a_layer_of_every_op():
    pytest.importorskip("openvino")
    first = {op.id: (op, case) for op, case in reversed(list(all_examples()))}
    answers = read_all((op.definition.type, *model_around(op, case)) for op, case in first.values())
    refused = {op: answer for op, answer in zip(first, answers, strict=True) if isinstance(answer, str)}
    assert refused == {}


def test_attributes_are_written_as_openvino_writes_them():
    op = default_registry().op("ExtractImagePatches-3")
    assert 'rates="1, 1"' in layer_text(op, next(iter(examples(op.definition)))).layer
    add = default_registry().op("Add-1")
    assert "auto_broadcast_axis" not in layer_text(add, next(iter(examples(add.definition)))).layer


IDS = [op for dialect in dialects() for op in default_registry().versions(dialect.name)]
DEFINITIONS = {op.id: op.definition for op in loaded(IDS)}
CALLABLE = [op for op, d in DEFINITIONS.items() if call_text(d) and d.type != "Result" and not d.library]


def variables(definition):
    """The arrays of the first example by the names that the line uses; None for an input left out."""
    tensors = called_case(definition).tensors
    of_port = {port.name: [t.value for t in tensors if t.name == port.name] for port in definition.inputs}
    return {
        port.name: of_port[port.name] if port.variadic else (of_port[port.name] or [None])[0]
        for port in definition.inputs
    }


@pytest.mark.parametrize("id", CALLABLE)
def test_the_call_on_a_page_runs_and_gives_the_outputs_of_the_example(id):
    definition = DEFINITIONS[id]
    line = call_text(definition)
    ast.parse(line)
    results = eval(line, {"irops": irops}, variables(definition))
    results = results if isinstance(results, tuple) else (results,)
    expected = [t.value for t in expected_outputs(default_registry().op(id), called_case(definition))]
    for result, truth in zip(results, expected):
        assert truth is None or not difference(result, truth), line


def test_every_op_with_inputs_has_a_call_unless_it_has_bodies_or_state():
    without = {d.type for d in DEFINITIONS.values() if d.inputs and not (d.bodies or d.stateful or d.library)}
    assert without - {"Result"} == {DEFINITIONS[op].type for op in CALLABLE}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((), "()"),
        ((1,), "(1,)"),
        ((0.5, 2.0), "(0.5, 2)"),
        (True, "True"),
        (1e-8, "1e-08"),
        (float("inf"), 'float("inf")'),
        (float("nan"), 'float("nan")'),
        (element_type("f32"), "'f32'"),
        (Shape.parse("1,?"), "'1,?'"),
        ("a", "'a'"),
    ],
)
def test_a_value_is_written_as_python(value, text):
    assert literal(value) == text
    eval(text)
