"""Models that are changed node by node."""

import difflib
from pathlib import Path

import numpy as np
import pytest
from tables import table

import irops
from irops.diagnostics.diagnostic import DiagnosticError

EXAMPLE = Path(__file__).parents[3] / "examples" / "digit_classifier" / "model.xml"
TEXT = Path(__file__).with_name("small.xml").read_text()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "small.xml"
    path.write_text(TEXT)
    return path


def written(graph, place):
    irops.write(graph.model(), place.with_name("written.xml"))
    assert not [d for d in irops.check(place.with_name("written.xml")) if d.severity == "error"]
    return place.with_name("written.xml").read_text()


def changes(graph, file):
    """The lines that a written graph lacks, and those that it has more, beside the file."""
    lines = list(difflib.ndiff(TEXT.splitlines(), written(graph, file).splitlines()))
    return [d[2:].strip() for d in lines if d[0] == "-"], [d[2:].strip() for d in lines if d[0] == "+"]


def y(file, x):
    """The result y of the graph that was written, of x's."""
    return irops.run(file.with_name("written.xml"), {"X": np.full((1, 4), x, np.float32)})["y"].tolist()


def test_a_graph_that_is_not_changed_is_the_model(file):
    model = irops.read(file)
    graph = irops.Graph(model)
    assert written(graph, file) == TEXT
    assert graph.model().layers[0] is model.layers[0]


def test_the_model_itself_is_not_changed(file):
    model = irops.read(file)
    graph = irops.Graph(model)
    graph.rename(graph["sum"], "total")
    graph.insert_after(graph["total"], "Tanh")
    irops.write(model, file.with_name("again.xml"))
    assert file.with_name("again.xml").read_text() == TEXT


def test_a_new_name_changes_one_line(file):
    graph = irops.Graph(irops.read(file))
    graph.rename(graph["sum"], "total")
    removed, added = changes(graph, file)
    assert removed == ['<layer id="9" name="sum" type="Add" version="opset1">']
    assert added == ['<layer id="9" name="total" type="Add" version="opset1">']


def test_a_node_is_replaced_in_place(file):
    graph = irops.Graph(irops.read(file))
    node = graph.replace(graph["relu"], "Clamp-1", min=0, max=6)
    assert node is graph["relu"]
    removed, added = changes(graph, file)
    assert removed == ['<layer id="8" name="relu" type="ReLU" version="opset1">']
    assert added == ['<layer id="8" name="relu" type="Clamp" version="opset1">', '<data min="0" max="6" />']
    assert y(file, 5) == [[6] * 4]


def test_attributes_are_set_one_by_one():
    graph = irops.Graph(irops.read(EXAMPLE))
    node = next(n for n in graph if n.type in ("Convolution", "MaxPool"))
    before = dict(node.data)
    name = "pads_end"
    graph.set_attributes(node, **{name: [0 for _ in node.attributes[name]]})
    assert {k: v for k, v in node.data.items() if k != name} == {k: v for k, v in before.items() if k != name}


EDITS = {
    "after another, for all users": (lambda g: g.insert_after(g["x"], "Negative", name="minus"), -5, 10),
    "before a result, which keeps its name": (lambda g: g.insert_after(g["relu"], "Negative"), 1, -2),
    "before one input": (lambda g: g.insert_before(g["sum"], "Multiply", 10.0, input=1), 1, 11),
    "removed, so that users take its input": (lambda g: g.remove(g["relu"]), -1, -2),
    "with other inputs": (
        lambda g: g.replace(g["sum"], "Multiply", g["x"].output, 3.0, auto_broadcast="numpy"),
        1,
        3,
    ),
    "by a value": (lambda g: g.replace(g["relu"], g["x"].output), -1, -1),
    "with a further result": (lambda g: g.add_result(g["sum"].output, "between"), -1, 0),
}
"""How nodes are inserted, removed or replaced, an x, and the y of it."""


@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_graph_computes_what_its_nodes_say(edit, file):
    graph = irops.Graph(irops.read(file))
    change, x, expected = EDITS[edit]
    relu = graph["relu"]
    change(graph)
    written(graph, file)
    assert y(file, x) == [[expected] * 4]
    assert (relu in graph) is ("removed" not in edit and edit != "by a value")


def test_a_node_is_inserted_where_it_is_computed(file):
    graph = irops.Graph(irops.read(file))
    node = graph.insert_after(graph["x"], "Negative", name="minus")
    assert [value.node for value in graph["sum"].inputs if value is not None] == [node, node]
    assert [n.name for n in graph] == ["x", "minus", "sum", "relu", "y/result"]
    graph.add_result(graph["sum"].output, "between")
    written(graph, file)
    results = irops.run(file.with_name("written.xml"), {"x": np.ones((1, 4), np.float32)})
    assert results["between"].tolist() == [[-2] * 4]


