"""irops compare: names the wrong layer first, in text and JSON; records values; irops run --expect."""

from __future__ import annotations

import json

import numpy as np
import pytest

import irops as package


@pytest.fixture
def folder(tmp_path):
    graph = package.Graph("net")
    x = graph.parameter("x", "f32", [2, 6])
    w = graph.constant(np.random.default_rng(1).standard_normal((6, 5)).astype(np.float32), name="w")
    product = graph.add("MatMul", x, w, name="product")
    graph.result(graph.add("Tanh", product, name="active"), name="y")
    package.write(graph.model(), tmp_path / "m.xml")
    x = np.random.default_rng(2).standard_normal((2, 6)).astype(np.float32)
    np.savez(tmp_path / "in.npz", x=x)
    results = package.run(tmp_path / "m.xml", {"x": x}, keep="all")
    np.savez(tmp_path / "good.npz", **{name: results[name] for name in ("product", "active")})
    np.savez(tmp_path / "bad.npz", product=results["product"] * 1.01, active=results["active"] * 1.01)
    np.savez(tmp_path / "out.npz", y=results["y"])
    np.savez(tmp_path / "wrong.npz", y=results["y"] + np.float32(0.01))
    return tmp_path


def test_the_answer_is_the_first_line(irops, folder):
    done = irops("compare", folder / "m.xml", "--load-inputs", folder / "in.npz", "--b", folder / "bad.npz")
    assert done.status == 1
    lines = done.out.splitlines()
    assert lines[0].startswith("result y differs: ")
    assert lines[1].startswith(f"the first wrong layer is product (MatMul-1, {folder / 'm.xml'}:")
    assert "10 of 10 elements differ" in lines[1]
    assert [line.split()[0] for line in lines[-3:]] == ["layer", "product", "active"]


def test_no_wrong_layer_is_success(irops, folder):
    words = ("compare", folder / "m.xml", "--load-inputs", folder / "in.npz")
    done = irops(*words, "--b", folder / "good.npz")
    assert done.status == 0
    assert done.out.splitlines() == [
        "the result agrees",
        f"no layer of {folder / 'good.npz'} is wrong against reference (propagated)",
        "2 of 2 layers and 1 of 1 result compared: 2 equal",
    ]
    assert irops(*words, "--b", "numpy", "--quiet").out == ""
    assert len(irops(*words, "--b", folder / "good.npz", "--all").out.splitlines()) == 7


def test_json_goes_to_a_file(irops, folder):
    words = ("compare", folder / "m.xml", "--load-inputs", folder / "in.npz", "--b", folder / "bad.npz")
    done = irops(*words, "--output-format", "json", "-o", folder / "report.json")
    assert (done.status, done.out) == (1, f"{folder / 'report.json'}: the report as json\n")
    report = json.loads((folder / "report.json").read_text())
    assert (report["schema"], report["mode"], report["first"]) == (1, "propagated", "product")


def test_the_suffix_of_the_file_decides_on_the_format(irops, folder):
    words = ("compare", folder / "m.xml", "--load-inputs", folder / "in.npz", "--b", folder / "bad.npz")
    for name, form in (("r.json", "json"), ("r.html", "html"), ("r.txt", "text")):
        assert irops(*words, "-o", folder / name).out == f"{folder / name}: the report as {form}\n"
    assert json.loads((folder / "r.json").read_text())["first"] == "product"
    assert (folder / "r.html").read_text().startswith("<!")
    assert (folder / "r.txt").read_text().startswith("result")
    assert irops(*words, "-o", folder / "q.html", "--output-format", "json", "--quiet").out == ""
    assert json.loads((folder / "q.html").read_text())["schema"] == 1


def test_recorded_values_are_compared_elsewhere(irops, folder):
    words = ("compare", folder / "m.xml", "--load-inputs", folder / "in.npz", "--b", "reference")
    done = irops(*words, "--save-values", folder / "recorded")
    assert (done.status, done.out) == (0, f"{folder / 'recorded'}: 6 values of reference\n")
    done = irops(*words[:-1], folder / "recorded")
    assert done.status == 0
    assert "2 of 2 layers and 1 of 1 result compared: 2 equal" in done.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--b", "opnevino:CPU"),
            "there is no source 'opnevino:CPU'; did you mean openvino:CPU? A source is one of",
        ),
        (("--b", "m.xml"), "there is no source 'm.xml'"),
        (("--mode", "isolate"), "did you mean isolated?"),
        (("--rtol", "small"), "'small' is not of the form NUMBER or NAME=NUMBER, at least 0"),
        (("--b", "good.npz", "--rtol", "produkt=1"), "which no layer, tensor or result has"),
        (("--b", "good.npz", "--repeat", "2"), "it needs --fill random"),
    ],
)
def test_wrong_usage_is_refused_with_a_suggestion(irops, folder, words, message):
    words = [str(folder / word) if word == "good.npz" else word for word in words]
    done = irops("compare", folder / "m.xml", "--load-inputs", folder / "in.npz", *words)
    assert done.status == 2
    assert message in done.err


@pytest.mark.parametrize("words", [("--b", "referense"), ("--a", "referense", "--b", "reference")])
def test_a_mistyped_source_is_reported_before_the_model_is_read(irops, folder, words):
    done = irops("compare", folder / "absent.xml", *words)
    assert done.status == 2
    assert "there is no source 'referense'; did you mean reference? A source is one of" in done.err
    assert "no source" in irops("compare", folder / "m.xml", *words).err, "before inputs are asked for"


def test_run_compares_results_with_expected_ones(irops, folder):
    words = ("run", folder / "m.xml", "--load-inputs", folder / "in.npz", "--expect")
    done = irops(*words, folder / "out.npz")
    assert (done.status, done.err) == (0, f"1 of 1 result as in {folder / 'out.npz'}\n  y equal\n")
    done = irops(*words, folder / "wrong.npz")
    assert done.status == 1
    assert f"0 of 1 result as in {folder / 'wrong.npz'}\n  y wrong: 10 of 10 elements differ" in done.err
    done = irops(*words, folder / "good.npz")
    assert done.status == 2
    assert "--expect" in done.err
    assert "the model has no result 'product'" in done.err


def test_nothing_compared_is_an_exit_code_of_its_own(irops, folder):
    np.savez(folder / "other.npz", unrelated=np.zeros(3))
    done = irops("compare", folder / "m.xml", "--load-inputs", folder / "in.npz", "--b", folder / "other.npz")
    assert done.status == 2
    assert done.out.splitlines()[0] == "nothing was compared"


def test_a_result_alone_that_differs_is_a_finding(irops, folder):
    done = irops("compare", folder / "m.xml", "--load-inputs", folder / "in.npz", "--b", folder / "wrong.npz")
    assert done.status == 1
    assert done.out.startswith("result y differs: 0.01 at ")


def test_a_folder_of_inputs_is_several_sets(irops, folder):
    (folder / "sets").mkdir()
    for number in range(3):
        np.savez(folder / "sets" / f"{number}.npz", x=np.full((2, 6), number, np.float32))
    words = ("compare", folder / "m.xml", "--load-inputs", folder / "sets", "--b", "reference")
    assert irops(*words).out.startswith("the result agrees for all 3 sets of inputs\n")
    words = ("compare", folder / "m.xml", "--fill", "random", "--repeat", "2", "--b", "reference")
    assert irops(*words).out.startswith("the result agrees for all 2 sets of inputs\n")
