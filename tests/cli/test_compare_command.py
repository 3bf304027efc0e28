"""irops compare: names the wrong layer first, in text and JSON; records values; irops run --expect."""

import json

import numpy as np
import pytest

import irops as package


@pytest.fixture
def folder(net, tmp_path, monkeypatch):
    """The current folder, with a model, inputs, and right and wrong values."""
    monkeypatch.chdir(tmp_path)
    w = np.random.default_rng(1).standard_normal((6, 5)).astype(np.float32)
    layers = "x: f32[2,6]; product: MatMul x w; active: Tanh product; y: Result active"
    package.write(net(layers, w=w), "m.xml")
    x = np.random.default_rng(2).standard_normal((2, 6)).astype(np.float32)
    np.savez("in.npz", x=x)
    results = package.run("m.xml", {"x": x}, keep="all")
    np.savez("good.npz", **{name: results[name] for name in ("product", "active")})
    np.savez("bad.npz", product=results["product"] * 1.01, active=results["active"])
    np.savez("out.npz", y=results["y"])
    np.savez("wrong.npz", y=results["y"] + np.float32(0.01))
    return tmp_path


@pytest.fixture
def compared(irops, folder):
    """The command with the model and its inputs, compared with what is named."""
    return lambda *more: irops("compare", "m.xml", "--load-inputs", "in.npz", "--b", *more)


def test_the_answer_is_the_first_line(compared):
    done = compared("bad.npz")
    assert done.status == 1
    lines = done.out.splitlines()
    assert lines[0] == "1 of 1 result agrees"  # the layer before it alone is wrong in the file
    assert lines[1].startswith("the first wrong layer is product (MatMul-1, m.xml:")
    assert "10 of 10 elements differ" in lines[1]
    assert [line.split()[0] for line in lines[-2:]] == ["layer", "product"]


def test_no_wrong_layer_is_success(compared):
    done = compared("good.npz")
    summary = "2 of 2 layers, 1 of 1 result compared; layers: 2 equal"
    assert (done.status, done.out.splitlines()[2]) == (0, summary)
    assert compared("reference", "--quiet").out == ""
    assert len(compared("good.npz", "--all").out.splitlines()) == 7


def test_nothing_compared_is_no_success(compared):
    np.savez("other.npz", another=np.float32([1]))
    for more in ((), ("--quiet",)):
        done = compared("other.npz", *more)
        assert done.status == 2
        assert bool(more) or "0 of 2 layers, 0 of 1 result compared\n" in done.out


def test_a_wrong_result_is_a_finding_whatever_layers_say(compared):
    done = compared("wrong.npz")
    assert done.status == 1
    assert done.out.startswith("0 of 1 result agrees\n  result active.0 wrong: 10 of 10 elements differ")


def test_json_goes_to_a_file(compared, folder):
    done = compared("bad.npz", "--output-format", "json", "-o", "report.json")
    assert (done.status, done.out) == (1, "")
    report = json.loads((folder / "report.json").read_text())
    assert (report["schema"], report["mode"], report["first"]) == (1, "propagated", "product")


def test_recorded_values_are_compared_elsewhere(compared):
    done = compared("reference", "--save-values", "recorded")
    assert (done.status, done.out) == (0, "recorded: 5 values of reference\n")
    done = compared("recorded")
    assert done.status == 0
    assert "2 of 2 layers, 1 of 1 result compared; layers: 2 equal" in done.out


def test_run_compares_results_with_expected_ones(irops, folder):
    words = ("run", "m.xml", "--load-inputs", "in.npz", "--expect")
    done = irops(*words, "out.npz")
    assert (done.status, done.err) == (0, "1 of 1 result as in out.npz\n  active.0 equal\n")
    done = irops(*words, "wrong.npz")
    assert done.status == 1
    assert "0 of 1 result as in wrong.npz\n  active.0 wrong: 10 of 10 elements differ" in done.err
    done = irops(*words, "good.npz")
    assert done.status == 2
    assert "--expect" in done.err
    assert "the model has no result 'product'" in done.err


def test_expected_infinities_are_no_rounding(irops, net, tmp_path):
    package.write(net("x: f32[3]; log: Log x; y: Result log"), tmp_path / "m.xml")
    np.savez(tmp_path / "in.npz", x=np.float32([np.inf, 0, 1]))
    words = ("run", tmp_path / "m.xml", "--load-inputs", tmp_path / "in.npz", "--expect", tmp_path / "y.npz")
    np.savez(tmp_path / "y.npz", y=np.float32([np.inf, -np.inf, 0]))
    assert irops(*words).status == 0
    np.savez(tmp_path / "y.npz", y=np.float32([1, 2, 0]))
    done = irops(*words)
    assert done.status == 1
    assert "log.0 not finite: infinity in 2 elements" in done.err


def test_a_folder_has_sets_of_inputs_in_one_report(irops, folder):
    other = package.Graph(package.read("m.xml"))
    other.replace(other["active"], "Clamp-1", min=-1, max=1)
    package.write(other, "other.xml")
    (folder / "sets").mkdir()
    refused = irops("compare", "m.xml", "--load-inputs", "sets", "--b", "model:other.xml")
    assert (refused.status, refused.out) == (2, "")
    assert "the folder 'sets' has no .npz files" in refused.err
    for name, x in (("a", np.zeros((2, 6), np.float32)), ("b", np.ones((2, 6), np.float32))):
        np.savez(folder / "sets" / f"{name}.npz", x=x)
    done = irops("compare", "m.xml", "--load-inputs", "sets", "--b", "model:other.xml")
    assert done.status == 1
    assert "in 1 of 2 sets of inputs" in done.out
