"""What is read of an ONNX file is written back: all of it, and what was edited differently."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from libraries import Late, needs
from tiers import counts, slow

import irops
from irops.ir.storage import Weights
from irops.ir.targets import TargetRefused
from irops.ir.weights import constant

pytestmark = needs("onnx")
onnx = Late("onnx")
FLOAT, INT64, BOOL = 1, 7, 9
UNKNOWN = b"\xfa\x3e\x03abc"  # field 1007, which no message of ONNX has


def tensor(name: str, values: Any, **more: Any) -> Any:
    made = onnx.numpy_helper.from_array(np.asarray(values, np.float32), name)
    for field, text in more.items():
        setattr(made, field, text)
    return made


def value(name: str, kind: int = FLOAT, dims: Any = (2,)) -> Any:
    return onnx.helper.make_tensor_value_info(name, kind, dims)


def props(message: Any) -> Any:
    """The message with metadata, and with a field that ONNX does not have."""
    for key in ("b", "a"):
        message.metadata_props.add(key=key, value=f"of {message.DESCRIPTOR.name}")
    message.MergeFromString(UNKNOWN)
    return message


def branch(name: str, *nodes: Any) -> Any:
    return props(onnx.helper.make_graph(list(nodes), name, [], [value(name)], [tensor(f"{name}_1", [1, 2])]))


def attributes() -> list[Any]:
    """One attribute of each kind, some documented."""
    helper, proto = onnx.helper, onnx.AttributeProto
    sparse = helper.make_sparse_tensor(tensor("", [5]), onnx.numpy_helper.from_array(np.array([1])), dims=[4])
    type_proto = helper.make_sequence_type_proto(helper.make_tensor_type_proto(FLOAT, ["n", 3]))
    graph = branch("inner", helper.make_node("Neg", ["x"], ["inner"]))
    found = [
        helper.make_attribute("f", 0.1, doc_string="a number"),
        helper.make_attribute("i", 7),
        helper.make_attribute("s", b"\xff\x00"),
        helper.make_attribute("t", tensor("named", [1.5], doc_string="a tensor")),
        helper.make_attribute("g", graph),
        helper.make_attribute("sparse", sparse),
        helper.make_attribute("tp", type_proto),
        helper.make_attribute("floats", [0.5]),
        helper.make_attribute("ints", [1, 2]),
        helper.make_attribute("none", [], attr_type=proto.INTS),
        helper.make_attribute("strings", ["a", "b"]),
        helper.make_attribute("tensors", [tensor("", [1]), tensor("", [2])]),
        helper.make_attribute("graphs", [graph, branch("other", helper.make_node("Abs", ["k"], ["other"]))]),
        helper.make_attribute("types", [type_proto, type_proto]),
    ]
    many = proto(name="sparse_tensors", type=proto.SPARSE_TENSORS)
    many.sparse_tensors.append(sparse)
    return [*found, many]


@pytest.fixture
def everything() -> Any:
    """A model that has something in nearly every field of ONNX's messages."""
    helper = onnx.helper
    custom = helper.make_node("Everything", ["x", "", "k"], ["u", "", "w"], domain="custom", doc_string="?")
    custom.attribute.extend(attributes())
    chosen = helper.make_node(
        "If",
        ["cond"],
        ["chosen"],
        then_branch=branch("then", helper.make_node("Add", ["x", "then_1"], ["then"])),
        else_branch=branch("else", helper.make_node("Sub", ["w", "k"], ["else"], name="minus")),
    )
    body = helper.make_graph(
        [helper.make_node("Mul", ["state", "x"], ["next"]), helper.make_node("Identity", ["next"], ["row"])],
        "body",
        [value("number", INT64, []), value("go", BOOL, []), value("state")],
        [value("go", BOOL, []), value("next"), value("row")],
    )
    loop = helper.make_node("Loop", ["count", "", "chosen"], ["last", "rows"], name="repeat", body=body)
    nodes = [props(custom), props(chosen), loop, helper.make_node("Relu", ["last"], [""])]
    quantized = onnx.TensorAnnotation(tensor_name="x")
    quantized.quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="k")
    sparse = helper.make_sparse_tensor(
        tensor("sp", [5]), onnx.numpy_helper.from_array(np.array([1])), dims=[4]
    )
    external = tensor("unused", [1, 2, 3])
    graph = helper.make_graph(
        nodes,
        "everything",
        [props(value("x", dims=["n"])), value("cond", BOOL, []), value("count", INT64, []), value("k")],
        [value("rows", dims=[None, "n"]), value("x", dims=["n"]), value("k")],
        [props(tensor("k", [1, 2], doc_string="constant")), external],
        doc_string="the graph",
        value_info=[value("chosen", dims=["n"]), value("nowhere")],
        sparse_initializer=[sparse],
    )
    graph.quantization_annotation.append(quantized)
    model = helper.make_model(
        props(graph),
        producer_name="a test",
        producer_version="7",
        domain="org.example",
        model_version=3,
        doc_string="the model",
        opset_imports=[helper.make_opsetid("custom", 2), helper.make_opsetid("ai.onnx", 18)],
        ir_version=9,
    )
    model.training_info.add().algorithm.name = "training"
    return props(model)


