"""Models as values: what finds what in them, and what makes two equal."""

from dataclasses import fields, replace

import pytest

from irops.diagnostics.diagnostic import Location
from irops.ir.locate import SourceText
from irops.ir.model import (
    BackEdge,
    Body,
    Edge,
    Element,
    Layer,
    LayerGraph,
    LayerKind,
    Model,
    Port,
    PortMapping,
    walk,
)

INNER = LayerGraph([Layer(0, "in", "Parameter", "opset1")])
LOOP = Layer(1, "loop", "Loop", "opset5", bodies={"body": Body("body", INNER)})
GRAPH = LayerGraph([Layer(0, "x", "Parameter", "opset1"), LOOP, Layer(2, "y", "Result", "opset1")])
PLACED = [
    Element("t"),
    Port(0),
    PortMapping(0, 0),
    BackEdge(0, 0),
    Body("body", LayerGraph()),
    Layer(0, "n", "T", "opset1"),
    Edge(0, 0, 0, 0),
]


@pytest.mark.parametrize("item", PLACED, ids=lambda item: type(item).__name__)
def test_what_was_not_read_from_a_file_has_no_place_and_places_do_not_count(item):
    places = [one.name for one in fields(item) if one.name in ("at", "data_at")]
    assert places
    for name in places:
        assert getattr(item, name) == -1
        if name == "at":
            assert replace(item, at=5) == item
            assert replace(item, at=5).at == 5


def test_what_could_not_be_read_does_not_count_either():
    assert LayerGraph(incomplete=True) == LayerGraph()
    assert Body("body", LayerGraph(), incomplete=True) == Body("body", LayerGraph())
    assert not LayerGraph().incomplete
    assert not Body("body", LayerGraph()).incomplete
    assert not Port(0).absent


def test_a_mapping_takes_the_whole_tensor_unless_it_is_cut():
    assert PortMapping(0, 0) == PortMapping(0, 0, axis=None, start=0, end=-1, stride=1, part_size=1)


def test_a_model_is_one_of_openvino_of_version_11_without_anything():
    assert Model() == Model(name="", version=11, graph=LayerGraph([], []), dialect="openvino")


def test_a_model_does_not_compare_its_weights_and_source():
    assert Model(weights=object()) == Model()
    assert Model(source=object()) == Model()
    assert Model(name="a") != Model()


def test_a_layer_is_found_by_id_or_name():
    model = Model(graph=GRAPH)
    assert model.layer(2) is GRAPH.layers[2]
    assert model.layer("loop") is LOOP
    assert GRAPH.layer("x") is GRAPH.layers[0]
    assert model.layer("2") is model.layer(2)
    for missing in (7, "z"):
        with pytest.raises(KeyError):
            GRAPH.layer(missing)


def test_a_layer_is_found_after_the_layers_have_changed():
    graph = LayerGraph(
        [Layer(0, "a", "T", "opset1"), Layer(1, "b", "T", "opset1"), Layer(2, "b", "T", "opset1")]
    )
    first, second, third = graph.layers
    assert (graph.layer("b"), graph.layer(2), graph.layer(0)) == (second, third, first)
    assert graph.layer("b") is second
    graph.layers.reverse()
    assert graph.layer(1) is second
    second.name = "c"
    assert graph.layer("c") is second
    graph.layers.remove(second)
    with pytest.raises(KeyError, match="there is no layer or tensor 'c'"):
        graph.layer("c")
    graph.layers.clear()
    with pytest.raises(KeyError):
        graph.layer("a")


def test_a_graph_is_made_of_layers_and_edges_alone():
    with pytest.raises(TypeError, match="_places"):
        LayerGraph(_places={})


def test_looking_a_layer_up_makes_no_graph_differ():
    graph = LayerGraph(list(GRAPH.layers))
    graph.layer("x")
    assert graph == GRAPH
    assert repr(graph) == repr(LayerGraph(list(GRAPH.layers)))


