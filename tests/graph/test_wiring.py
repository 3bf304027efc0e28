"""Edges and port labels, resolved to positions."""

from __future__ import annotations

import pytest

from irops.graph.topology import Wiring, cycles, feeding_layers
from irops.ir.model import Edge, Layer, LayerGraph, Port


def layer(id_: int, inputs: tuple[int, ...] = (), outputs: tuple[int, ...] = (), type_: str = "Add") -> Layer:
    return Layer(
        id_,
        f"layer{id_}",
        type_,
        "opset1",
        inputs=[Port(p) for p in inputs],
        outputs=[Port(p) for p in outputs],
    )


def chain(*pairs: tuple[int, int], type_of: dict[int, str] | None = None) -> LayerGraph:
    """A graph of layers with an input port for each edge into them (labels from 0), output label 100."""
    ids = list(dict.fromkeys(i for pair in pairs for i in pair))
    fed: dict[int, list[int]] = {i: [] for i in ids}
    for a, b in pairs:
        fed[b].append(a)
    layers = [layer(i, tuple(range(len(fed[i]))), (100,), (type_of or {}).get(i, "Add")) for i in ids]
    return LayerGraph(layers, [Edge(a, 100, b, k) for b in ids for k, a in enumerate(fed[b])])


def names(wiring: Wiring, layer_id: int) -> list[tuple[str, int] | None]:
    return [s and (s[0].name, s[1]) for s in wiring.inputs[layer_id]]


def faults(graph: LayerGraph) -> list[tuple[str, int, int]]:
    wiring = Wiring(graph)
    return [(f.rule, f.edge.from_layer, f.edge.to_layer) for f in wiring.faults] + [
        ("unconnected", x.id, k) for x, k in wiring.unconnected
    ]


def test_a_port_id_is_a_label_and_its_place_decides() -> None:
    graph = LayerGraph([layer(0, (), (7, 3)), layer(1, (9, 4), (2,))], [Edge(0, 3, 1, 9), Edge(0, 7, 1, 4)])
    assert names(Wiring(graph), 1) == [("layer0", 1), ("layer0", 0)]


def test_labels_that_look_like_positions_but_are_not_are_labels() -> None:
    graph = LayerGraph(
        [layer(0, (), (0,)), layer(1, (1, 0), (5,)), layer(2, (0,))],
        [Edge(0, 0, 1, 1), Edge(0, 0, 1, 0), Edge(1, 5, 2, 0)],
    )
    wiring = Wiring(graph)
    assert wiring.faults == []
    assert wiring.inputs[1][0] == (graph.layers[0], 0)


def test_input_and_output_labels_are_apart() -> None:
    graph = LayerGraph(
        [layer(0, (), (0,)), layer(1, (0,), (0,)), layer(2, (0,))], [Edge(0, 0, 1, 0), Edge(1, 0, 2, 0)]
    )
    assert Wiring(graph).faults == []


def test_an_edge_from_an_absent_layer_dangles() -> None:
    graph = LayerGraph([layer(0, (0,))], [Edge(9, 0, 0, 0)])
    assert faults(graph) == [("dangling-edge", 9, 0)]


def test_an_edge_that_ends_nowhere_is_the_only_fault() -> None:
    graph = LayerGraph([layer(0, (), (0,)), layer(1, (0,))], [Edge(0, 0, 77, 0)])
    assert faults(graph) == [("dangling-edge", 0, 77)]


def test_an_edge_to_an_absent_port_hides_that_the_input_is_unconnected() -> None:
    graph = LayerGraph([layer(0, (), (0,)), layer(1, (0,))], [Edge(0, 0, 1, 5)])
    assert faults(graph) == [("unknown-input-port", 0, 1)]


def test_an_edge_cannot_start_at_an_input_port() -> None:
    graph = LayerGraph(
        [layer(0, (), (0,)), layer(1, (0,), (1,)), layer(2, (0,))], [Edge(0, 0, 1, 0), Edge(1, 0, 2, 0)]
    )
    assert faults(graph) == [("unknown-output-port", 1, 2)]


def test_an_input_has_one_edge() -> None:
    graph = LayerGraph([layer(0, (), (0,)), layer(1, (0,))], [Edge(0, 0, 1, 0), Edge(0, 0, 1, 0)])
    assert faults(graph) == [("multiple-producers", 0, 1)]


def test_an_input_without_an_edge_is_reported_with_its_index() -> None:
    graph = LayerGraph([layer(0, (), (0,)), layer(1, (0, 1, 2))], [Edge(0, 0, 1, 0), Edge(0, 0, 1, 2)])
    wiring = Wiring(graph)
    assert wiring.faults == []
    assert wiring.unconnected == [(graph.layers[1], 1)]
    assert wiring.faulty == {1}


