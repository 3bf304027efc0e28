"""Models around the layers that pages show: their inputs are constants, with the values of the example."""

import re
from xml.etree import ElementTree

from irops.conformance.cases import inputs_of
from irops.document.case_views import layer_text
from irops.spec.definition import ExampleCase
from irops.spec.op import Op
from irops.values.element import element_type_of
from irops.values.packing import pack

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