def test_a_layer_has_a_place_in_its_file_or_a_name_alone():
    layer = Layer(3, "n", "T", "opset1", at=6, data_at=16)
    source = SourceText("m.xml", b"<net>\n<layer x='1'><data/></layer></net>")
    model = Model(graph=LayerGraph([layer]), source=source)
    assert model.location(layer) == Location("m.xml", 2, 1, 3, "n")
    assert model.location(layer, ("loop", "body")) == Location("m.xml", 2, 1, 3, "n", ("loop", "body"))
    assert model.location(layer, attribute="x") == Location("m.xml", 2, 8, 3, "n")
    assert model.location(layer, at=0) == Location("m.xml", 1, 1, 3, "n")
    assert model.location() == Location("m.xml")
    assert model.location(at=0) == Location("m.xml", 1, 1)
    assert Model().location(layer, ("a", "b")) == Location(None, None, None, 3, "n", ("a", "b"))


def test_walking_goes_into_bodies_behind_their_layer():
    walked = [(path, layer.name) for path, layer in Model(graph=GRAPH).walk()]
    assert walked == [((), "x"), ((), "loop"), (("loop", "body"), "in"), ((), "y")]
    assert [path for path, _ in walk(INNER, ("a", "b"))] == [("a", "b")]


def test_a_port_is_found_by_its_label_and_the_first_of_those_that_repeat():
    layer = Layer(0, "n", "T", "opset1", inputs=[Port(7), Port(3), Port(7)], outputs=[Port(3), Port(9)])
    assert [layer.input_index(k) for k in (7, 3, 0)] == [0, 1, None]
    assert [layer.output_index(k) for k in (3, 9, 7)] == [0, 1, None]


@pytest.mark.parametrize(
    ("type", "kind", "intended"),
    [
        ("Result", LayerKind.RESULT, LayerKind.RESULT),
        ("result", LayerKind.OPERATION, LayerKind.RESULT),
        ("Const", LayerKind.CONSTANT, LayerKind.CONSTANT),
        ("const", LayerKind.OPERATION, LayerKind.CONSTANT),
        ("Constant", LayerKind.OPERATION, LayerKind.OPERATION),
        ("Parameter", LayerKind.PARAMETER, LayerKind.PARAMETER),
        ("PARAMETER", LayerKind.PARAMETER, LayerKind.PARAMETER),
        ("assign", LayerKind.SINK, LayerKind.SINK),
        ("Add", LayerKind.OPERATION, LayerKind.OPERATION),
    ],
)
def test_the_kind_of_a_layer_is_that_of_its_type_unless_its_dialect_says_another(type, kind, intended):
    layer = Layer(0, "n", type, "opset1")
    assert (layer.kind, layer.intended_kind) == (kind, intended)
    assert layer.is_constant is (kind is LayerKind.CONSTANT)
    own = replace(layer, own_kind=LayerKind.CONSTANT)
    assert (own.kind, own.intended_kind, own.is_constant) == (LayerKind.CONSTANT, LayerKind.CONSTANT, True)
    assert own == layer


def test_a_layer_is_named_with_id_and_type():
    assert str(LOOP) == 'layer 1 "loop" (Loop)'


def test_another_graph_leaves_the_rest_of_the_model():
    model = Model(name="m", graph=GRAPH, version=10)
    assert model.with_graph(INNER) == Model(name="m", graph=INNER, version=10)


def test_a_model_is_asked_for_its_inputs_results_and_layers(net):
    model = net("a: f32[2]", "b: f32[2]", "sum: Add a b", "y: Result sum", "z: Result a")
    assert [layer.name for layer in model.inputs] == ["a", "b"]
    assert [layer.name for layer in model.results] == ["y", "z"]
    assert model["sum"] is model.layers[2]
    assert (len(model), bool(model), bool(Model("empty"))) == (5, True, True)
    assert list(model) == model.layers
    assert [item in model for item in ("sum", 0, model.layers[1], "sun", 5, None)] == [True] * 3 + [False] * 3
    with pytest.raises(KeyError, match="did you mean 'sum'"):
        model["sun"]
