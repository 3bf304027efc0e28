"""If, Loop, Scan, SequenceMap, sequences and optional values of ONNX: inference and runs."""

from __future__ import annotations

import numpy as np
import pytest
from libraries import Late, needs

import irops
from irops.diagnostics.diagnostic import EvaluationError
from irops.values.fact import Fact, OptionalFact, SequenceFact

pytestmark = needs("onnx")
helper = Late("onnx.helper")
F, INT64, BOOL = 1, 7, 9  # of TensorProto


def graph(nodes, inputs, outputs, constants=()):
    """A GraphProto of a body. inputs, outputs: names to (element type, dims), or to ValueInfoProtos"""
    made = [
        helper.make_node(op, *names, **(more[0] if more else {})) for op, *names, more in map(parted, nodes)
    ]
    ends = [
        [
            helper.make_tensor_value_info(name, *kind) if isinstance(kind, tuple) else kind
            for name, kind in some.items()
        ]
        for some in (inputs, outputs)
    ]
    return helper.make_graph(made, "body", *ends, initializer=[tensor(*one) for one in constants])


def parted(node):
    op, inputs, outputs, *more = node
    return op, inputs, outputs, more


def tensor(name, kind, value):
    array = np.array(value)
    return helper.make_tensor(name, kind, array.shape, array.ravel().tolist())


def counting(goes_on):
    """A body that adds 1 to a state x, which it also gives to be stacked. goes_on: the last nodes"""
    return graph(
        [("Add", ["x", "one"], ["next"]), *goes_on],
        {"i": (INT64, []), "c": (BOOL, []), "x": (F, [])},
        {"go": (BOOL, []), "next": (F, []), "seen": (F, [])},
        [("one", F, 1.0)],
    )


BELOW_THREE = [("Identity", ["next"], ["seen"]), ("Less", ["next", "three"], ["go"])]
ALWAYS = [("Identity", ["next"], ["seen"]), ("Identity", ["c"], ["go"])]


@pytest.mark.parametrize(
    ("given", "trips", "start", "times"),
    [
        (["M", "c"], 5, True, 3),
        (["M", "c"], 2, True, 2),
        (["M", ""], 5, True, 3),
        (["", "c"], 0, True, 3),
        (["", ""], 0, True, 3),
        (["M", "c"], 0, True, 0),
        (["M", "c"], -1, True, 0),
        (["M", "c"], 5, False, 0),
    ],
)
def test_a_loop_ends_where_onnxruntime_ends_it(saved, given, trips, start, times):
    path = saved(
        [("Loop", [*given, "x"], ["last", "all"], {"body": counting(BELOW_THREE)})],
        {"M": (INT64, []), "c": (BOOL, []), "x": (F, []), "three": (F, [])},
        {"last": (F, None), "all": (F, None)},
    )
    results = irops.run(
        path, {"M": np.array(trips), "c": np.array(start), "x": np.float32(0), "three": np.float32(3)}
    )
    assert results["last"] == times
    assert results["all"].tolist() == list(range(1, times + 1))
    assert results["all"].dtype == np.float32


def test_a_loop_over_the_size_of_an_input_stacks_as_many_tensors(saved):
    nodes = [
        ("Shape", ["x"], ["sizes"]),
        ("Gather", ["sizes", "zero"], ["count"]),
        ("Loop", ["count", "", "start"], ["last", "all"], {"body": counting(ALWAYS)}),
    ]
    constants = [tensor("zero", INT64, 0), tensor("start", F, 0.0)]
    path = saved(nodes, {"x": (F, ["rows", 2])}, {"last": (F, None), "all": (F, None)}, constants)
    facts = irops.infer(path)
    assert facts.diagnostics == ()
    assert [facts.of("last").inputs[0].spelled, facts.of("all").inputs[0].spelled] == ["f32[]", "f32[rows]"]
    assert irops.run(path, {"x": np.zeros((4, 2), np.float32)})["all"].tolist() == [1, 2, 3, 4]