@pytest.fixture
def copied(tmp_path: Path) -> Any:
    """A function that writes a ModelProto, reads it, changes it, writes it, and gives what is written."""

    def copy(proto: Any, change: Any = lambda model: model) -> Any:
        source, target = tmp_path / "source.onnx", tmp_path / "target.onnx"
        source.write_bytes(proto.SerializeToString())
        irops.write(change(irops.read(source)), target)
        return onnx.load(str(target), load_external_data=False)

    return copy


def test_a_file_with_everything_is_written_as_it_was(everything: Any, copied: Any) -> None:
    assert copied(everything) == everything


def test_what_irops_does_not_know_stays_in_what_is_edited(everything: Any, copied: Any) -> None:
    def rename(model: irops.Model) -> irops.Model:
        model.layer("repeat").name = "again"
        model.extra = {"only": "this"}
        return model

    written = copied(everything, rename)
    everything.graph.node[2].name = "again"
    del everything.metadata_props[:]
    everything.metadata_props.add(key="only", value="this")
    assert written == everything


def test_a_node_within_a_body_is_edited_alone(everything: Any, copied: Any) -> None:
    def rename(model: irops.Model) -> irops.Model:
        chosen = next(layer for layer in model.layers if layer.type == "If")
        chosen.bodies["else_branch"].graph.layer("minus").name = "less"
        return model

    written = copied(everything, rename)
    branches = {one.name: one.g for one in everything.graph.node[1].attribute}
    branches["else_branch"].node[0].name = "less"
    assert written == everything


def functional(opset: int = 18) -> Any:
    """A model that calls a function, which calls another one."""
    helper = onnx.helper
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("own", 1)]
    inner = helper.make_function(
        "own", "Inner", ["a"], ["b"], [helper.make_node("Relu", ["a"], ["b"])], imports
    )
    outer = helper.make_function(
        "own", "Outer", ["a"], ["b"], [helper.make_node("Inner", ["a"], ["b"], domain="own")], imports
    )
    graph = helper.make_graph(
        [helper.make_node("Outer", ["x"], ["y"], domain="own", name="call")], "g", [value("x")], [value("y")]
    )
    return helper.make_model(graph, functions=[outer, props(inner)], opset_imports=imports, ir_version=10)


def test_functions_and_their_calls_are_written_as_they_were(copied: Any) -> None:
    assert copied(functional()) == functional()


def test_an_edited_model_has_the_nodes_of_functions_in_place_of_calls(copied: Any) -> None:
    def rename(model: irops.Model) -> irops.Model:
        next(layer for layer in model.layers if layer.type == "Relu").name = "renamed"
        return model

    written = copied(functional(), rename)
    onnx.checker.check_model(written)
    assert not written.functions
    assert [(node.op_type, node.name) for node in written.graph.node] == [("Relu", "renamed")]


# Edits.


