"""Edges and port labels, resolved to positions; layers in groups of one type."""

from __future__ import annotations

import pytest
from tables import table

from irops.graph.topology import LayerGroups, Wiring, cycles, feeding_layers
from irops.ir.model import Edge, Layer, LayerGraph, LayerKind, Port


def layer(id_: int, inputs: tuple[int, ...] = (), outputs: tuple[int, ...] = (), type_: str = "Add") -> Layer:
    ports = [[Port(p) for p in labels] for labels in (inputs, outputs)]
    return Layer(id_, f"layer{id_}", type_, "opset1", inputs=ports[0], outputs=ports[1])


def graph_of(*layers: Layer, edges: list[tuple[int, int, int, int]]) -> LayerGraph:
    return LayerGraph(list(layers), [Edge(*edge) for edge in edges])


def chain(*pairs: tuple[int, int], type_of: dict[int, str] | None = None) -> LayerGraph:
    """A graph of layers with an input port for each edge into them (labels from 0), output label 100."""
    ids = list(dict.fromkeys(i for pair in pairs for i in pair))
    fed: dict[int, list[int]] = {i: [] for i in ids}
    for a, b in pairs:
        fed[b].append(a)
    layers = [layer(i, tuple(range(len(fed[i]))), (100,), (type_of or {}).get(i, "Add")) for i in ids]
    return LayerGraph(layers, [Edge(a, 100, b, k) for b in ids for k, a in enumerate(fed[b])])


def in_order_of_ids(graph: LayerGraph) -> LayerGraph:
    graph.layers.sort(key=lambda x: x.id)
    return graph


def names(wiring: Wiring, layer_id: int) -> list[tuple[str, int] | None]:
    return [s and (s[0].name, s[1]) for s in wiring.inputs[layer_id]]


def order(graph: LayerGraph) -> list[int]:
    return [x.id for x in Wiring(graph).order]


SOURCE, SINK = layer(0, (), (0,)), layer(1, (0,))


@pytest.mark.parametrize(
    ("why", "layers", "edges", "faults"),
    [
        ("from an absent layer", [layer(0, (0,))], [(9, 0, 0, 0)], ["dangling-edge 9 0"]),
        ("the end is the only fault", [SOURCE, SINK], [(0, 0, 77, 0)], ["dangling-edge 0 77"]),
        ("an absent port, not an open one", [SOURCE, SINK], [(0, 0, 1, 5)], ["unknown-input-port 0 1"]),
        ("its source comes first", [SOURCE, SINK], [(0, 5, 1, 7)], ["unknown-output-port 0 1"]),
        (
            "from an input port",
            [SOURCE, layer(1, (0,), (1,)), layer(2, (0,))],
            [(0, 0, 1, 0), (1, 0, 2, 0)],
            ["unknown-output-port 1 2"],
        ),
        ("two into one", [SOURCE, SINK], [(0, 0, 1, 0), (0, 0, 1, 0)], ["multiple-producers 0 1"]),
        ("labels repeat, for the reader", [SOURCE, layer(1, (0, 0))], [(0, 0, 1, 0), (0, 0, 1, 1)], []),
        ("output labels repeat", [layer(0, (), (0, 0)), SINK], [(0, 9, 1, 0)], []),
        ("output labels repeat, none is used", [layer(0, (0, 1), (2, 2))], [], []),
        (
            "another layer has an id that repeats",
            [SOURCE, layer(1), layer(1), layer(2, (0,))],
            [(0, 7, 2, 0)],
            ["unknown-output-port 0 2"],
        ),
        (
            "inputs and outputs may have the same labels",
            [SOURCE, layer(1, (0,), (0,)), layer(2, (0,))],
            [(0, 0, 1, 0), (1, 0, 2, 0)],
            [],
        ),
    ],
)
def test_faults_of_edges(why: str, layers: list[Layer], edges: list[tuple], faults: list[str]) -> None:
    wiring = Wiring(graph_of(*layers, edges=edges))
    found = [f"{f.rule} {f.edge.from_layer} {f.edge.to_layer}" for f in wiring.faults]
    assert found + [f"unconnected {x.id} {k}" for x, k in wiring.unconnected] == faults, why


def test_a_port_id_is_a_label_and_its_place_decides() -> None:
    graph = graph_of(layer(0, (), (7, 3)), layer(1, (9, 4), (2,)), edges=[(0, 3, 1, 9), (0, 7, 1, 4)])
    assert names(Wiring(graph), 1) == [("layer0", 1), ("layer0", 0)]