def test_a_state_that_grows_is_inferred_for_any_number_of_iterations(saved):
    body = graph(
        [("Concat", ["x", "x"], ["next"], {"axis": 0}), ("Identity", ["c"], ["go"])],
        {"i": (INT64, []), "c": (BOOL, []), "x": (F, [1])},
        {"go": (BOOL, []), "next": (F, None)},
    )
    path = saved(
        [("Loop", ["M", "", "x"], ["y"], {"body": body})],
        {"M": (INT64, []), "x": (F, [1, 3])},
        {"y": (F, None)},
    )
    fact = irops.infer(path).of("y").inputs[0]
    assert str(fact.shape[1]) == "3"
    for trips in range(4):
        shape = irops.run(path, {"M": np.array(trips), "x": np.zeros((1, 3), np.float32)})["y"].shape
        assert shape == (2**trips, 3)
        assert fact.shape[0].low <= shape[0] <= fact.shape[0].high


def test_bodies_in_bodies_take_tensors_of_all_graphs_around_them(saved):
    inner = {
        "then_branch": graph([("Add", ["x", "outermost"], ["a"])], {}, {"a": (F, [2])}),
        "else_branch": graph([("Sub", ["x", "between"], ["b"])], {}, {"b": (F, [2])}),
    }
    body = graph(
        [
            ("Mul", ["outermost", "outermost"], ["between"]),
            ("Cast", ["i"], ["odd"], {"to": BOOL}),
            ("If", ["odd"], ["next"], inner),
            ("Identity", ["c"], ["go"]),
        ],
        {"i": (INT64, []), "c": (BOOL, []), "x": (F, [2])},
        {"go": (BOOL, []), "next": (F, [2])},
    )
    path = saved(
        [("Loop", ["M", "", "x"], ["y"], {"body": body})],
        {"M": (INT64, []), "x": (F, [2]), "outermost": (F, [2])},
        {"y": (F, [2])},
    )
    outermost = np.array([2, 3], np.float32)
    results = irops.run(path, {"M": np.array(2), "x": np.zeros(2, np.float32), "outermost": outermost})
    assert results["y"].tolist() == (-(outermost**2) + outermost).tolist()
    assert irops.check(path).errors == ()


def test_the_condition_of_an_if_may_be_used_in_its_branches(saved):
    branches = {
        name: graph([("Cast", ["c"], [name], {"to": F})], {}, {name: (F, [])})
        for name in ("then_branch", "else_branch")
    }
    path = saved([("If", ["c"], ["y"], branches)], {"c": (BOOL, [])}, {"y": (F, [])})
    assert [irops.run(path, {"c": np.array(c)})["y"].tolist() for c in (True, False)] == [1, 0]


def test_what_is_inferred_of_an_if_holds_for_both_branches(saved):
    branches = {
        "then_branch": graph([("Identity", ["x"], ["a"])], {}, {"a": (F, None)}),
        "else_branch": graph([("Concat", ["x", "x"], ["b"], {"axis": 1})], {}, {"b": (F, None)}),
    }
    path = saved([("If", ["c"], ["y"], branches)], {"c": (BOOL, []), "x": (F, [2, 3])}, {"y": (F, None)})
    assert str(irops.infer(path).of("y").inputs[0]) == "f32[2,3..6]"


