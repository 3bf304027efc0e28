"""Graphs as Graiphic's toolkit builds them: nodes, their names, what is refused, and what becomes of them."""

import numpy as np
import pytest

import irops
from irops.diagnostics.diagnostic import DiagnosticError
from irops.editing.graiphic import Graph, Switched, as_onnx, export, of_onnx
from irops.values.element import element_type

X = np.array([[1.5, -2], [3, 4], [-5, 6]], np.float32)
LENS = np.array([3, 2])
TURNED = np.array([[-5, 4], [3, -2], [1.5, 6]], np.float32)
TYPES = [
    "boolean", "complex64", "complex128", "f16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16",
    "u32", "u64", "string",
]  # fmt: skip


def turning(kind="f32", **parameters):
    graph = Graph("turned")
    x, lens = graph.input("x", kind, (3, None)), graph.input("lens", "i64", [-1])
    graph.predict(graph.reverse_sequence(x, lens, **parameters), "y")
    return graph.model()


def test_a_graph_is_checked_inferred_run_and_trained():
    model = turning(lda_coeff=0.5)
    assert irops.check(model).diagnostics == ()
    assert str(irops.infer(model, {"x": "3,batch"})["y", 0].shape) == "[3,?]"
    assert np.array_equal(irops.run(model, {"x": X, "lens": LENS})["y"], TURNED)
    found = irops.vjp(model, {"x": X, "lens": LENS}, {"y": TURNED})
    assert set(found) == {"x"}
    assert np.array_equal(found["x"], X / 2)


@pytest.mark.parametrize("kind", TYPES)
def test_each_of_the_fifteen_types_goes_through(kind):
    model = turning(kind)
    numbers = np.array(list("abcdef")) if kind == "string" else np.arange(6)
    x = numbers.reshape(3, 2).astype(element_type(kind, foreign=True).dtype)
    assert irops.check(model).errors == ()
    np.testing.assert_array_equal(
        irops.run(model, {"x": x, "lens": LENS})["y"],
        np.array([[x[2, 0], x[1, 1]], [x[1, 0], x[0, 1]], [x[0, 0], x[2, 1]]], x.dtype),
    )
    differentiable = kind.startswith(("f", "complex"))
    cotangents = {"y": x} if differentiable else {}
    assert set(irops.vjp(model, {"x": x, "lens": LENS}, cotangents)) == ({"x"} if differentiable else set())


def test_bf16_is_not_among_the_types():
    with pytest.raises(DiagnosticError, match=r"IR402.*does not accept bf16 for input 'input'"):
        turning("bf16")


@pytest.mark.parametrize(
    ("batch", "time", "written"),
    [
        (Switched(1), Switched(0), {}),
        (Switched(0), Switched(1), {}),
        (1, 0, {"batch_axis": "1", "time_axis": "0"}),
        (Switched(0, use_it=True), Switched(1, use_it=True), {"batch_axis": "0", "time_axis": "1"}),
        (Switched(0, use_it=True), 1, {"batch_axis": "0", "time_axis": "1"}),
    ],
)
def test_an_axis_counts_where_its_switch_is_on(batch, time, written):
    model = turning(batch_axis=batch, time_axis=time)
    data = model.layer("ReverseSequenceNode_0").data
    assert {name: data[name] for name in ("batch_axis", "time_axis") if name in data} == written
    first = written.get("batch_axis") != "0"
    x, lens = (X, LENS) if first else (X, np.array([2, 1, 2]))
    wanted = TURNED if first else np.array([[-2, 1.5], [3, 4], [6, -5]], np.float32)
    assert np.array_equal(irops.run(model, {"x": x, "lens": lens})["y"], wanted)


