"""What is kept beside the ops: names, sizes with names, constants, metadata, the order of results."""

from pathlib import Path

import numpy as np
import pytest
from hostile_models import layer, net, parameter, relu, result
from libraries import Late, needs
from onnx_protos import FLOAT, INT64, proto_of

import irops
from irops.dialects.registry import default_registry
from irops.editing.translation.translate import METADATA, SHAPES

pytestmark = needs("onnx")
onnx = Late("onnx")

IR = Path(__file__).with_name("encoder.xml").read_bytes()


@pytest.fixture
def encoder(tmp_path):
    (tmp_path / "encoder.xml").write_bytes(IR)
    np.array([1], np.int64).tofile(tmp_path / "encoder.bin")
    return irops.read(tmp_path / "encoder.xml")


def test_names_of_tensors_inputs_and_results_are_kept(encoder, tmp_path):
    irops.write(irops.translate(encoder, "onnx"), tmp_path / "there.onnx")
    onnx.checker.check_model(str(tmp_path / "there.onnx"), full_check=True)
    graph = onnx.load(tmp_path / "there.onnx").graph
    assert (graph.name, [i.name for i in graph.input]) == ("encoder", ["x"])
    assert [o.name for o in graph.output] == ["turned", "copy", "x#1"]
    assert [(n.op_type, n.output[0]) for n in graph.node] == [
        ("Slice", "turned"),
        ("Identity", "copy"),
        ("Identity", "x#1"),
    ]
    assert graph.node[0].name == "turn"
    data = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    want, found = irops.run(encoder, {"data": data}), irops.run(tmp_path / "there.onnx", {"x": data})
    assert all(np.array_equal(want[k], found[k]) for k in range(3))
    assert np.array_equal(found["copy"], data[:, ::-1])


def test_what_has_no_name_gets_one(encoder, tmp_path):
    for each in encoder.layers:
        each.name, each.output_names = "", None
        for port in each.outputs:
            port.names = ()
    there = irops.translate(encoder, "onnx")
    irops.write(there, tmp_path / "there.onnx")
    graph = onnx.load(tmp_path / "there.onnx").graph
    expected = (["Parameter_0"], ["Result_7", "Result_8", "Result_9"])
    assert ([i.name for i in graph.input], [o.name for o in graph.output]) == expected
    onnx.checker.check_model(str(tmp_path / "there.onnx"), full_check=True)


def test_unknown_sizes_are_kept_and_intervals_dropped(encoder):
    assert irops.translate(encoder, "onnx").layer("x").data == {"shape": "?,?,2", "element_type": "f32"}


def named():
    node = ("ReverseSequence", ["x", "lens"], ["y"], {"name": "turn"})
    sizes = (FLOAT, ["time", "batch", 2])
    model = proto_of([node], {"x": sizes, "lens": (INT64, ["batch"])}, {"y": sizes})
    onnx.helper.set_model_props(model, {"author": "somebody", "task": "<&>"})
    return model


def test_names_of_sizes_and_metadata_find_their_way_back(tmp_path):
    onnx.save(named(), tmp_path / "m.onnx")
    there = irops.translate(irops.read(tmp_path / "m.onnx"), "openvino")
    assert there.layer("x").data == {"shape": "?,?,2", "element_type": "f32"}
    irops.write(there, tmp_path / "m.xml")
    read = irops.read(tmp_path / "m.xml")
    assert [group.tag for group in read.rt_info.children] == [SHAPES, METADATA]
    irops.write(irops.translate(read, "onnx"), tmp_path / "back.onnx")
    back = onnx.load(tmp_path / "back.onnx")
    sizes = [
        [dim.dim_param or dim.dim_value for dim in info.type.tensor_type.shape.dim]
        for info in (*back.graph.input, *back.graph.output)
    ]
    assert sizes == [["time", "batch", 2], ["batch"], ["time", "batch", 2]]
    assert {entry.key: entry.value for entry in back.metadata_props} == {"author": "somebody", "task": "<&>"}