def test_a_sequence_that_a_loop_fills_is_joined(saved):
    sequence = helper.make_tensor_sequence_value_info
    body = graph(
        [("SequenceInsert", ["s", "x"], ["t"]), ("Identity", ["c"], ["go"])],
        {"i": (INT64, []), "c": (BOOL, []), "s": sequence("s", F, None)},
        {"go": (BOOL, []), "t": sequence("t", F, None)},
    )
    nodes = [
        ("SequenceEmpty", [], ["none"]),
        ("Loop", ["M", "", "none"], ["filled"], {"body": body}),
        ("SequenceLength", ["filled"], ["n"]),
        ("ConcatFromSequence", ["filled"], ["y"], {"axis": 0, "new_axis": 1}),
    ]
    path = saved(nodes, {"M": (INT64, []), "x": (F, [2])}, {"n": (INT64, []), "y": (F, None)})
    facts = irops.infer(path)
    filled = facts.of("filled").outputs[0]
    assert isinstance(filled, SequenceFact)
    assert (str(filled.content), filled.length.low) == ("f32[2]", 0)
    assert facts.of("y").inputs[0].shape.rank == 2
    results = irops.run(path, {"M": np.array(3), "x": np.array([1, 2], np.float32)})
    assert results["n"] == 3
    assert results["y"].tolist() == [[1, 2]] * 3
    with pytest.raises(EvaluationError, match="the sequence is not empty"):
        irops.run(path, {"M": np.array(0), "x": np.array([1, 2], np.float32)})


def test_an_absent_state_may_be_present_later(saved):
    absent = helper.make_optional_type_proto(helper.make_tensor_type_proto(F, [2]))
    held = helper.make_value_info("held", absent)
    branches = {
        "then_branch": graph([("OptionalGetElement", ["o"], ["a"])], {}, {"a": (F, [2])}),
        "else_branch": graph([("Identity", ["x"], ["b"])], {}, {"b": (F, [2])}),
    }
    body = graph(
        [
            ("OptionalHasElement", ["o"], ["has"]),
            ("If", ["has"], ["v"], branches),
            ("Add", ["v", "x"], ["sum"]),
            ("Optional", ["sum"], ["held"]),
            ("Identity", ["c"], ["go"]),
        ],
        {"i": (INT64, []), "c": (BOOL, []), "o": helper.make_value_info("o", absent)},
        {"go": (BOOL, []), "held": held},
    )
    nodes = [
        ("Optional", [], ["nothing"], {"type": helper.make_tensor_type_proto(F, [2])}),
        ("Loop", ["M", "", "nothing"], ["last"], {"body": body}),
        ("OptionalGetElement", ["last"], ["y"]),
    ]
    path = saved(nodes, {"M": (INT64, []), "x": (F, [2])}, {"y": (F, [2])}, opset=18)
    facts = irops.infer(path)
    assert facts.errors == ()
    last = facts.of("last").outputs[0]
    assert isinstance(last, OptionalFact)
    assert last.present is None
    results = irops.run(path, {"M": np.array(3), "x": np.array([1, 2], np.float32)})
    assert results["y"].tolist() == [4, 8]
    with pytest.raises(EvaluationError, match="the optional value is present"):
        irops.run(path, {"M": np.array(0), "x": np.array([1, 2], np.float32)})


def test_a_scan_goes_along_the_axes_and_in_the_directions_that_it_names(saved):
    body = graph(
        [("Add", ["s", "p"], ["t"]), ("Identity", ["t"], ["piece"])],
        {"s": (F, [2]), "p": (F, [2])},
        {"t": (F, [2]), "piece": (F, [2])},
    )
    more = {
        "scan_input_axes": [1],
        "scan_input_directions": [1],
        "scan_output_axes": [-1],
        "scan_output_directions": [1],
    }
    path = saved(
        [("Scan", ["start", "x"], ["last", "all"], {"body": body, "num_scan_inputs": 1, **more})],
        {"start": (F, [2]), "x": (F, [2, "n"])},
        {"last": (F, None), "all": (F, None)},
    )
    assert irops.infer(path).of("all").inputs[0].spelled == "f32[2,n]"
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    results = irops.run(path, {"start": np.zeros(2, np.float32), "x": x})
    assert results["last"].tolist() == x.sum(1).tolist()
    assert results["all"].tolist() == np.cumsum(x[:, ::-1], 1)[:, ::-1].tolist()