def test_shapes_behind_a_new_input_shape_follow(file):
    graph = irops.Graph(irops.read(file))
    graph.reshape({"X": "3,N"})
    assert str(graph.results[0]) == "f32[3,N]"
    removed, added = changes(graph, file)
    assert removed == ['<data shape="?,4" element_type="f32" />', *["<dim>4</dim>"] * 7]
    assert added.count("<dim>3</dim>") == 7
    assert '<data shape="3,?" element_type="f32" />' in added
    assert irops.run(file.with_name("written.xml"), {"x": np.ones((3, 2), np.float32)})["y"].shape == (3, 2)


def branch(type):
    graph = irops.Graph(type)
    graph.result(graph.add(type, graph.parameter("z", "f32", [2, 3])), name=type)
    return graph


def test_shapes_within_bodies_follow_too(tmp_path):
    graph = irops.Graph("choice")
    condition, x = graph.parameter("c", "boolean", []), graph.parameter("x", "f32", [2, 3])
    (chosen,) = graph.If(condition, branch("Exp"), branch("Tanh"), {"z": x})
    graph.result(chosen, name="y")
    irops.write(graph.model(), tmp_path / "before.xml")
    changed = irops.Graph(irops.read(tmp_path / "before.xml"))
    changed.reshape({"x": "5,N"})
    irops.write(changed.model(), tmp_path / "after.xml")
    assert not list(irops.check(tmp_path / "after.xml"))
    assert "<dim>2</dim>" not in (tmp_path / "after.xml").read_text()


def test_a_shape_that_no_node_behind_accepts_is_refused():
    model = irops.read(EXAMPLE)
    graph = irops.Graph(model)
    before = [str(value) for node in graph for value in node.outputs]
    name = graph.inputs[0].node.name
    with pytest.raises(DiagnosticError, match="requires"):
        graph.reshape({name: "1,7,12,12"})
    assert [str(value) for node in graph for value in node.outputs] == before
    assert graph.model().graph == model.graph
    with pytest.raises(DiagnosticError, match=r"IR602.*did you mean"):
        graph.reshape({f"{name}s": "1,1,12,12"})
    with pytest.raises(DiagnosticError, match="IR407"):
        graph.reshape({name: "1,1,twelve!"})


def test_a_constant_gets_another_value(tmp_path):
    graph = irops.Graph(irops.read(EXAMPLE))
    constant = next(n for n in graph.find("Const") if n.outputs[0].element_type.floating)
    wanted = np.zeros(constant.outputs[0].shape.to_tuple(), np.float32)
    graph.set_constant(constant, wanted)
    irops.write(graph.model(), tmp_path / "m.xml")
    again = irops.Graph(irops.read(tmp_path / "m.xml"))
    assert (again[constant.name].output.value == wanted).all()
    with pytest.raises(DiagnosticError, match="is no constant"):
        graph.set_constant(graph.inputs[0].node, 1)


def test_a_shape_that_follows_from_a_constant_follows_its_value():
    graph = irops.Graph()
    x = graph.parameter("x", "f32[N,6]")
    y = graph.ops.Reshape(x, graph.constant([-1, 2, 3], "pattern"), special_zero=False)
    z = graph.ops.ShapeOf(graph.ops.ReLU(y), output_type="i64")
    assert str(y) == "f32[N,2,3]"
    graph.set_constant(graph["pattern"], [3, -1])
    assert str(y.shape.dims[0]) == "3"
    assert str(z) == "i64[2]"


def test_nodes_are_found_by_type_and_name():
    graph = irops.Graph(irops.read(EXAMPLE))
    assert {node.type for node in graph.find("Const")} == {"Const"}
    assert graph.find("Const") == tuple(n for n in graph.order if n.type == "Const")
    first = graph.find("Const")[0]
    assert first in graph.find(name=f"{first.name[:2]}*")
    assert graph.find("Const-1", name=first.name) == (first,)
    assert graph.find("const") == graph.find("CONST-1") == graph.find("Const")
    assert graph.find("NonZero") == graph.find("nonzero-3") == ()


@pytest.mark.parametrize(("type", "message"), table(__file__, "a_type_that_no_opset_has_is_not_looked_for"))
def test_a_type_that_no_opset_has_is_not_looked_for(type, message):
    with pytest.raises(DiagnosticError, match=message):
        irops.Graph(irops.read(EXAMPLE)).find(type)


def test_changes_are_undone_together(file: Path):
    graph = irops.Graph(irops.read(file))
    before = irops.Graph(graph).nodes

    def change():
        with graph.changes():
            graph.rename(graph.nodes[0], "other")
            with pytest.raises(DiagnosticError):  # undoes its own steps and no others
                graph.set_attributes(graph.nodes[0], shape="no shape")
            assert graph.nodes[0].name == "other"
            graph.remove(graph.nodes[0])

    with pytest.raises(DiagnosticError, match="cannot be removed"):
        change()
    assert [(n.name, n.type, n.data) for n in graph] == [(n.name, n.type, n.data) for n in before]