def plain() -> Any:
    """A model of ops that irops defines."""
    helper = onnx.helper
    nodes = [
        helper.make_node("Transpose", ["x"], ["turned"], perm=[1, 0], name="turn", doc_string="turns"),
        helper.make_node("Add", ["turned", "k"], ["y"], name="plus"),
    ]
    known = [value("turned", dims=[3, "n"]), value("k", dims=[3, 1])]
    graph = helper.make_graph(
        nodes,
        "plain",
        [value("x", dims=["n", 3])],
        [value("y", dims=[3, "n"])],
        [props(tensor("k", [[1], [2], [3]]))],
        value_info=known,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def test_an_edited_attribute_leaves_the_others(copied: Any) -> None:
    def change(model: irops.Model) -> irops.Model:
        model.layer("turn").data["perm"] = "0, 1"
        return model

    expected = plain()
    expected.graph.node[0].attribute[0].ints[:] = [0, 1]
    assert copied(plain(), change) == expected


def test_an_attribute_of_an_unknown_op_is_kept_and_not_changed(everything: Any, copied: Any) -> None:
    def change(model: irops.Model) -> irops.Model:
        next(layer for layer in model.layers if layer.type == "Everything").data["i"] = "8"
        return model

    with pytest.raises(irops.DiagnosticError, match="cannot be written"):
        copied(everything, change)


def test_a_renamed_tensor_is_renamed_where_it_is_used(copied: Any) -> None:
    def change(model: irops.Model) -> irops.Model:
        port = model.layer("turn").outputs[0]
        port.names = ("other",)
        return model

    expected = plain()
    expected.graph.node[0].output[0] = expected.graph.node[1].input[0] = "other"
    del expected.graph.value_info[0]
    assert copied(plain(), change) == expected


def test_a_part_of_a_model_has_its_nodes_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(plain().SerializeToString())
    irops.write(irops.extract(path, outputs=["turn"]), tmp_path / "part.onnx")
    written = onnx.load(str(tmp_path / "part.onnx"))
    onnx.checker.check_model(written)
    assert list(written.graph.node) == [plain().graph.node[0]]
    assert written.graph.input == plain().graph.input


def test_another_type_of_an_input_is_declared(copied: Any) -> None:
    def change(model: irops.Model) -> irops.Model:
        model.layer("x").data["shape"] = "5,3"
        return model

    written = copied(plain(), change)
    assert [dim.dim_value for dim in written.graph.input[0].type.tensor_type.shape.dim] == [5, 3]
    written.graph.input[0].CopyFrom(plain().graph.input[0])
    assert written == plain()


# External data.


@pytest.fixture
def external(tmp_path: Path) -> Path:
    """A model with weights in two files beside it."""
    folder = tmp_path / "from"
    (folder / "sub").mkdir(parents=True)
    proto = plain()
    data = np.arange(3, dtype=np.float32).tobytes()
    (folder / "sub" / "k.data").write_bytes(b"skip" + data + b"more")
    (folder / "value.data").write_bytes(data)
    held = proto.graph.initializer[0]
    held.ClearField("raw_data")
    held.data_location = onnx.TensorProto.EXTERNAL
    for key, text in (("location", "sub/k.data"), ("offset", "4"), ("length", "12")):
        held.external_data.add(key=key, value=text)
    inner = onnx.TensorProto(data_type=1, dims=[3], data_location=1)
    inner.external_data.add(key="location", value="value.data")
    proto.graph.node.append(onnx.helper.make_node("Constant", [], ["c"], value=inner))
    path = folder / "model.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


def test_external_data_stay_external_in_the_same_folder(external: Path) -> None:
    before = sorted(external.parent.rglob("*"))
    irops.write(irops.read(external), external.with_name("copy.onnx"))
    assert external.with_name("copy.onnx").read_bytes() == onnx.load(
        str(external), load_external_data=False
    ).SerializeToString(deterministic=True)
    assert sorted(external.parent.rglob("*")) == sorted([*before, external.with_name("copy.onnx")])


def test_files_with_external_data_are_copied_into_another_folder(external: Path, tmp_path: Path) -> None:
    target = tmp_path / "to" / "copy.onnx"
    target.parent.mkdir()
    for _ in range(2):  # the second time they are there already
        irops.write(irops.read(external), target)
        for name in ("sub/k.data", "value.data"):
            assert (target.parent / name).read_bytes() == (external.parent / name).read_bytes()
    model = irops.read(target)
    assert constant(model, model.layer("k")).ravel().tolist() == [0, 1, 2]


def test_a_file_that_is_in_the_way_of_external_data_is_not_replaced(external: Path, tmp_path: Path) -> None:
    target = tmp_path / "to" / "copy.onnx"
    target.parent.mkdir()
    (target.parent / "value.data").write_bytes(b"of another model")
    with pytest.raises(TargetRefused, match="other content"):
        irops.write(irops.read(external), target)
    assert (target.parent / "value.data").read_bytes() == b"of another model"
    assert not target.exists()


def test_a_constant_that_is_no_longer_what_its_file_holds_is_written_into_the_model(external: Path) -> None:
    model = irops.read(external)
    held = Weights.of_bytes(np.full(3, 5, np.float32).tobytes())
    for layer in model.layers:
        if layer.is_constant:
            layer.data["offset"] = "0"
    irops.write(replace(model, weights=held), external.with_name("copy.onnx"))
    written = onnx.load(str(external.with_name("copy.onnx")), load_external_data=False)
    assert not written.graph.initializer[0].external_data
    assert onnx.numpy_helper.to_array(written.graph.initializer[0]).ravel().tolist() == [5, 5, 5]
    assert written.graph.initializer[0].metadata_props == plain().graph.initializer[0].metadata_props


# Bodies.


def test_bodies_have_parameters_for_tensors_of_graphs_around_them(everything: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(everything.SerializeToString())
    model = irops.read(path)
    chosen = next(layer for layer in model.layers if layer.type == "If")
    then, other = chosen.bodies["then_branch"], chosen.bodies["else_branch"]
    assert [entry.extra for entry in then.inputs] == [{"outer": "x"}]
    assert [entry.extra["outer"] for entry in other.inputs] == ["w", "k"]
    assert [entry.external_port_id for entry in (*then.inputs, *other.inputs)] == [
        3,
        1,
        2,
    ]  # the library sorts attributes
    loop = model.layer("repeat").bodies["body"]
    assert [(e.external_port_id, e.purpose) for e in loop.inputs] == [
        (-1, "current_iteration"),
        (1, None),
        (2, None),
        (3, None),
    ]
    assert [(e.external_port_id, e.axis, e.purpose) for e in loop.outputs] == [
        (-1, None, "execution_condition"),
        (0, None, None),
        (1, 0, None),
    ]
    assert len(loop.back_edges) == 2


def test_a_scan_says_what_it_slices_and_in_which_direction(tmp_path: Path) -> None:
    helper = onnx.helper
    body = helper.make_graph(
        [helper.make_node("Add", ["s", "a"], ["t"]), helper.make_node("Identity", ["b"], ["r"])],
        "body",
        [value("s"), value("a"), value("b")],
        [value("t"), value("r")],
    )
    node = helper.make_node(
        "Scan",
        ["i", "p", "q"],
        ["o", "rs"],
        body=body,
        num_scan_inputs=2,
        scan_input_axes=[1, 0],
        scan_input_directions=[0, 1],
        scan_output_axes=[-1],
    )
    graph = helper.make_graph([node], "g", [value(name) for name in "ipq"], [value("o"), value("rs")])
    path = tmp_path / "scan.onnx"
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]).SerializeToString()
    )
    found = irops.read(path).layers[3].bodies["body"]
    assert [(e.external_port_id, e.axis, e.start, e.stride) for e in found.inputs] == [
        (0, None, 0, 1),
        (1, 1, 0, 1),
        (2, 0, -1, -1),
    ]
    assert [(e.external_port_id, e.axis) for e in found.outputs] == [(0, None), (1, -1)]
    assert len(found.back_edges) == 1


