"""Probes of the format, and of uses of ops that releases refuse although they have the op."""

from collections.abc import Iterator

import numpy as np
from probes import Probe as Question
from releases.probe import Probe
from tables import table

from irops.values.element import element_types
from irops.values.packing import pack

PARAMETER = """<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="{}"/>
<output><port id="0" precision="{}"><dim>2</dim></port></output></layer>"""
CONSTANT = """<layer id="0" name="x" type="Const" version="opset1">
<data shape="8" element_type="{}" offset="0" size="{}"/>
<output><port id="0" precision="{}"><dim>8</dim></port></output></layer>"""
CONVERT = """<layer id="0" name="x" type="Parameter" version="opset1"><data shape="2" element_type="f32"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="2" name="y" type="Convert" version="opset1"><data destination_type="{}"/>
<input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>"""
VARIABLE = """<layer id="0" name="x" type="ReadValue" version="opset6">
<data variable_id="v" variable_type="f32" variable_shape="2"/>
<output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
<layer id="3" name="a" type="Assign" version="opset6">
<data variable_id="v" variable_type="f32" variable_shape="2"/>
<input><port id="0" precision="FP32"><dim>2</dim></port></input>
<output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>"""
RESULT = """<layer id="1" name="r" type="Result" version="opset1"{}>
<input><port id="0" precision="FP32"><dim>2</dim></port></input></layer>"""


def _net(
    layers: str, version: str = "11", edge: str = "0 0 1 0", result: str = "", more: str = "", pad: int = 1024
) -> str:
    """pad: the length of a comment at the end; releases before 2024.5 read no file of less than 512 bytes."""
    edges = "".join(
        '<edge from-layer="{}" from-port="{}" to-layer="{}" to-port="{}"/>'.format(*one.split())
        for one in edge.split(";")
    )
    return (
        f'<?xml version="1.0"?>\n<net name="probe" version="{version}"><layers>{layers}'
        f"{RESULT.format(result)}</layers><edges>{edges}</edges>{more}<!--{'.' * pad}--></net>"
    )


def type_probes() -> Iterator[Probe]:
    """Each element type as a Parameter, a constant, an attribute and the precision of a port."""
    for kind in element_types():
        content = pack(np.full(8, "a", object), kind) if kind.name == "string" else bytes(64)
        size = len(content) if kind.name == "string" else max(1, kind.bits)
        yield Probe(("type", kind.name, "parameter"), _net(PARAMETER.format(kind.name, "FP32")), b"")
        yield Probe(("type", kind.name, "port"), _net(PARAMETER.format("f32", kind.precision)), b"")
        edge = "0 0 2 0;2 1 1 0"
        yield Probe(("type", kind.name, "attribute"), _net(CONVERT.format(kind.name), edge=edge), b"")
        if kind.name != "dynamic":
            yield Probe(
                ("type", kind.name, "constant"), _net(CONSTANT.format(kind.name, size, "FP32")), content
            )


def feature_probes() -> Iterator[Probe]:
    """What files of the format may have besides ops and types."""
    plain = PARAMETER.format("f32", "FP32")
    empty = plain.replace('shape="2"', 'shape="0"')
    interval = plain.replace('shape="2"', 'shape="1..4"').replace("<dim>2<", "<dim>-1<")
    ranked = plain.replace('shape="2"', 'shape="..."').replace("<dim>2</dim>", "")
    info = '<rt_info><info name="a b" value="c"/></rt_info>'
    texts = {
        "ir-10": _net(plain, "10"),
        "ir-11": _net(plain, "11"),
        "output-names": _net(plain, result=' output_names="y"'),
        "interval-shape": _net(interval),
        "unknown-rank": _net(ranked),
        "rt-info": _net(plain, more=info),
        "zero-dimension": _net(empty.replace("<dim>2<", "<dim>0<")),
        "below-512-bytes": _net(plain, pad=0).replace("\n", ""),
    }
    assert len(texts["below-512-bytes"]) < 512, len(texts["below-512-bytes"])
    for name, text in texts.items():
        yield Probe(("feature", name), text, b"")
    yield Probe(("feature", "variable-without-initial-value"), _net(VARIABLE, edge="0 0 1 0;0 0 3 0"), b"")
    for opset in (f"opset{number}" for number in range(1, 18)):
        yield Probe(("opset", opset), _net(plain.replace("opset1", opset)), b"")


USES = table(__file__, "uses")
"""By feature: the op, and a layer as probes.py writes it."""


def use_probes() -> Iterator[Probe]:
    for feature, (op, layer) in USES.items():
        yield Probe(("feature", feature), *Question.parse(op, f"{layer} -> reads").model())