def test_outputs_have_the_names_that_are_given_or_those_of_their_node():
    graph = Graph()
    x, lens = graph.input("x", "f32", "?,?"), graph.input("lens", "i64", "?")
    once = graph.reverse_sequence(x, lens)
    active = graph.node("Tanh", once)
    twice = graph.reverse_sequence(active, lens, name="back", specified_outputs_name=["turned_back"])
    graph.predict(graph.reverse_sequence(twice, lens))
    assert [
        (layer.name, *(name for port in layer.outputs for name in port.names))
        for layer in graph.model().layers
    ] == [
        ("x", "x"),
        ("lens", "lens"),
        ("ReverseSequenceNode_0", "ReverseSequenceNode_0_Y"),
        ("TanhNode_1", "TanhNode_1_output"),
        ("back", "turned_back"),
        ("ReverseSequenceNode_3", "ReverseSequenceNode_3_Y"),
        ("ReverseSequenceNode_3_Y",),
    ]


@pytest.fixture
def branch():
    """A function that begins a graph with inputs of its own."""

    def begin(tag="", **options):
        graph = Graph(f"g{tag}", **options)
        return graph, graph.input(f"x{tag}", "f32", "3,2"), graph.input(f"lens{tag}", "i64", "2")

    return begin


def test_branches_are_merged(branch):
    (one, x1, lens1), (other, x2, lens2) = branch(1), branch(2)
    left, right = one.reverse_sequence(x1, lens1), other.reverse_sequence(x2, lens2, lda_coeff=-1)
    assert one.merge(other) is one
    both = one.node("Add", left, other.node("Tanh", right))
    one.predict(both, "y")
    model = other.model()  # what was merged is one graph
    added = ["ReverseSequenceNode_0", "ReverseSequenceNode_1", "TanhNode_2", "AddNode_3"]
    assert [layer.name for layer in model.layers] == ["x1", "lens1", "x2", "lens2", *added, "y"]
    inputs = {"x1": X, "lens1": LENS, "x2": TURNED, "lens2": LENS}
    np.testing.assert_allclose(irops.run(model, inputs)["y"], TURNED + np.tanh(X))
    found = irops.vjp(model, inputs, {"y": np.ones((3, 2), np.float32)})
    np.testing.assert_array_equal(found["x1"], np.ones((3, 2)))
    np.testing.assert_allclose(found["x2"], -(1 - np.tanh(TURNED) ** 2), rtol=1e-5)


def refusals(branch):
    graph, x, lens = branch()
    _, x2, lens2 = branch("2")
    named = branch()[0]
    old = branch("3", opset=20)[0]
    taken = branch("4")
    taken[0].reverse_sequence(*taken[1:], specified_outputs_name=["ReverseSequenceNode_1_Y"])
    taken[0].predict(taken[0].reverse_sequence(*taken[1:]))

    def turn(x=x, lens=lens, **parameters):
        return lambda: graph.reverse_sequence(x, lens, **parameters)

    def constant(*lengths):
        return graph.constant(np.array(lengths))

    def node(*given, **attributes):
        return lambda: graph.node(*given, **attributes)

    return [
        ("IR801", "is given 2 output names (a, b), and has 1", turn(specified_outputs_name=["a", "b"])),
        ("IR802", "'x' is given to a second tensor", turn(specified_outputs_name=["x"])),
        ("IR802", "'lens' is given to a second node", turn(name="lens")),
        ("IR802", "'x' is given to a second node", lambda: graph.input("x", "f32", "3")),
        ("IR802", "'lens' is given to a second node", lambda: graph.merge(named)),
        ("IR802", "'ReverseSequenceNode_1_Y', which a tensor has by itself, is given", taken[0].model),
        ("IR803", "the output name '', must be a text", turn(specified_outputs_name=[""])),
        ("IR804", "an input of ReverseSequence comes from another graph", turn(x, lens2)),
        ("IR804", "the result y comes from another graph", lambda: graph.predict(x2, "y")),
        ("IR805", "of opset 20 cannot be merged into one of opset 22", lambda: graph.merge(old)),
        ("IR806", "lda_coeff of graiphic:ReverseSequence has no switch, but", turn(lda_coeff=Switched(1))),
        ("IR807", "the graph 'g' has no result", graph.model),
        ("IR301", "ONNX has no op 'ReverseSequense'", node("ReverseSequense", x, lens)),
        ("IR301", "did you mean ReverseSequence?", node("ReverseSequense", x, lens)),
        ("IR304", "no definition of ONNX's", node("Conv", x, lens)),
        ("IR311", "did you mean 'axis'?", node("Concat", x, axsi=1)),
        ("IR311", "has no attribute 'seq_axis'", node("ReverseSequence", x, lens, seq_axis=0)),
        ("IR314", "lda_coeff is 'much', must be a number", turn(lda_coeff="much")),
        ("IR314", "training is 'maybe', must be true or false", turn(training="maybe")),
        ("IR315", "batch_axis is 2, must be 0 to 1", turn(batch_axis=2)),
        ("IR321", "has 1 input, takes 2", node("ReverseSequence", x)),
        ("IR401", "batch_axis and time_axis are different axes", turn(x, constant(1, 1, 1), batch_axis=0)),
        ("IR401", "sequence_lens has one element per position", turn(x, constant(1, 2, 3))),
        ("IR401", "no element of sequence_lens exceeds", turn(x, constant(1, 4))),
        ("IR402", "does not accept f32 for input 'sequence_lens'", turn(x, x)),
        ("IR404", "rank 2 or more", turn(graph.constant(np.float32([1, 2])))),
        ("IR407", "'f33' is not an element type", lambda: graph.input("z", "f33", "3")),
        ("IR407", "input 'z'", lambda: graph.input("z", "f32", "3,x y")),
    ]