# ONNX's own models.


def all_tests() -> list[tuple[str, Any]]:
    from onnx.backend.test.loader import load_model_tests

    kinds = ("node", "simple", "pytorch-operator", "pytorch-converted")
    return [(kind, test) for kind in kinds for test in load_model_tests(kind=kind)]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("step", [40, slow(1)])
def test_the_models_of_onnx_s_tests_are_written_as_they_were(step: int, tmp_path: Path) -> None:
    others = []
    tests = all_tests()
    assert len(tests) > 1000
    for _, test in tests[::step]:
        proto = test.model or onnx.load(os.path.join(test.model_dir, "model.onnx"))
        (tmp_path / "a.onnx").write_bytes(proto.SerializeToString())
        irops.write(irops.read(tmp_path / "a.onnx"), tmp_path / "b.onnx")
        if onnx.load(str(tmp_path / "b.onnx")) != proto:
            others.append(test.name)
    assert not others


# Damaged files.


def outcome(data: bytes, folder: Path) -> str:
    """What reading and writing bytes comes to; a file that is read is written as it was."""
    source, target = folder / "damaged.onnx", folder / "written.onnx"
    source.write_bytes(data)
    irops.check(source)
    try:
        model = irops.read(source)
    except irops.DiagnosticError:
        return "refused"
    irops.write(model, target)
    before, after = (onnx.load(str(path), load_external_data=False) for path in (source, target))
    return "same" if before == after or "nan" in str(before) else "other"