def test_repeated_labels_are_the_readers_complaint_alone() -> None:
    graph = LayerGraph([layer(0, (), (0,)), layer(1, (0, 0))], [Edge(0, 0, 1, 0), Edge(0, 0, 1, 1)])
    assert faults(graph) == []


def test_the_last_of_several_layers_with_one_id_counts() -> None:
    graph = LayerGraph([layer(0, (), (0,)), layer(1, (0,)), layer(1, (0,))], [Edge(0, 0, 1, 0)])
    wiring = Wiring(graph)
    assert wiring.layers[1] is graph.layers[2]
    assert [x is graph.layers[2] for x in wiring.order] == [False, True]


def test_a_repeated_id_is_the_readers_complaint_alone() -> None:
    graph = LayerGraph(
        [layer(0, (), (0,)), layer(1, (0,), (5,)), layer(1, (7,), (6,)), layer(2, (0,))],
        [Edge(0, 0, 1, 0), Edge(1, 5, 2, 0)],
    )
    assert faults(graph) == []
    assert Wiring(graph).faulty == {1, 2}


def test_consumers_are_listed_by_output() -> None:
    graph = LayerGraph(
        [layer(0, (), (0, 1)), layer(1, (0, 1)), layer(2, (0,))],
        [Edge(0, 1, 1, 0), Edge(0, 0, 1, 1), Edge(0, 1, 2, 0)],
    )
    wiring = Wiring(graph)
    assert {key: [(x.id, k) for x, k in found] for key, found in wiring.consumers.items()} == {
        (0, 1): [(1, 0), (2, 0)],
        (0, 0): [(1, 1)],
    }


def test_an_ordered_file_keeps_its_order_but_for_parameters() -> None:
    graph = chain((5, 3), (3, 8), (7, 8), type_of={7: "Parameter"})
    assert [x.id for x in Wiring(graph).order] == [7, 5, 3, 8]


def test_a_shuffled_file_is_sorted_and_ties_go_by_the_file() -> None:
    graph = chain((5, 9), (4, 9), (9, 1), (4, 2))
    graph.layers.sort(key=lambda x: x.id)  # 1 2 4 5 9
    assert [x.id for x in Wiring(graph).order] == [4, 2, 5, 9, 1]


def test_layers_behind_a_cycle_are_not_in_the_order() -> None:
    wiring = Wiring(chain((0, 1), (1, 2), (2, 1), (2, 3)))
    assert [x.id for x in wiring.order] == [0]


def test_a_cycle_names_its_layers_and_not_those_that_depend_on_it() -> None:
    wiring = Wiring(chain((0, 1), (1, 2), (2, 1), (2, 3)))
    assert [[x.id for x in cycle] for cycle in cycles(wiring)] == [[1, 2]]


def test_the_shortest_cycle_is_reported() -> None:
    wiring = Wiring(chain((1, 2), (2, 3), (3, 4), (4, 1), (2, 1)))
    assert [[x.id for x in cycle] for cycle in cycles(wiring)] == [[1, 2]]


def test_a_long_cycle_is_reported_from_its_first_layer_on() -> None:
    wiring = Wiring(chain((3, 1), (1, 4), (4, 2), (2, 3)))
    assert [[x.id for x in cycle] for cycle in cycles(wiring)] == [[3, 1, 4, 2]]


def test_a_layer_that_feeds_itself_is_a_cycle() -> None:
    wiring = Wiring(chain((0, 1), (1, 1)))
    assert [[x.id for x in cycle] for cycle in cycles(wiring)] == [[1]]


def test_two_strongly_connected_components_are_two_cycles() -> None:
    wiring = Wiring(chain((0, 1), (1, 0), (2, 3), (3, 2), (1, 2)))
    assert [[x.id for x in cycle] for cycle in cycles(wiring)] == [[0, 1], [2, 3]]


@pytest.mark.slow("a large model")
def test_a_chain_of_fifty_thousand_layers_needs_no_recursion() -> None:
    wiring = Wiring(chain(*((i + 1, i) for i in range(50_000))))
    assert [x.id for x in wiring.order] == list(range(50_000, -1, -1))


def test_layers_that_feed_a_sink_are_found_backwards() -> None:
    wiring = Wiring(chain((0, 1), (1, 2), (0, 3)))
    assert feeding_layers(wiring, [wiring.layers[2]]) == {0, 1, 2}


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


def test_an_edge_that_is_both_is_found_at_its_source_first() -> None:
    graph = LayerGraph([layer(0, (), (0,)), layer(1, (0,))], [Edge(0, 5, 1, 7)])
    assert [f.rule for f in Wiring(graph).faults] == ["unknown-output-port"]


