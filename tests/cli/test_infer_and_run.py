"""irops infer and irops run: tables and files, the warnings of a run, missing weights."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from tables import table

import irops as package
from irops.cli.models import load_all
from irops.ir.numpy_files import as_declared, save_all
from irops.values.element import element_type, tagged
from tests.conftest import net_text


def rows(out):
    return [line.split() for line in out.splitlines() if line.strip()]


def test_infer_prints_every_tensor(irops, reversing):
    result = irops("infer", reversing)
    assert result.status == 0
    assert rows(result.out)[2:] == [
        ["x", "Parameter-1", "f32", "[?,3]"],
        ["lengths", "Parameter-1", "i32", "[?]"],
        ["reversed", "ReverseSequence-1", "f32", "[?,3]"],
        ["y", "Result-1", "f32", "[?,3]"],
    ]


def test_infer_accepts_other_input_shapes(irops, reversing):
    result = irops("infer", reversing, "--shape", "data:[4,3]", "--ends", "--output-format", "json")
    found = {entry["layer"]["name"]: entry["shape"] for entry in result.json["outputs"]}
    assert found == {"x": "[4,3]", "lengths": "[?]", "y": "[4,3]"}


def test_infer_shows_the_names_of_sizes_in_values_and_shapes(irops, tmp_path):
    model = tmp_path / "m.xml"
    model.write_text(net_text("x: f32[?,144]; sizes: ShapeOf-opset3 x output_type=i64; y: Result sizes"))
    words = ("infer", model, "--shape", "x:N,144")
    (row,) = [row for row in rows(irops(*words).out) if row[0] == "sizes"]
    assert row[-2:] == ["[N,", "144]"]
    x = irops(*words, "--output-format", "json").json["outputs"][0]
    assert (x["shape"], x["symbolic_shape"]) == ("[?,144]", "[N,144]")


def test_infer_reports_errors_and_exits_with_1(irops, reversing):
    words = ("infer", reversing, "--shape", "x:4,3", "--shape", "lengths:5")
    result = irops(*words, "--quiet")
    assert (result.status, result.out) == (1, "")
    assert "error IR401 ReverseSequence-1 requires" in result.err
    machine = irops(*words, "--output-format", "json").json
    assert [d["code"] for d in machine["diagnostics"]] == ["IR401"]


def test_run_reads_and_writes_files(irops, reversing, tmp_path):
    np.savez(
        tmp_path / "in.npz",
        x=np.arange(6, dtype=np.float32).reshape(2, 3),
        lengths=np.array([2, 3], np.int32),
    )
    result = irops(
        "run", reversing, "--load-inputs", tmp_path / "in.npz", "--save-outputs", tmp_path / "out.npz"
    )
    assert (result.status, result.err) == (0, "")
    assert rows(result.out)[-1] == ["y", "f32", "[2,3]", "1", "0", "2", "5", "...", "0", "2.5", "5"]
    with np.load(tmp_path / "out.npz") as out:
        assert out.files == ["y"]
        assert out["y"].tolist() == [[1, 0, 2], [5, 4, 3]]


def test_an_input_is_identified_by_tensor_name_or_position(irops, reversing, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((1, 3), np.float32))
    np.save(tmp_path / "l.npy", np.array([1], np.int32))
    result = irops(
        "run", reversing, "--input", f"data={tmp_path / 'x.npy'}", "--input", f"1={tmp_path / 'l.npy'}"
    )
    assert result.status == 0


def test_inputs_are_generated_from_a_seed(irops, reversing, tmp_path):
    shapes = ("--shape", "x:5,3", "--shape", "lengths:5")

    def values(name, seed):
        words = ("--fill", "random", *shapes, "--seed", seed, "--save-outputs", tmp_path / name)
        assert irops("run", reversing, *words).status == 0
        return load_all(str(tmp_path / name))["y"].ravel().tolist()

    assert values("a.npz", 7) == values("b.npz", 7) != values("c.npz", 8)


def test_an_assumed_size_is_reported(irops, reversing):
    result = irops("run", reversing, "--fill", "ones")
    assert (result.status, "x: f32[?,3] is filled as [2,3]; --shape x:2,3 sets it\n" in result.err) == (0, 1)
    assert irops("run", reversing, "--fill", "ones", "--quiet") == (0, "", "")


def test_the_layer_in_which_nan_begins_is_named(irops, net, tmp_path):
    path, text = tmp_path / "m.xml", "x: f32[2]; log: Log x; soft: SoftMax-opset8 log axis=0; y: Result soft"
    package.write(net(text), path)
    np.savez(tmp_path / "in.npz", x=np.float32([1, -1]))
    assert (
        f"NaN begins in log (Log-1, {path}:" in irops("run", path, "--load-inputs", tmp_path / "in.npz").err
    )
    assert "NaN" not in irops("run", path, "--fill", "ones").err


def test_a_value_that_violates_a_constraint_is_a_finding(irops, reversing, tmp_path):
    np.savez(tmp_path / "in.npz", x=np.zeros((1, 3), np.float32), lengths=np.array([9], np.int32))
    result = irops("run", reversing, "--load-inputs", tmp_path / "in.npz")
    assert (result.status, "exceeds the size of data along seq_axis" in result.err) == (1, True)


def test_layers_are_kept(irops, reversing, tmp_path):
    words = ("run", reversing, "--fill", "ones", "--quiet", "--keep", "all")
    assert irops(*words, "--save-outputs", tmp_path / "all.npz").status == 0
    assert set(load_all(str(tmp_path / "all.npz"))) == {"y", "x", "lengths", "reversed"}
    result = irops("run", reversing, "--fill", "ones", "--keep", "reversed")
    assert ["kept"] in rows(result.out)
    assert rows(result.out)[-1][0] == "reversed"


@pytest.mark.parametrize(
    ("command", "option", "name"), table(__file__, "values_of_no_element_type_are_refused")
)
def test_values_of_no_element_type_are_refused(irops, reversing, tmp_path, command, option, name):
    np.savez(tmp_path / "v.npz", **{name: np.zeros((1, 3), "M8[s]")})
    result = irops(command, reversing, "--fill", "ones", option, tmp_path / "v.npz")
    assert result.status in (1, 2)
    assert "the dtype datetime64[s] has no element type" in result.err


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("f32", np.array([1.5, -2], np.float32)),
        ("boolean", np.array([True, False])),
        ("i64", np.array([-(2**63)])),
        ("bf16", np.array([1.5, -2], ml_dtypes.bfloat16)),
        ("f8e4m3", np.array([1.5, -2], ml_dtypes.float8_e4m3fn)),
        ("i4", np.array([-8, 7], ml_dtypes.int4)),
        ("u4", np.array([0, 15], ml_dtypes.uint4)),
        ("f4e2m1", np.array([6, -0.5], ml_dtypes.float4_e2m1fn)),
        ("nf4", tagged(np.array([0, 15], np.uint8), element_type("nf4"))),
        ("string", np.array(["", "é"], object)),
    ],
)
def test_every_element_type_round_trips_through_a_file(name, array, tmp_path):
    save_all(str(tmp_path / "t.npz"), {"t": array})
    back = as_declared(load_all(str(tmp_path / "t.npz"))["t"], element_type(name))
    assert back.astype(object).tolist() == array.astype(object).tolist()
    if name != "string":
        assert back.dtype == array.dtype
        assert back.dtype.metadata == array.dtype.metadata


ROOT = Path(__file__).parents[2]


@pytest.fixture
def swish(net, tmp_path):
    path = tmp_path / "swish.xml"
    package.write(net("x: f32[3]; beta: f32[]; act: Swish-opset4 x beta; y: Result act"), path)
    return path


def negative(path):
    file = path.with_name("beta.npy")
    np.save(file, np.float32(-1))
    return f"beta={file}"


@pytest.mark.parametrize("backend", [(), ("--source", "numba"), ("--source", "reference")])
def test_run_shows_the_warnings_of_the_run(irops, swish, backend):
    result = irops("run", swish, "--input", negative(swish), "--fill", "ones", *backend)
    assert (result.status, result.err.count("warning IR401 Swish-4 requires: beta is not negative")) == (0, 1)
    line = 1 + swish.read_text().partition('name="act"')[0].count("\n")
    assert f"swish.xml:{line}:" in result.err
    assert 'layer 2 "act"' in result.err
    assert irops("run", swish, "--fill", "ones").err == ""


def test_warnings_are_given_to_python_too(swish):
    results = package.run(swish, {"x": np.ones(3, np.float32), "beta": np.float32(-2)})
    expected = [("IR401", "Swish-4:C1", "warning")]
    assert [(d.code, d.constraint, str(d.severity)) for d in results.warnings] == expected
    session = package.Session(swish)
    assert not session.run({"x": np.ones(3, np.float32), "beta": np.float32(2)}).warnings
    assert session.run({"x": np.ones(3, np.float32), "beta": np.float32(-2)}).warnings


def test_a_warning_of_inference_is_shown_by_each_run(net):
    session = package.Session(net("x: f32[3]; e: Elu x alpha=-1; y: Result e"))
    for _ in range(2):
        assert [d.constraint for d in session.run([np.ones(3, np.float32)]).warnings] == ["Elu-1:C1"]


@pytest.mark.parametrize("example", ["bidirectional_encoder", "digit_classifier"])
@pytest.mark.parametrize("command", [("run", "--fill", "ones"), ("infer",), ("check",)])
def test_missing_weights_are_reported_once(command, example, irops, tmp_path):
    """Shapes of the second depend on them."""
    model = tmp_path / "model.xml"
    model.write_text((ROOT / "examples" / example / "model.xml").read_text())
    assert model.read_text().count('type="Const"') > 2
    result = irops(command[0], model, *command[1:])
    out = result.out + result.err
    assert result.status == 1
    assert out.count("error IR501 model.bin") == 1, out
    assert "other constants need it" in out


def test_a_run_is_json_for_programs(irops, tmp_path):
    graph = package.Graph("logs")
    x = graph.parameter("x", "f32[3]")
    graph.result(graph.add("Log", x, name="log"), "y")
    package.write(graph, tmp_path / "m.xml")
    np.savez(tmp_path / "x.npz", x=np.float32([1, 0, -1]))
    words = ("run", tmp_path / "m.xml", "--load-inputs", tmp_path / "x.npz", "--output-format", "json")
    content = irops(*words).json
    assert content["results"] == [
        {"name": "y", "type": "f32", "shape": [3], "elements": [0.0, "-inf", "nan"]}
    ]
    assert (content["kept"], content["warnings"], content["expected"]) == ([], [], {})
    np.savez(tmp_path / "y.npz", y=np.float32([1, -np.inf, np.nan]))
    done = irops(*words, "--keep", "log", "--expect", tmp_path / "y.npz")
    assert (done.status, done.json["expected"]["y"]["verdict"]) == (1, "wrong")
    assert [kept["name"] for kept in done.json["kept"]] == ["log"]
    refused = irops(*words, "--profile")
    assert (refused.status, refused.out) == (2, "")
    assert "--profile prints tables" in refused.err