def test_parts_of_a_sequence_may_have_other_sizes_than_it_says(saved):
    nodes = [("SplitToSequence", ["x", "size"], ["s"], {"axis": 1}), ("SequenceAt", ["s", "i"], ["y"])]
    path = saved(nodes, {"x": (F, [2, 5]), "size": (INT64, []), "i": (INT64, [])}, {"y": (F, None)})
    fact = irops.infer(path, {"size": Fact.of(np.array(2))}).of("y").inputs[0]
    x = np.arange(10, dtype=np.float32).reshape(2, 5)
    for place, width in ((0, 2), (2, 1), (-1, 1)):
        y = irops.run(path, {"x": x, "size": np.array(2), "i": np.array(place)})["y"]
        assert y.shape == (2, width)
        assert fact.admits(y)
    with pytest.raises(
        EvaluationError, match=r"position lies in the sequence; got position 3 in a sequence of 3"
    ):
        irops.run(path, {"x": x, "size": np.array(2), "i": np.array(3)})


def test_values_of_protocol_buffers_are_inputs(saved):
    from onnx import TensorProto, numpy_helper

    sequence = helper.make_tensor_sequence_value_info("s", F, None)
    path = saved(
        [("Cast", ["x"], ["y"], {"to": F})], {"x": (TensorProto.FLOAT8E4M3FN, [3])}, {"y": (F, [3])}, opset=21
    )
    proto = helper.make_tensor("x", TensorProto.FLOAT8E4M3FN, [3], [1.0, -2.0, 448.0])
    for given in (proto, np.asarray(proto)):  # of which NumPy makes an array of one object
        assert irops.run(path, {"x": given})["y"].tolist() == [1, -2, 448]
    proto.dims[0] = 4
    with pytest.raises(EvaluationError, match="input 'x' cannot be an array: it has 3 bytes, but f8e4m3"):
        irops.run(path, {"x": proto})
    made = helper.make_graph(
        [helper.make_node("SequenceLength", ["s"], ["n"])],
        "g",
        [sequence],
        [helper.make_tensor_value_info("n", INT64, [])],
    )
    path.write_bytes(helper.make_model(made, ir_version=8).SerializeToString())
    values = numpy_helper.from_list([np.ones(2, np.float32)] * 2)
    for given in (values, list(values.tensor_values)):
        assert irops.run(path, {"s": given})["n"] == 2


def test_what_an_ir_file_calls_outer_stays_an_input_of_its_op(tmp_path):
    """In ONNX, an entry of a port map with that key is of a tensor that the body takes itself."""
    from irops.registry import default_registry
    from irops.spec.cases import examples

    definition = default_registry().op("If-8").definition
    net = examples(definition)[0].net.decode()
    path = tmp_path / "m.xml"
    path.write_text(net.replace('<input external_port_id="1"', '<input outer="x" external_port_id="1"'))
    given = {"cond": np.array(True), "x": np.ones(2, np.float32), "y": np.ones(2, np.float32)}
    assert next(iter(irops.run(path, given).values())).tolist() == [2, 2]


def test_the_type_of_an_absent_value_is_written_as_a_type(saved, tmp_path):
    given = {"type": helper.make_tensor_type_proto(F, [2])}
    nodes = [("Optional", [], ["o"], given), ("OptionalHasElement", ["o"], ["y"])]
    model = irops.read(saved(nodes, {}, {"y": (BOOL, [])}, opset=18))
    layer = next(layer for layer in model.layers if layer.type == "Optional")
    assert layer.data == {"type": "f32[2]"}
    layer.data["type"] = "sequence(i64[?,3])"
    irops.write(model, tmp_path / "other.onnx")
    written = next(layer for layer in irops.read(tmp_path / "other.onnx").layers if layer.type == "Optional")
    assert written.data == {"type": "sequence(i64[?,3])"}
    layer.data["type"] = "sequence of i64"
    with pytest.raises(irops.DiagnosticError, match="'sequence of i64' is not a type"):
        irops.write(model, tmp_path / "wrong.onnx")