def test_openvino_reads_what_is_kept_beside_the_ops(tmp_path):
    openvino = pytest.importorskip("openvino")
    onnx.save(named(), tmp_path / "m.onnx")
    irops.write(irops.translate(irops.read(tmp_path / "m.onnx"), "openvino"), tmp_path / "m.xml")
    model = openvino.Core().read_model(tmp_path / "m.xml")
    assert model.get_rt_info([METADATA, "author"]).astype(str) == "somebody"
    assert model.inputs[0].partial_shape.to_string() == "[?,?,2]"


def test_names_of_sizes_that_no_longer_fit_are_let_go(tmp_path):
    onnx.save(named(), tmp_path / "m.onnx")
    there = irops.translate(irops.read(tmp_path / "m.onnx"), "openvino")
    there.layer("x").data["shape"] = "5,?,2"
    assert irops.translate(there, "onnx").layer("x").data["shape"] == "5,?,2"


def test_an_identity_becomes_a_second_name_of_the_tensor(tmp_path):
    model = named()
    model.graph.node[0].output[0] = "inner"
    model.graph.node.append(onnx.helper.make_node("Identity", ["inner"], ["y"], name="same"))
    onnx.save(model, tmp_path / "m.onnx")
    there = irops.translate(irops.read(tmp_path / "m.onnx"), "openvino")
    assert [layer.type for layer in there.layers] == ["Parameter", "Parameter", "ReverseSequence", "Result"]
    assert there.layer("turn").outputs[0].names == ("inner", "y")


def test_constants_of_a_file_are_not_copied(encoder):
    there = irops.translate(encoder, "onnx")
    assert there.weights.size == 4 * 64 + 8  # four constants, each at a multiple of 64, behind the file
    assert there.weights.view(0, 8) == encoder.weights.view(0, 8)
    with pytest.raises(ValueError, match="bytes 264 to 272 are outside the 264 bytes"):
        there.weights.view(264, 8)


def test_constants_that_became_attributes_or_others_are_left_out(encoder):
    there = irops.translate(encoder, "onnx")
    constants = [layer.name for layer in there.layers if layer.type == "Const"]
    assert constants == ["turn/starts", "turn/ends", "turn/axes", "turn/steps"]


def test_results_keep_their_order_whatever_the_order_of_layers(encoder):
    encoder.graph.layers.reverse()
    there = irops.translate(encoder, "onnx")
    results = [layer.name for layer in there.layers if layer.type == "Result"]
    assert results == ["whole", "same", "turned/sink"]


def test_every_op_of_onnx_that_shares_functions_is_translated():
    from irops.editing.translation.counterparts import onnx_types

    registry = default_registry()
    shared = {registry.op(op).definition.same_as for op in registry.ids("onnx")} - {
        None,
        "Const-1",
        "Parameter-1",
    }
    assert shared <= onnx_types().keys()


def test_mean_values_that_are_to_be_subtracted_are_not_lost(tmp_path):
    mean = (
        b'<pre-process reference-layer-name="x"><channel id="0"><mean'
        b' value="1.5"/></channel></pre-process></net>'
    )
    (tmp_path / "encoder.xml").write_bytes(IR.replace(b"</net>", mean))
    np.array([1], np.int64).tofile(tmp_path / "encoder.bin")
    match = "IR921 the model has a <pre-process> section, which irops does not convert"
    with pytest.raises(irops.DiagnosticError, match=match):
        irops.translate(irops.read(tmp_path / "encoder.xml"), "onnx")


def test_a_result_passes_on_what_feeds_it(tmp_path):
    path = tmp_path / "m.xml"
    middle = [layer(1, "r", "Result", "", (0,), (1,)), relu(2), result(3)]
    path.write_text(net([parameter(), *middle], [(0, 0, 1, 0), (1, 1, 2, 0), (2, 1, 3, 0)]))
    model = irops.translate(path, to="onnx")
    relus = [one for one in model.layers if one.type == "Relu"]
    (edge,) = (one for one in model.edges if one.to_layer == relus[0].id)
    assert model.layer(edge.from_layer).type == "Parameter"