def test_a_layer_without_a_readable_input_is_faulty_and_one_without_ports_is_not() -> None:
    graph = LayerGraph([layer(0, (), (0,)), layer(1, (0,)), layer(2)], [Edge(0, 9, 1, 0)])
    wiring = Wiring(graph)
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


def test_repeated_output_labels_are_ambiguous_too() -> None:
    graph = LayerGraph([layer(0, (), (0, 0)), layer(1, (0,))], [Edge(0, 9, 1, 0)])
    assert faults(graph) == []
    graph = LayerGraph([layer(0, (0, 1), (2, 2))])
    assert faults(graph) == []


def test_faults_of_other_layers_are_found_beside_one_whose_id_repeats() -> None:
    graph = LayerGraph([layer(0, (), (0,)), layer(1), layer(1), layer(2, (0,))], [Edge(0, 7, 2, 0)])
    assert faults(graph) == [("unknown-output-port", 0, 2)]


def test_consumers_and_order_are_worked_out_once() -> None:
    wiring = Wiring(chain((0, 1)))
    assert wiring.consumers is wiring.consumers
    assert wiring.order is wiring.order
    assert wiring.faulty is wiring.faulty
    assert wiring.unconnected is wiring.unconnected


def test_a_source_that_feeds_twice_is_waited_for_once_per_input() -> None:
    graph = chain((5, 3), (5, 3), (3, 1))
    graph.layers.sort(key=lambda x: x.id)
    assert [x.id for x in Wiring(graph).order] == [5, 3, 1]


def test_layers_without_inputs_keep_their_places_in_a_shuffled_file() -> None:
    graph = LayerGraph([layer(0, (0,), (100,)), layer(1, (), (100,)), layer(2, (), (100,)), layer(3, (0,))])
    graph.edges = [Edge(2, 100, 0, 0), Edge(1, 100, 3, 0)]
    assert [x.id for x in Wiring(graph).order] == [1, 2, 0, 3]


def test_an_input_that_nothing_feeds_does_not_keep_a_layer_waiting() -> None:
    graph = LayerGraph([layer(0, (0, 1)), layer(1, (), (100,))], [Edge(1, 100, 0, 1)])
    assert [x.id for x in Wiring(graph).order] == [1, 0]


def test_parameters_come_first_in_any_case_of_their_type() -> None:
    graph = chain((1, 2), (3, 4), type_of={3: "parameter"})
    assert [x.id for x in Wiring(graph).order] == [3, 1, 2, 4]


def test_a_graph_without_a_cycle_has_none() -> None:
    assert cycles(Wiring(chain((0, 1), (1, 2)))) == []
    assert cycles(Wiring(LayerGraph())) == []


def test_cycles_are_in_the_order_of_the_file() -> None:
    wiring = Wiring(chain((7, 6), (6, 7), (3, 2), (2, 3), (5, 5)))
    assert [[x.id for x in cycle] for cycle in cycles(wiring)] == [[7, 6], [3, 2], [5]]


def test_the_shortest_way_is_found_among_longer_ones() -> None:
    wiring = Wiring(chain((1, 2), (1, 3), (2, 4), (3, 5), (4, 6), (5, 1), (6, 1)))
    assert [[x.id for x in cycle] for cycle in cycles(wiring)] == [[1, 3, 5]]


def test_a_layer_that_feeds_itself_within_a_larger_cycle_is_the_shortest() -> None:
    wiring = Wiring(chain((1, 1), (1, 2), (2, 1)))
    assert [[x.id for x in cycle] for cycle in cycles(wiring)] == [[1]]


def test_a_component_is_reported_by_a_cycle_through_its_first_layer() -> None:
    wiring = Wiring(chain((1, 2), (2, 3), (3, 2), (3, 1)))
    assert [[x.id for x in cycle] for cycle in cycles(wiring)] == [[1, 2, 3]]


def test_sinks_that_nothing_feeds_are_found_alone() -> None:
    wiring = Wiring(chain((0, 1), (2, 3), (3, 3)))
    assert feeding_layers(wiring, [wiring.layers[0]]) == {0}
    assert feeding_layers(wiring, []) == set()
    assert feeding_layers(wiring, [wiring.layers[1], wiring.layers[3]]) == {0, 1, 2, 3}
    graph = LayerGraph([layer(0, (0, 1)), layer(1, (), (100,))], [Edge(1, 100, 0, 1)])
    wiring = Wiring(graph)
    assert feeding_layers(wiring, [graph.layers[0]]) == {0, 1}


def test_cycles_are_reported_in_the_order_of_their_first_layers() -> None:
    wiring = Wiring(chain((1, 4), (4, 1), (2, 3), (3, 2)))
    assert [[x.id for x in cycle] for cycle in cycles(wiring)] == [[1, 4], [2, 3]]
