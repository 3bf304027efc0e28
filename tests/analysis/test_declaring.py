"""A model that a program builds without declaring its ports is written so that irops and OpenVINO read it."""

import numpy as np
import pytest
from runtimes import Runtimes

import irops
from irops.analysis.declaring import has_undeclared_ports, with_declared_ports
from irops.ir.model import Body, Edge, Layer, LayerGraph, Model, Port, PortMapping
from irops.ir.weights import Weights


def ports(*ids):
    return [Port(number) for number in ids]


def layer(id, type, inputs=0, outputs=0, version="opset1", **data):
    """A layer whose input ports have the ids from 0 and whose output ports follow; none is declared."""
    ids = range(inputs + outputs)
    return Layer(id, f"{type}_{id}", type, version, data, ports(*ids[:inputs]), ports(*ids[inputs:]))


def added(shape="2,3"):
    layers = [
        layer(0, "Parameter", 0, 1, shape=shape, element_type="f32"),
        layer(1, "Const", 0, 1, element_type="f32", shape="3", offset="0", size="12"),
        layer(2, "Add", 2, 1),
        layer(3, "Split", 2, 2, num_splits="2"),
        layer(4, "Const", 0, 1, element_type="i64", shape="", offset="12", size="8"),
        layer(5, "Result", 1),
        layer(6, "Result", 1),
    ]
    weights = Weights.of_bytes(np.arange(3, dtype=np.float32).tobytes() + np.int64(0).tobytes())
    ends = [(0, 0, 2, 0), (1, 0, 2, 1), (2, 2, 3, 0), (4, 0, 3, 1), (3, 2, 5, 0), (3, 3, 6, 0)]
    edges = [Edge(*four) for four in ends]
    return Model("added", 11, LayerGraph(layers, edges), weights=weights)


def looped():
    """A TensorIterator over the rows of its input."""

    def around(middle, rows):
        first = layer(0, "Parameter", 0, 1, shape=f"{rows},3", element_type="f32")
        return LayerGraph([first, middle, layer(2, "Result", 1)], [Edge(0, 0, 1, 0), Edge(1, 1, 2, 0)])

    iterator, maps = layer(1, "TensorIterator", 1, 1), ([PortMapping(k, 2 * k, axis=0)] for k in (0, 1))
    iterator.bodies["body"] = Body("body", around(layer(1, "ReLU", 1, 1), 1), *maps)
    return Model("looped", 11, around(iterator, 4))


@pytest.mark.slow("every example")
@pytest.mark.parametrize(("made", "shape"), [(added(), (2, 3)), (added("2,?"), (2, 3)), (looped(), (4, 3))])
def test_a_model_without_declared_ports_can_be_read_after_writing(made, shape, tmp_path):
    assert irops.check(made).ok
    path = tmp_path / "model.xml"
    irops.write(made, path)
    assert not irops.check(path).diagnostics
    x = np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    ours = irops.run(path, [x])
    for name, array in irops.run(made, [x]).items():
        assert np.array_equal(array, ours[name])
    pytest.importorskip("openvino")
    for found, array in zip(Runtimes().run("openvino", path, [x]), ours.values()):
        assert np.allclose(found, array)


def test_the_model_itself_stays_as_it_is(tmp_path):
    made = added()
    irops.write(made, tmp_path / "model.xml")
    assert has_undeclared_ports(made)
    assert all(port.precision is None for one in made.layers for port in one.outputs)


def test_declared_ports_stay_as_they_are():
    made = added()
    made.layers[2].outputs[0].precision = "FP32"
    made.layers[2].outputs[0].dims = (-1, -1)
    declared = with_declared_ports(made, irops.infer(made))
    assert declared.layers[2].outputs[0].dims == (-1, -1)
    assert declared.layers[3].outputs[0] == Port(2, "FP32", (1, 3))
    assert declared.layers[3].inputs == [Port(0, "FP32", (2, 3)), Port(1, "I64", ())]
    assert not has_undeclared_ports(declared)


def test_dynamic_sizes_are_written_as_such():
    made = added("?,3")
    declared = with_declared_ports(made, irops.infer(made))
    assert declared.layers[2].outputs[0] == Port(2, "FP32", (-1, 3))


def test_a_model_without_any_ports_is_reported():
    made = added()
    for one in made.layers:
        one.inputs, one.outputs = [], []
    assert {d.code for d in irops.check(made).errors} >= {"IR203", "IR322"}
