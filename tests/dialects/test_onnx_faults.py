"""Models of ONNX that are damaged, contradict themselves, or reach for files that are not theirs."""

import os
import random
from pathlib import Path

import numpy as np
import pytest
from libraries import Late, needs
from onnx_protos import external
from tables import table

import irops
from irops.diagnostics.rules import all_rules

pytestmark = needs("onnx")
onnx, helper, numpy_helper = Late("onnx"), Late("onnx.helper"), Late("onnx.numpy_helper")

F, INT, INT8, STRING = 1, 7, 3, 8  # of TensorProto
RELU = [("Relu", ["x"], ["y"])]
ENDS = {"x": (F, [2])}, {"y": (F, [2])}


def codes(path):
    return [d.code for d in irops.check(path)]


@pytest.fixture
def written(tmp_path):
    def write(content, name="model.onnx"):
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


def tensor(kind=F, dims=(2,), name="w", **fields):
    return onnx.TensorProto(data_type=kind, dims=dims, name=name, **fields)


@pytest.mark.parametrize(
    "content", [b"\x00", b"not a model at all", b"\x08\x07", bytes(64), b"<net/>", b"\xff" * 300]
)
def test_invalid_models_are_reported(written, content):
    assert codes(written(content)) == ["IR902"]


def test_unreadable_files_are_reported(written, tmp_path):
    assert codes(tmp_path / "none.onnx") == ["IR001"]
    assert codes(written(b"")) == ["IR004"]
    (tmp_path / "folder.onnx").mkdir()
    assert codes(tmp_path / "folder.onnx") == ["IR002"]


def test_xml_under_the_name_of_onnx_is_recognized(written):
    assert irops.check(written(b'<?xml version="1.0"?><net/>')).diagnostics[0].notes == (
        "the file looks like XML; an IR file must have the extension .xml",
    )


def test_tensors_have_exactly_one_producer(saved):
    assert codes(saved([("Relu", ["x"], ["y"]), ("Relu", ["x"], ["y"])], *ENDS)) == ["IR906"]
    (found,) = irops.check(saved([("Add", ["x", "nothing"], ["y"])], *ENDS))
    message = "layer 1 \"y#1\" (Add) has the input 'nothing', which no node produces"
    assert (found.code, found.message) == ("IR905", message)
    assert codes(saved(RELU, ENDS[0], {"z": (F, [2])})) == ["IR905"]


def test_a_domain_must_be_imported(saved):
    own = helper.make_node("Own", ["x"], ["y"], domain="com.mine")
    assert codes(saved([own], *ENDS)) == ["IR903", "IR304"]


def findings(path):
    return [(d.code, str(d.severity), d.location.layer_name) for d in irops.check(path)]


def test_a_domain_that_is_not_imported_is_reported_at_the_first_node_that_uses_it(saved, written, proto):
    own = helper.make_node("Own", ["t"], ["y"], domain="com.mine", name="own")
    path = saved([("Relu", ["x"], ["t"], {"name": "relu"}), own], *ENDS)
    assert findings(path)[0] == ("IR903", "error", "own")
    made = proto([("Relu", ["x"], ["y"], {"name": "relu"})], *ENDS)
    del made.opset_import[:]
    assert findings(written(made.SerializeToString()))[0] == ("IR903", "error", "relu")


def test_nodes_that_are_not_sorted_are_reported_at_the_one_that_comes_too_early(saved):
    nodes = [("Relu", ["t"], ["y"], {"name": "early"}), ("Relu", ["x"], ["t"], {"name": "late"})]
    assert findings(saved(nodes, *ENDS)) == [("IR915", "error", "early")]
    assert findings(saved(nodes[::-1], *ENDS)) == []
    with pytest.raises(irops.ReadError, match="produces after it"):
        irops.read(saved(nodes, *ENDS))


def test_nodes_of_one_name_are_reported_at_the_second(saved):
    nodes = [("Relu", ["x"], ["t"], {"name": "same"}), ("Relu", ["t"], ["y"], {"name": "same"})]
    assert findings(saved(nodes, *ENDS)) == [("IR915", "error", "y#1")]
    constants = [("Constant", [], [name], {"name": "same", "value_float": 1.0}) for name in "ab"]
    nodes = [*constants, ("Add", ["a", "b"], ["c"], {"name": "same"}), ("Add", ["x", "c"], ["y"])]
    assert findings(saved(nodes, *ENDS)) == []
    nameless = [("Relu", ["x"], ["t"]), ("Relu", ["t"], ["y"])]
    assert findings(saved(nameless, *ENDS)) == []


def test_nodes_of_a_function_may_have_one_name(saved):
    inner = [helper.make_node("Relu", [a], [b], name="same") for a, b in (("a", "t"), ("t", "b"))]
    function = helper.make_function("d", "F", ["a"], ["b"], inner, [helper.make_opsetid("", 17)])
    calls = [helper.make_node("F", [a], [b], domain="d") for a, b in (("x", "u"), ("u", "y"))]
    assert findings(saved(calls, *ENDS, domains={"d": 1}, functions=[function])) == []


@pytest.mark.parametrize("opset", [0, -1])
def test_opsets_that_do_not_exist_are_reported_at_a_node(saved, opset):
    path = saved([("Relu", ["x"], ["y"], {"name": "relu"})], *ENDS, opset=opset)
    assert findings(path) == [("IR302", "error", "relu")]