def test_labels_that_look_like_positions_but_are_not_are_labels() -> None:
    layers = SOURCE, layer(1, (1, 0), (5,)), layer(2, (0,))
    wiring = Wiring(graph_of(*layers, edges=[(0, 0, 1, 1), (0, 0, 1, 0), (1, 5, 2, 0)]))
    assert wiring.faults == []
    assert wiring.inputs[1][0] == (SOURCE, 0)


def test_an_input_without_an_edge_is_reported_with_its_index() -> None:
    graph = graph_of(SOURCE, layer(1, (0, 1, 2)), edges=[(0, 0, 1, 0), (0, 0, 1, 2)])
    wiring = Wiring(graph)
    assert wiring.faults == []
    assert wiring.unconnected == [(graph.layers[1], 1)]
    assert wiring.faulty == {1}


def test_the_last_of_several_layers_with_one_id_counts() -> None:
    graph = graph_of(SOURCE, layer(1, (0,)), layer(1, (0,)), edges=[(0, 0, 1, 0)])
    wiring = Wiring(graph)
    assert wiring.layers[1] is graph.layers[2]
    assert [x is graph.layers[2] for x in wiring.order] == [False, True]


def test_a_repeated_id_is_the_readers_complaint_alone() -> None:
    layers = SOURCE, layer(1, (0,), (5,)), layer(1, (7,), (6,)), layer(2, (0,))
    wiring = Wiring(graph_of(*layers, edges=[(0, 0, 1, 0), (1, 5, 2, 0)]))
    assert (wiring.faults, wiring.unconnected, wiring.faulty) == ([], [], {1, 2})


def test_consumers_are_listed_by_output() -> None:
    layers = layer(0, (), (0, 1)), layer(1, (0, 1)), layer(2, (0,))
    wiring = Wiring(graph_of(*layers, edges=[(0, 1, 1, 0), (0, 0, 1, 1), (0, 1, 2, 0)]))
    found = {key: [(x.id, k) for x, k in found] for key, found in wiring.consumers.items()}
    assert found == {(0, 1): [(1, 0), (2, 0)], (0, 0): [(1, 1)]}


@pytest.mark.parametrize(
    ("why", "graph", "ids"),
    [
        (
            "a file in order keeps it but for Parameters",
            chain((5, 3), (3, 8), (7, 8), type_of={7: "Parameter"}),
            [7, 5, 3, 8],
        ),
        ("in any case", chain((1, 2), (3, 4), type_of={3: "parameter"}), [3, 1, 2, 4]),
        ("ties go by the file", in_order_of_ids(chain((5, 9), (4, 9), (9, 1), (4, 2))), [4, 2, 5, 9, 1]),
        ("none behind a cycle", chain((0, 1), (1, 2), (2, 1), (2, 3)), [0]),
        ("waited for once per input", in_order_of_ids(chain((5, 3), (5, 3), (3, 1))), [5, 3, 1]),
        (
            "layers without inputs keep their places",
            graph_of(
                layer(0, (0,), (100,)), layer(1, (), (100,)), layer(2, (), (100,)), layer(3, (0,)),
                edges=[(2, 100, 0, 0), (1, 100, 3, 0)],
            ),
            [1, 2, 0, 3],
        ),
        (
            "an input that nothing feeds keeps no layer waiting",
            graph_of(layer(0, (0, 1)), layer(1, (), (100,)), edges=[(1, 100, 0, 1)]),
            [1, 0],
        ),
    ],
)  # fmt: skip
def test_the_order_of_layers(why: str, graph: LayerGraph, ids: list[int]) -> None:
    assert order(graph) == ids, why


@pytest.mark.slow("a large model")
def test_a_chain_of_fifty_thousand_layers_needs_no_recursion() -> None:
    assert order(chain(*((i + 1, i) for i in range(50_000)))) == list(range(50_000, -1, -1))


@pytest.mark.parametrize(("why", "pairs", "found"), table(__file__, "cycles"))
def test_cycles(why: str, pairs: list[tuple[int, int]], found: list[list[int]]) -> None:
    assert [[x.id for x in cycle] for cycle in cycles(Wiring(chain(*pairs)))] == found, why


def test_layers_that_feed_sinks_are_found_backwards() -> None:
    wiring = Wiring(chain((0, 1), (1, 2), (0, 3)))
    assert feeding_layers(wiring, [wiring.layers[2]]) == {0, 1, 2}
    wiring = Wiring(chain((0, 1), (2, 3), (3, 3)))
    assert feeding_layers(wiring, [wiring.layers[0]]) == {0}
    assert feeding_layers(wiring, []) == set()
    assert feeding_layers(wiring, [wiring.layers[1], wiring.layers[3]]) == {0, 1, 2, 3}
    graph = graph_of(layer(0, (0, 1)), layer(1, (), (100,)), edges=[(1, 100, 0, 1)])
    assert feeding_layers(Wiring(graph), [graph.layers[0]]) == {0, 1}


