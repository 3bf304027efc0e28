"""The structure of a model: graphs, layers and bodies, how they are found, and what equal layers share."""

import numpy as np
import pytest
from bodies import ITERATOR, Net, gives, takes
from one_op import one_op_model

import irops
from irops.analysis.model_analysis import analyse
from irops.analysis.structure import ModelStructure
from irops.diagnostics.diagnostic import Diagnostic
from irops.diagnostics.rules import rule
from irops.dialects.registry import default_registry
from irops.ir.read import loads
from tests.conftest import net_text


def nested(shape="?", kind="f32"):
    """A TensorIterator "outer" within which there is a TensorIterator "inner"."""
    net = Net()
    body = net.body()
    part = body.parameter("part", kind, shape)
    innermost = body.body()
    p = innermost.parameter("p", "f32", "1")
    maps = takes(0, p, axis=0) + gives(1, innermost.result(p), axis=0)
    (joined,) = body.apply(ITERATOR, part, name="inner", body=(innermost, maps))
    maps = takes(0, part, axis=0) + gives(1, body.result(joined), axis=0)
    net.result(net.apply(ITERATOR, net.parameter("x", "f32", "4"), name="outer", body=(body, maps))[0], "y")
    return net.model()


@pytest.fixture
def chain(net):
    ops = "a: Softmax-opset8 x axis=0; b: Softmax-opset8 a axis=0; c: Softmax-opset8 b axis=-1"
    return net("x: f32[2]", ops, "y: Result c")


def test_equal_layers_share_one_invocation(chain):
    find = ModelStructure(chain).root.find
    assert find("a").invocation is find("b").invocation
    assert find("a").invocation is not find("c").invocation
    assert find("c").invocation.attributes == {"axis": -1}


def test_a_layer_is_found_by_id_and_by_name_and_of_equal_names_the_first(chain):
    chain.layers[2].name = "a"
    root = ModelStructure(chain).root
    assert root.find("a").layer.id == 1
    assert root.find(2).layer.id == 2
    assert root.find("y").layer.name == "y"


@pytest.mark.parametrize(
    ("key", "message"),
    [(9, "there is no layer or tensor 9"), ("aa", "there is no layer or tensor 'aa'; did you mean 'a'?")],
)
def test_an_unknown_layer_is_a_key_error_with_a_suggestion(chain, key, message):
    with pytest.raises(KeyError) as caught:
        ModelStructure(chain).root.find(key)
    assert caught.value.args == (message,)


def test_graphs_are_found_by_their_paths_and_know_the_graph_around():
    structure = ModelStructure(nested())
    paths = [(), ("outer", "body"), ("outer", "body", "inner", "body")]
    assert [graph.path for graph in structure.graphs] == paths
    assert {path: structure.by_path[path].path for path in paths} == {path: path for path in paths}
    root, outer, inner = structure.graphs
    assert (root.outer, outer.outer, inner.outer) == (None, root, outer)
    assert [graph.what for graph in structure.graphs] == ["the graph", "the body", "the body"]
    expected = [("outer", "body"), ("inner", "body")]
    assert [(body.layer.name, body.body.name) for body in structure.bodies] == expected
    assert [body.graph for body in root.bodies] == [outer]
    assert all(node.path == outer.path for node in outer.layers.values())


def test_parameters_results_and_the_order_are_those_of_the_graph(chain):
    root = ModelStructure(chain).root
    assert [layer.name for layer in root.parameters] == ["x"]
    assert [layer.name for layer in root.results] == ["y"]
    assert [node.layer.name for node in root.order] == ["x", "a", "b", "c", "y"]
    assert all(node.op is not None for node in root.order)
    assert not any(node.is_misconnected for node in root.order)


def test_a_layer_whose_edges_are_faulty_is_marked_and_the_others_are_not():
    text = net_text("x: f32[2]; a: Abs x").replace('from-port="0"', 'from-port="9"')
    root = ModelStructure(loads(text.encode())[0]).root
    expected = [("x", False), ("a", True)]
    assert [(node.layer.name, node.is_misconnected) for node in root.layers.values()] == expected


@pytest.mark.parametrize(
    ("shape", "kind", "fact"), [("2,?", "f16", "f16[2,?]"), ("two", "f16", "dynamic[...]")]
)
def test_a_body_knows_what_its_parameters_declare(shape, kind, fact):
    (body,) = ModelStructure(nested(shape, kind)).root.bodies
    assert [str(one) for one in body.declared] == [fact]


def test_a_parameter_of_no_opset_declares_nothing():
    model = nested()
    (body,) = model.layers[1].bodies.values()
    body.graph.layers[0].version = "opset99"
    (node,) = ModelStructure(model).root.bodies
    assert [str(one) for one in node.declared] == ["dynamic[...]"]


def test_graphs_that_were_read_in_part_are_known():
    model = nested()
    path = ("outer", "body")
    error = Diagnostic(rule("unknown-input"), "unread", model.location(path=path))
    structure = ModelStructure(model, read_findings=[error])
    assert structure.partially_read == {path}
    assert [graph.path for graph in structure.fully_read] == [(), (*path, "inner", "body")]
    assert ModelStructure(model).partially_read == frozenset()


def test_a_model_without_a_file_cannot_be_edited(chain):
    assert ModelStructure(chain).editable is chain.source
    chain.source = None
    assert ModelStructure(chain).editable is None


def test_a_finding_has_its_place_and_its_notes(chain):
    structure = ModelStructure(chain)
    layer = chain.layers[1]
    notes = ("OpenVINO refuses the file", "see above")
    found = structure.finding("dead-layer", "text", layer.at, structure.root, layer, notes=notes)
    assert (found.name, found.message, found.location.layer_name) == ("dead-layer", "text", "a")
    assert found.notes == notes


def test_ops_are_counted_with_those_of_bodies():
    structure = ModelStructure(nested())
    assert structure.op_counts["TensorIterator", "opset1"] == 2
    assert structure.op_counts["Parameter", "opset1"] == 3
    assert structure.op_counts["Abs", "opset1"] == 0


def test_what_follows_from_the_model_alone_is_worked_out_once(chain):
    analysis = analyse(chain)
    assert analysis.signature is analysis.signature
    assert analysis.structural_findings is analysis.structural_findings
    assert analysis.infer() is analysis.infer({}) is analysis.declared
    assert analysis.infer({"x": "2"}) is not analysis.declared
    for name in ("order", "parameters", "results"):
        assert getattr(analysis.root, name) is getattr(analysis.root, name)
    assert irops.infer(analysis) is analysis.declared


def test_equal_bodies_of_two_structures_are_two():
    model = nested()
    (first,), (second,) = (tuple(ModelStructure(model).root.bodies) for _ in range(2))
    assert first != second
    assert len({first, second, first}) == 2


def test_notes_about_openvino_are_left_out_for_models_of_other_dialects():
    model = one_op_model(default_registry().op("onnx:Add-13"), {}, [np.ones(2, np.float32)] * 2)[0]
    structure = ModelStructure(model)
    notes = ("OpenVINO refuses the file", "see above")
    found = structure.finding("dead-layer", "text", -1, structure.root, notes=notes)
    assert found.notes == ("see above",)