def test_attributes_that_an_op_does_not_have_are_errors(saved):
    def found(op, **attributes):
        inputs = ["x"] if op == "Relu" else []
        return findings(saved([(op, inputs, ["y"], {"name": "node", **attributes})], *ENDS))

    assert found("Relu", other=1) == [("IR311", "error", "node")]
    assert found("Relu", __other=1) == [("IR311", "warning", "node")]
    assert found("Constant", value_floats=[1.0, 2.0]) == []
    assert found("Constant", value_floats=[1.0, 2.0], other=1) == [("IR311", "error", "node")]


def test_names_that_are_not_utf8_are_reported(written, proto):
    data = proto(RELU, *ENDS).SerializeToString().replace(b"graph", b"gr\xffph")
    assert codes(written(data)) in (["IR902"], [])


def test_cycles_of_nodes_are_reported(saved):
    nodes = [("Relu", ["b"], ["a"]), ("Relu", ["a"], ["b"])]
    assert "IR207" in codes(saved(nodes, {"x": (F, [1])}, {"b": (F, [1])}))


class TestFilesBesideTheModel:
    """External data: in the model's folder or below, and nowhere else."""

    @pytest.fixture
    def model(self, tmp_path, saved):
        def make(location, size=8, **entries):
            folder = tmp_path / "model"
            folder.mkdir(exist_ok=True)
            w = external([2], location=location, **entries)
            path = saved([("Mul", ["x", "w"], ["y"])], *ENDS, [w])
            os.replace(path, folder / "model.onnx")
            return folder / "model.onnx"

        return make

    def test_a_file_beside_the_model_is_read(self, model):
        path = model("data/w.bin", offset=4, length=8)
        (path.parent / "data").mkdir()
        (path.parent / "data" / "w.bin").write_bytes(np.array([9, 2, 3], np.float32).tobytes())
        assert irops.run(path, {"x": np.array([1, 1], np.float32)})["y"].tolist() == [2, 3]

    @pytest.mark.parametrize("location", table(__file__, "no_way_leads_out"))
    def test_no_way_leads_out(self, model, tmp_path, location):
        (tmp_path / "secret").write_bytes(bytes(8))
        path = model(location)
        os.symlink(tmp_path / "secret", path.parent / "link")
        os.symlink(tmp_path, path.parent / "folder")
        found = irops.check(path)
        assert [d.code for d in found] == ["IR909"], found
        with pytest.raises(irops.ReadError):
            irops.run(path, {"x": np.zeros(2, np.float32)})

    def test_a_link_within_the_folder_is_followed(self, model):
        path = model("link")
        (path.parent / "w.bin").write_bytes(bytes(8))
        os.symlink("w.bin", path.parent / "link")
        assert codes(path) == []

    @pytest.mark.parametrize(
        ("content", "entries"),
        [(None, {}), (bytes(7), {}), (bytes(8), {"offset": 4}), (bytes(8), {"length": 2**62, "offset": 1})],
    )
    def test_missing_or_short_external_data_is_reported(self, model, content, entries):
        path = model("w.bin", **entries)
        if content is not None:
            (path.parent / "w.bin").write_bytes(content)
        assert codes(path) == ["IR910"]

    @pytest.mark.parametrize("entries", [{"offset": "-4"}, {"offset": "x"}, {"length": "1e3"}, {"length": 4}])
    def test_invalid_offsets_are_reported(self, model, entries):
        path = model("w.bin", **entries)
        (path.parent / "w.bin").write_bytes(bytes(16))
        assert codes(path) == ["IR908"]

    def test_a_folder_or_a_pipe_is_no_file(self, model):
        path = model("w.bin")
        os.mkfifo(path.parent / "w.bin")
        assert codes(path) == ["IR910"]


@pytest.mark.slow("many damaged files")
def test_any_damage_is_reported_without_side_effects(proto, written):
    """The bytes of a model, cut off and altered anywhere: read, checked and inferred, or refused; never a
    failure of irops.
    """
    w = numpy_helper.from_array(np.eye(2, dtype=np.float32), "w")
    nodes = [
        ("ReverseSequence", ["x", "l"], ["r"]),
        ("MatMul", ["r", "w"], ["m"]),
        ("Cast", ["m"], ["c"], {"to": F}),
        ("Constant", [], ["k"], {"value_ints": [0]}),
        ("Squeeze", ["c", "k"], ["y"]),
    ]
    whole = proto(nodes, {"x": (F, ["t", 1, 2]), "l": (INT, [1])}, {"y": (F, None)}, [w]).SerializeToString()
    rng, result = random.Random(0), []
    for _ in range(400):
        data = bytearray(whole)
        if rng.random() < 0.4:
            del data[rng.randrange(len(data)) :]
        for _ in range(rng.randrange(4)):
            if data:
                data[rng.randrange(len(data))] = rng.randrange(256)
        path = written(bytes(data))
        try:
            model = irops.read(path)
        except irops.ReadError as error:
            result.append(error.diagnostics)
            continue
        irops.check(path)
        irops.infer(model)
    assert all(result)


def test_a_bin_file_next_to_an_onnx_model_is_ignored(saved, tmp_path):
    path = saved([("Relu", ["x"], ["y"])], *ENDS)
    with pytest.raises(irops.ReadError) as result:
        irops.read(path, tmp_path / "model.bin")
    assert [d.code for d in result.value.diagnostics] == ["IR912"]
    assert irops.check(path, tmp_path / "model.bin").errors[0].code == "IR912"


def test_every_rule_about_onnx_files_is_shown():
    here = Path(__file__)
    texts = here.read_text() + here.with_name("test_onnx_texts.txt").read_text("utf-8")
    codes = [rule.code for rule in all_rules() if rule.code.startswith(("IR90", "IR91"))]
    assert [code for code in codes[1:] if code not in texts] == []  # the first one is about the library
