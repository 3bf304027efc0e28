"""What inference keeps of the outputs of a layer that is at fault."""

from __future__ import annotations

import pytest

import irops
from irops.ir.read import loads


def weights(*numbers):
    return b"".join(number.to_bytes(8, "little", signed=True) for number in numbers)


def const(name, shape, offset=0, size=8, kind="i64"):
    return (name, "Const", {"element_type": kind, "shape": shape, "offset": offset, "size": size}, [])


def source(name="x", shape="2,3,4", kind="f32"):
    return (name, "Parameter", {"shape": shape, "element_type": kind}, [])


def inferred(net, *layers, data=b""):
    """The output of the layer "op", and the codes of what is wrong with the model."""
    model = net(*layers, ("y", "Result", {}, [layers[-1][0]]), weights=data)
    facts = irops.infer(model)
    return str(facts["op", 0]), [finding.code for finding in facts.diagnostics]


def test_a_value_out_of_range_leaves_the_shape(net):
    layers = (source(), const("axes", "1"), ("op", "Reverse", {"mode": "index"}, ["x", "axes"]))
    assert inferred(net, *layers, data=weights(7)) == ("f32[2,3,4]", ["IR401"])


def test_an_axis_out_of_range_leaves_what_every_axis_gives(net):
    assert inferred(net, source(), ("op", "SoftMax", {"axis": "7"}, ["x"])) == ("f32[2,3,4]", ["IR316"])
    joined = ("op", "Concat", {"axis": "7"}, ["x", "x"])
    assert inferred(net, source(shape="2,3"), joined) == ("f32[2..4,3..6]", ["IR316"])


@pytest.mark.parametrize("mode", ["sideways", None])
def test_an_attribute_that_shapes_do_not_depend_on_leaves_the_shape(net, mode):
    data = {} if mode is None else {"mode": mode}
    found, codes = inferred(
        net, source(), const("axes", "1"), ("op", "Reverse", data, ["x", "axes"]), data=weights(1)
    )
    assert found == "f32[2,3,4]"
    assert len(codes) == 1


def test_an_attribute_that_types_depend_on_leaves_only_the_shape(net):
    converted = ("op", "Convert", {"destination_type": "f33"}, ["x"])
    assert inferred(net, source(), converted)[0] == "dynamic[...]"


def test_a_type_that_the_op_does_not_accept_leaves_the_shape(net):
    layers = (source(kind="i32"), ("op", "Mish-opset4", {}, ["x"]))
    assert inferred(net, *layers) == ("dynamic[2,3,4]", ["IR402"])


def test_types_that_differ_leave_the_shape(net):
    layers = (source(), source("z", "3,1", "i32"), ("op", "Add", {}, ["x", "z"]))
    assert inferred(net, *layers) == ("dynamic[2,3,4]", ["IR403"])


def test_a_second_input_of_a_wrong_shape_leaves_what_follows_from_the_first(net):
    lengths = source("lengths", "5", "i32")
    data = {"batch_axis": "0", "seq_axis": "1"}
    layers = (source(), lengths, ("op", "ReverseSequence", data, ["x", "lengths"]))
    assert inferred(net, *layers) == ("f32[2,3,4]", ["IR401"])


def test_shapes_that_contradict_each_other_leave_the_type(net):
    layers = (source(), source("z", "2,5,4"), ("op", "Add", {}, ["x", "z"]))
    assert inferred(net, *layers) == ("f32[...]", ["IR401"])


def test_a_fault_is_not_repeated_behind_the_layer_and_others_are_found(net):
    layers = (
        source(),
        const("axes", "1"),
        ("op", "Reverse", {"mode": "index"}, ["x", "axes"]),
        const("wrong", "1"),
        ("next", "Squeeze", {}, ["op", "wrong"]),
    )
    assert inferred(net, *layers, data=weights(7)) == ("f32[2,3,4]", ["IR401", "IR401"])


UNKNOWN = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="?,4" element_type="u8"/>
  <output><port id="0" precision="U8"><dim>-1</dim><dim>4</dim></port></output></layer>
<layer id="1" name="op" type="{kind}" version="{version}">
  <input><port id="0"><dim>-1</dim><dim>4</dim></port></input>
  <output><port id="1" precision="U8"><dim>-1</dim><dim>6</dim></port></output></layer>
<layer id="2" name="next" type="ReLU" version="opset1"><input><port id="0"/></input>
  <output><port id="1" precision="U8"/></output></layer>
<layer id="3" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/>
<edge from-layer="2" from-port="1" to-layer="3" to-port="0"/></edges></net>"""


@pytest.mark.parametrize(
    ("kind", "version", "code"),
    [
        ("Planes", "com.example:1", "IR304"),
        ("Planes", "extension", "IR301"),
        ("Planes", "opset1", "IR301"),
        ("Gelu", "opset1", "IR302"),
        ("Planes", "opset99", "IR303"),
    ],
)
def test_declared_outputs_of_an_op_without_definition_hold_behind_it(kind, version, code):
    model, _ = loads(UNKNOWN.format(kind=kind, version=version).encode(), b"")
    facts = irops.infer(model)
    assert str(facts["next", 0]) == "u8[?,6]"
    assert [finding.code for finding in facts.diagnostics] == [code]
    for given, shape in (("1,4", "u8[?,6]"), ("1,5", "u8[...]")):  # as declared, and not
        assert str(irops.infer(model, {"x": given})["next", 0]) == shape