@pytest.mark.parametrize("step", [29, slow(1)])
def test_a_file_that_ends_anywhere_is_refused_or_written_as_it_is(
    everything: Any, step: int, tmp_path: Path
) -> None:
    data = everything.SerializeToString()
    found = {outcome(data[:end], tmp_path) for end in range(1, len(data), step)}
    assert found <= {"refused", "same"}
    assert "refused" in found


@counts("count", 60, 3000)
def test_a_file_with_changed_bytes_is_refused_or_written_as_it_is(
    everything: Any, count: int, tmp_path: Path
) -> None:
    data = everything.SerializeToString()
    draw = np.random.default_rng()
    for _ in range(count):
        damaged = bytearray(data)
        for place in draw.integers(0, len(data), draw.integers(1, 4)):
            damaged[place] = draw.integers(0, 256)
        found = outcome(bytes(damaged), tmp_path)
        assert found in ("refused", "same"), bytes(damaged)


def test_types_and_bodies_that_are_nested_deeply_are_refused_or_read(tmp_path: Path) -> None:
    helper = onnx.helper
    kind = helper.make_tensor_type_proto(FLOAT, [1])
    for _ in range(30):
        kind = helper.make_sequence_type_proto(kind)
    made = onnx.helper.make_model(
        helper.make_graph([], "g", [helper.make_value_info("s", kind)], [helper.make_value_info("s", kind)]),
        opset_imports=[helper.make_opsetid("", 18)],
    )
    (tmp_path / "types.onnx").write_bytes(made.SerializeToString())
    assert [d.code for d in irops.check(tmp_path / "types.onnx").errors] == ["IR907", "IR907"]
    for depth, is_read in ((20, True), (60, False)):
        graph = onnx.GraphProto(node=[helper.make_node("Relu", ["x"], ["y0"])]).SerializeToString()
        for number in range(1, depth + 1):
            branch = field(1, b"then_branch") + field(6, graph) + b"\xa0\x01\x05"
            node = field(1, b"c") + field(2, b"y%d" % number) + field(4, b"If") + field(5, branch)
            graph = field(1, node) + field(12, value(f"y{number}").SerializeToString())
        for info in (value("c", BOOL, []), value("x")):
            graph += field(11, info.SerializeToString())
        model = b"\x08\x0a" + field(7, graph) + field(8, b"\x10\x12")
        assert (outcome(model, tmp_path) == "same") is is_read


def field(number: int, content: bytes) -> bytes:
    """A record of a message."""
    size = bytearray()
    rest = len(content)
    while rest > 127:
        size.append(rest & 127 | 128)
        rest >>= 7
    return bytes([number << 3 | 2, *size, rest]) + content


# Weights.


@pytest.fixture
def heavy() -> Any:
    """A model whose second initializer is large."""
    proto = plain()
    weights = np.random.default_rng(1).normal(size=(3, 30_000)).astype(np.float32)
    proto.graph.initializer.append(props(onnx.numpy_helper.from_array(weights, "w")))
    proto.graph.node.append(onnx.helper.make_node("Add", ["k", "w"], ["sum"], name="adding"))
    proto.graph.output.append(value("sum", dims=[3, 30_000]))
    return proto


def test_large_weights_stay_in_the_file_and_are_written(heavy: Any, copied: Any, tmp_path: Path) -> None:
    assert copied(heavy) == heavy
    model = irops.read(tmp_path / "source.onnx")
    assert not model.stored.proto.graph.initializer[1].HasField("raw_data")
    found = irops.run(model, {"x": np.ones((2, 3), np.float32)})["sum"]
    wanted = [onnx.numpy_helper.to_array(one) for one in heavy.graph.initializer]
    np.testing.assert_array_equal(found, wanted[0] + wanted[1])