def test_labels_at_the_edge_of_the_ports_are_found_or_not() -> None:
    target = layer(1, (0, 1), (2, 3))
    wiring = Wiring(LayerGraph([target], []))
    assert [wiring.input_index(target, label) for label in (-1, 0, 1, 2)] == [None, 0, 1, None]
    assert [wiring.output_index(target, label) for label in (1, 2, 3, 4)] == [None, 0, 1, None]
    graph = LayerGraph([layer(0, (), (0, 1)), target], [])
    for label, index in ((0, 0), (1, 1)):
        graph.edges = [Edge(0, label, 1, 0)]
        assert names(Wiring(graph), 1) == [("layer0", index), None]
    for label in (-1, 2):
        graph.edges = [Edge(0, label, 1, 0)]
        assert [f.rule for f in Wiring(graph).faults] == ["unknown-output-port"]
    graph.edges = [Edge(1, 2, 1, 0), Edge(1, 3, 1, 1)]
    assert names(Wiring(graph), 1) == [("layer1", 0), ("layer1", 1)]


def test_labels_are_looked_up_in_a_table_only_where_they_are_not_positions() -> None:
    graph = LayerGraph([layer(0, (), (0, 1)), layer(1, (0, 1), (2,)), layer(2, (0,))])
    graph.edges = [Edge(0, 0, 1, 0), Edge(0, 1, 1, 1), Edge(1, 2, 2, 0)]
    wiring = Wiring(graph)
    assert wiring.faults == []
    assert wiring._labels == {}
    graph.edges.append(Edge(1, 2, 2, 7))
    assert list(Wiring(graph)._labels) == [(2, "input")]


def test_a_layer_without_a_readable_input_is_faulty_and_one_without_ports_is_not() -> None:
    wiring = Wiring(graph_of(SOURCE, SINK, layer(2), edges=[(0, 9, 1, 0)]))
    assert wiring.faulty == {1}
    assert wiring.unconnected == []


def test_an_input_that_is_absent_is_not_unconnected() -> None:
    graph = LayerGraph([layer(0, (0, 1))])
    graph.layers[0].inputs[1].absent = True
    wiring = Wiring(graph)
    assert wiring.unconnected == [(graph.layers[0], 0)]
    assert wiring.faulty == {0}
    graph.layers[0].inputs[0].absent = True
    wiring = Wiring(graph)
    assert wiring.unconnected == []
    assert wiring.faulty == frozenset()


def test_consumers_and_order_are_worked_out_once() -> None:
    wiring = Wiring(chain((0, 1)))
    assert wiring.consumers is wiring.consumers
    assert wiring.order is wiring.order
    assert wiring.faulty is wiring.faulty
    assert wiring.unconnected is wiring.unconnected


TYPES = (
    ("ReLU", "opset1"),
    ("Result", "opset1"),
    ("relu", "opset1"),
    ("Assign", "opset3"),
    ("ReLU", "opset1"),
    ("Result", "opset1"),
    ("ReLU", "opset2"),
)
LAYERS = [Layer(number, f"layer {number}", *kind) for number, kind in enumerate(TYPES)]


def ids(layers):
    return [layer.id for layer in layers]


def test_layers_of_several_groups_are_in_the_order_of_the_file():
    groups = LayerGroups(LAYERS)
    assert ids(groups.of_type("relu")) == [0, 2, 4, 6]
    assert ids(groups.of_kinds(LayerKind.RESULT, LayerKind.SINK)) == [1, 3, 5]
    assert ids(groups.of_type("result")) == [1, 5]
    assert groups.of_type("add") == []


def test_each_group_is_asked_once():
    asked = []
    LayerGroups(LAYERS).where(lambda layer: asked.append(layer.id) or True)
    assert asked == ids(LayerGroups(LAYERS).first_layers) == [0, 1, 2, 3, 6]


def test_a_kind_that_the_reader_knows_makes_a_group():
    known = Layer(9, "x", "ReLU", "opset1", own_kind=LayerKind.PARAMETER)
    groups = LayerGroups([*LAYERS, known])
    assert ids(groups.of_kinds(LayerKind.PARAMETER)) == [9]
    assert ids(groups.of_type("relu")) == [0, 2, 4, 6, 9]