COUNT = 28


@pytest.mark.parametrize("number", range(COUNT))
def test_invalid_nodes_are_reported_and_not_added(branch, number):
    cases = refusals(branch)
    assert len(cases) == COUNT
    code, words, use = cases[number]
    with pytest.raises(DiagnosticError) as error:
        use()
    first = error.value.diagnostics[0]
    assert first.code == code
    assert words in " ".join((first.message, *first.notes))


def test_an_array_is_no_wire(branch):
    graph, x, _ = branch()
    with pytest.raises(TypeError, match="must be a Wire; tensors enter a graph by constant"):
        graph.reverse_sequence(x, LENS)


def test_what_is_refused_is_not_added(branch):
    graph, x, lens = branch()
    with pytest.raises(DiagnosticError):
        graph.reverse_sequence(x, lens, name="turn", specified_outputs_name=["x"])
    graph.predict(graph.reverse_sequence(x, lens, name="turn"), "y")
    assert [layer.name for layer in graph.model().layers] == ["x", "lens", "turn", "y"]


def test_a_model_of_a_graph_is_written_and_read_as_the_same(tmp_path):
    model = turning(lda_coeff=0.25, training=False, batch_axis=1)
    irops.write(model, tmp_path / "m.xml")
    again = irops.read(tmp_path / "m.xml")
    assert again.layer("ReverseSequenceNode_0").data == model.layer("ReverseSequenceNode_0").data
    assert dict(irops.vjp(again, {"x": X, "lens": LENS}, {"y": TURNED})) == {}
    assert np.array_equal(irops.run(again, {"x": X, "lens": LENS})["y"], TURNED)


def test_weights_are_trained_by_the_name_of_their_constant(branch):
    graph, x, lens = branch()
    weights = graph.constant(np.float32([[2, 0], [0, 3]]), "weights")
    graph.predict(graph.reverse_sequence(graph.node("MatMul", x, weights), lens, lda_coeff=2), "y")
    model = graph.model()
    assert irops.check(model).diagnostics == ()
    dy = np.ones((3, 2), np.float32)
    found = irops.vjp(model, {"x": X, "lens": LENS}, {"y": dy}, wrt=["weights"])
    np.testing.assert_array_equal(found["weights"], 2 * X.T @ dy)


def test_in_onnx_a_node_has_its_axes_and_the_model_the_rest():
    plain = as_onnx(turning(lda_coeff=0.5, batch_axis=1, name="turn"))
    assert (plain.layer("turn").version, plain.layer("turn").data) == ("onnx:22", {"batch_axis": "1"})
    assert plain.extra == {"irops.graiphic.turn": '{"training?": "true", "lda coeff": "0.5"}'}
    assert irops.check(plain).diagnostics == ()
    np.testing.assert_array_equal(irops.run(plain, {"x": X, "lens": LENS})["y"], TURNED)
    found = irops.vjp(plain, {"x": X, "lens": LENS}, {"y": TURNED})["x"]
    np.testing.assert_array_equal(found, X)  # no coefficient there
    again = of_onnx(plain)
    assert again.layer("turn").data == {"batch_axis": "1", "training": "true", "lda_coeff": "0.5"}
    np.testing.assert_array_equal(irops.vjp(again, {"x": X, "lens": LENS}, {"y": TURNED})["x"], X / 2)