def test_what_no_result_depends_on_is_pruned():
    graph = irops.Graph()
    x, unused = graph.parameter("x", "f32[2]"), graph.parameter("unused", "f32[2]")
    graph.ops.Add(graph.ops.Abs(x, name="abs"), np.float32(1))
    graph.result(x * graph.ops.Abs(unused, name="used"), name="y")
    kept = [node for node in graph.nodes if node.name != "abs" and node.type not in ("Add", "Const")]
    assert graph.prune() == 3
    assert graph.nodes == tuple(kept)
    assert graph.prune() == 0


def test_dir_lists_what_users_call():
    listed = {name for name in dir(irops.Graph()) if not name.startswith("_")}
    assert all(hasattr(irops.Graph(), name) for name in listed)
    assert {"nodes", "inputs", "results", "outputs", "prune", "rename", "find", "ops", "add"} <= listed
    assert listed.isdisjoint({"insert", "connect", "take_over", "facts", "origin", "_put", "_undo"})
    assert set(dir(irops.Graph)) == {*dir(irops.Graph())} - vars(irops.Graph()).keys()


def test_nodes_are_iterated_after_those_that_they_use():
    graph = irops.Graph(irops.read(EXAMPLE))
    done = set()
    for node in graph:
        assert all(value is None or value.node in done for value in node.inputs)
        done.add(node)
    assert len(done) == len(graph)


def test_a_change_that_makes_a_cycle_is_refused(file):
    graph = irops.Graph(irops.read(file))
    with pytest.raises(DiagnosticError, match="a cycle"):
        graph.replace(graph["sum"], "Add", graph["x"].output, graph["relu"].output)
    with pytest.raises(DiagnosticError, match="a cycle"):
        graph.replace(graph["x"], graph["relu"].output)
    for user in ("relu", "sum"):  # by its own output, or by one of a node that uses it
        with pytest.raises(DiagnosticError, match="a cycle"):
            graph.replace(graph["sum"], graph[user].output)
    assert written(graph, file) == TEXT


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda g: g.remove(g["x"]), "would have nothing in its place"),
        (lambda g: g.rename(g["sum"], "relu"), "given to a second node"),
        (lambda g: g.insert_before(g["sum"], "Abs", input=2), "no input 2"),
        (lambda g: g.insert_after(g["y/result"], "Abs"), "has 0 outputs"),
        (lambda g: g.replace(g["relu"], "Convert", destination_type="i32"), None),
        (lambda g: g.replace(g["sum"], "LogicalAnd"), "does not accept f32"),
    ],
)
def test_a_refused_change_changes_nothing(change, message, file):
    graph = irops.Graph(irops.read(file))
    if message is None:
        change(graph)
        return
    with pytest.raises(DiagnosticError, match=message):
        change(graph)
    assert written(graph, file) == TEXT


def test_new_constants_take_no_place_of_bytes_that_the_weights_lack(tmp_path):
    graph = irops.Graph()
    graph.result(graph.constant(np.arange(40, dtype=np.float32)), "y")
    irops.write(graph, tmp_path / "m.xml")
    (tmp_path / "m.bin").write_bytes(bytes(8))
    graph = irops.Graph(irops.read(tmp_path / "m.xml"))
    graph.result(graph.constant(np.ones(400, np.float32)), "z")
    with pytest.raises(DiagnosticError, match="has the bytes 0 to 160, must be within the"):
        irops.write(graph, tmp_path / "written.xml")


def test_a_layer_with_faulty_attributes_can_be_moved(tmp_path):
    graph = irops.Graph()
    x = graph.parameter("x", "f32[2]")
    graph.result(graph.ops.Convert(x, destination_type="i32", name="c"), "y")
    model = graph.model()
    model["c"].data["destination_type"] = "f99"
    graph = irops.Graph(model)
    graph.insert_before(graph["c"], "Abs")
    assert [node.type for node in graph] == ["Parameter", "Abs", "Convert", "Result"]


def test_a_name_is_a_string(file):
    graph = irops.Graph(irops.read(file))
    for call in (graph.result, graph.constant, graph.ops.Abs):
        with pytest.raises(TypeError, match="the name of a node is 5, must be a string"):
            call(graph["x"].output if call != graph.constant else 1, name=5)
    assert written(graph, file) == TEXT


def test_an_input_of_an_unknown_opset_has_no_other_shape(file):
    file.write_text(TEXT.replace('type="Parameter" version="opset1"', 'type="Parameter" version="opset99"'))
    graph = irops.Graph(irops.read(file))
    with pytest.raises(DiagnosticError, match="irops has no definition of"):
        graph.reshape({"x": [3, 4]})


def test_a_removed_node_cannot_be_used(file):
    graph = irops.Graph(irops.read(file))
    node = graph["relu"]
    value = node.output
    graph.remove(node)
    with pytest.raises(DiagnosticError, match="was removed"):
        graph.result(value)
    with pytest.raises(DiagnosticError, match="was removed"):
        graph.rename(node, "z")


def test_a_node_is_located_in_the_file(file):
    graph = irops.Graph(irops.read(file))
    assert (graph["sum"].location.line, graph["sum"].location.column) == (15, 3)
    assert graph.insert_after(graph["sum"], "Abs", name="abs").location.line is None