def test_a_model_with_large_weights_is_written_over_itself(heavy: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(heavy.SerializeToString())
    for name in ("first", "second"):
        model = irops.read(path)
        model.layer("adding" if name == "first" else "first").name = name
        irops.write(model, path)
    heavy.graph.node[2].name = "second"
    assert onnx.load(str(path)) == heavy


def test_large_weights_of_a_file_that_changed_are_an_error(heavy: Any, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(heavy.SerializeToString())
    model = irops.read(path)
    path.write_bytes(plain().SerializeToString())
    for use in (
        lambda: irops.write(model, tmp_path / "copy.onnx"),
        lambda: irops.run(model, {"x": np.ones((2, 3), np.float32)}),
    ):
        with pytest.raises(irops.DiagnosticError, match="was changed after the model was read"):
            use()
    assert not (tmp_path / "copy.onnx").exists()


@counts("count", 40, 1000)
def test_damaged_files_with_large_weights_are_refused_or_written(
    heavy: Any, count: int, tmp_path: Path
) -> None:
    data = heavy.SerializeToString()
    start = data.index(heavy.graph.initializer[1].raw_data)
    places = [*range(start), *range(start + 360_000, len(data))]
    draw = np.random.default_rng()
    for _ in range(count):
        damaged = bytearray(data)
        for place in draw.choice(places, draw.integers(1, 4)):
            damaged[place] = draw.integers(0, 256)
        assert outcome(bytes(damaged), tmp_path) in ("refused", "same"), bytes(damaged[:start])


# Bodies that are edited, or that no file holds.


def choosing() -> Any:
    """A model with an If in a branch of an If, which takes tensors of both graphs around it."""
    helper = onnx.helper
    shown = [value(name, dims=[2, 3]) for name in "ijty"]
    add, mul = helper.make_node("Add", ["z", "k"], ["i"]), helper.make_node("Mul", ["z", "x"], ["j"])
    inner = helper.make_graph([add], "inner", [], shown[:1], [tensor("k", [10, 20, 30])])
    other = helper.make_graph([mul], "other", [], shown[1:2])
    nested = helper.make_node("If", ["c"], ["t"], then_branch=inner, else_branch=other)
    then = helper.make_graph([nested], "then", [], shown[2:3])
    alike = helper.make_graph([helper.make_node("Identity", ["z"], ["t"])], "alike", [], shown[2:3])
    nodes = [
        helper.make_node("Relu", ["x"], ["z"], name="first"),
        helper.make_node("If", ["c"], ["y"], name="pick", then_branch=then, else_branch=alike),
    ]
    inputs = [value("x", dims=[2, 3]), value("c", BOOL, [])]
    graph = helper.make_graph(nodes, "choosing", inputs, shown[3:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def forget(graph: Any) -> None:
    """Make a graph one that was not read from a file."""
    graph.stored = None
    for layer in graph.layers:
        layer.stored = None
        for body in layer.bodies.values():
            forget(body.graph)


def results_of(path: Path) -> list[list[Any]]:
    from onnxruntime import InferenceSession

    x = np.array([[1, -2, 3], [4, 5, -6]], np.float32)
    session = InferenceSession(str(path))
    return [session.run(None, {"x": x, "c": np.array(c)})[0].tolist() for c in (True, False)]


@pytest.mark.parametrize("is_read", [True, False])
@pytest.mark.parametrize("name", ["renamed", "i", "k", "z"])
def test_a_renamed_tensor_is_renamed_in_bodies_and_shadows_nothing(
    name: str, is_read: bool, tmp_path: Path
) -> None:
    pytest.importorskip("onnxruntime")
    path, target = tmp_path / "model.onnx", tmp_path / "written.onnx"
    path.write_bytes(choosing().SerializeToString())
    model = irops.read(path)
    model.layer("first").outputs[0].names = (name,)
    if not is_read:
        model.stored = None
        forget(model.graph)
    irops.write(model, target)
    onnx.checker.check_model(str(target), full_check=True)
    assert onnx.load(str(target)).graph.node[0].output[0] == name
    assert results_of(target) == results_of(path)


def test_nothing_is_expected_of_bodies_of_ops_that_are_not_known(tmp_path: Path) -> None:
    helper = onnx.helper
    body = helper.make_graph([helper.make_node("Neg", ["a"], ["b"])], "body", [value("a")], [value("b")])
    nodes = [
        helper.make_node("Score", ["x"], ["y"], domain="own", body=body),
        helper.make_node("Several", ["y"], ["z"], domain="own", bodies=[body, body]),
    ]
    graph = helper.make_graph(nodes, "g", [value("x")], [value("z")])
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("own", 1)]
    path = tmp_path / "model.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=imports).SerializeToString())
    report = irops.check(path)
    assert report.ok, report
    assert {d.code for d in report} == {"IR304"}