def encoder(lens="lens"):
    """A graph that turns a sequence round, weighs it, and has everything an export must say: constants,
    names, two results.
    """
    graph = Graph("turned")
    x, lengths = graph.input("x", "f32", ("batch", "time", 2)), graph.input(lens, "i64", ("batch",))
    turned = graph.reverse_sequence(x, lengths, batch_axis=0, time_axis=1, lda_coeff=0.5, name="turn")
    graph.predict(turned, "turned")
    weights = graph.constant(np.float32([[2, 1, 0], [0, 3, 4]]), "weights")
    graph.predict(graph.node("MatMul", turned, weights), "y")
    return graph.model()


GIVEN = [np.arange(12, dtype=np.float32).reshape(2, 3, 2), np.array([2, 3])]


@pytest.mark.slow("real runtimes")
def test_what_is_exported_runs_on_onnx_runtime_and_openvino_as_on_irops(tmp_path):
    runtimes = pytest.importorskip("runtimes").Runtimes()
    for library in ("onnx", "onnxruntime", "openvino"):
        pytest.importorskip(library)
    model = encoder()
    want = [array.tolist() for array in irops.run(model, GIVEN).values()]
    for name in ("m.onnx", "m.xml"):
        export(model, tmp_path / name)
        assert irops.check(tmp_path / name).diagnostics == ()
        assert [array.tolist() for array in irops.run(tmp_path / name, GIVEN).values()] == want
    for runtime, name in (("onnxruntime", "m.onnx"), ("openvino", "m.onnx"), ("openvino", "m.xml")):
        found = runtimes.run(runtime, tmp_path / name, GIVEN)
        assert [array.tolist() for array in found] == want, f"{runtime} on {name}"
    runtimes.close()


def test_a_file_of_onnx_is_read_back_as_the_graph_that_trains(tmp_path):
    pytest.importorskip("onnx")
    export(encoder(), tmp_path / "m.onnx")
    plain = irops.read(tmp_path / "m.onnx")
    assert plain.layer("turn").data == {"batch_axis": "0", "time_axis": "1"}
    again = of_onnx(plain)
    dy = {"turned": np.zeros((2, 3, 2), np.float32), "y": np.ones((2, 3, 3), np.float32)}
    for mine, theirs in ((again, encoder()), (plain, encoder())):
        half = 1 if mine is again else 2
        found, wanted = (irops.vjp(each, dict(zip(("x", "lens"), GIVEN)), dy)["x"] for each in (mine, theirs))
        np.testing.assert_array_equal(found, half * wanted)


def test_in_openvino_s_files_the_parameters_are_in_rt_info(tmp_path):
    export(encoder(), tmp_path / "m.xml")
    rt_info = irops.read(tmp_path / "m.xml").rt_info
    assert {
        group.tag: {entry.attributes["name"]: entry.attributes["value"] for entry in group.children}
        for group in rt_info.children
    } == {
        "onnx_shapes": {"x": "batch,time,2", "lens": "batch"},
        "graiphic": {"turn": '{"training?": "true", "lda coeff": "0.5"}'},
    }


def test_what_openvino_does_not_have_is_not_exported(tmp_path):
    graph = Graph()
    x, lens = graph.input("x", "complex64", (2, 2)), graph.input("lens", "i64", (2,))
    graph.predict(graph.reverse_sequence(x, lens), "y")
    with pytest.raises(DiagnosticError, match=r"IR922 .* type complex64, which OpenVINO does not have"):
        export(graph.model(), tmp_path / "m.xml")
    assert list(tmp_path.iterdir()) == []
