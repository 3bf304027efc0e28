"""The examples of examples/ do what they are there to show."""

from pathlib import Path

import numpy as np
import pytest

import irops

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
MODELS = sorted(p.parent.name for p in EXAMPLES.glob("*/expected.npz"))


@pytest.mark.parametrize("name", MODELS)
def test_an_example_gives_what_openvino_gives(name):
    folder = EXAMPLES / name
    assert irops.check(folder / "model.xml").errors == ()
    with np.load(folder / "inputs.npz") as inputs, np.load(folder / "expected.npz") as expected:
        result = irops.run(folder / "model.xml", dict(inputs))
        for key in expected.files:
            np.testing.assert_allclose(result[key], expected[key], rtol=1e-4, atol=1e-6)


def test_the_running_total_runs_on_from_run_to_run_until_it_is_reset():
    session = irops.Session(EXAMPLES / "running_total" / "model.xml")
    step = np.array([1, 2, 3], np.float32)
    totals = [session.run({"x": step})["sum"].tolist() for _ in range(3)]
    assert totals == [[1, 2, 3], [2, 4, 6], [3, 6, 9]]
    session.reset()
    assert session.run({"x": step})["sum"].tolist() == [1, 2, 3]


def test_the_problems_of_the_broken_example_are_reported_in_file_order():
    found = irops.check(EXAMPLES / "broken" / "model.xml").errors
    reported = [(d.code, d.location.line) for d in found]
    assert reported == sorted(reported, key=lambda pair: pair[1])
    assert {("IR401", 22), ("IR302", 42), ("IR202", 91)} <= set(reported)


def test_turned_rows_mean_the_same_in_onnx(tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    folder = EXAMPLES / "turned_rows"
    irops.write(irops.translate(irops.read(folder / "model.xml"), "onnx"), tmp_path / "turned_rows.onnx")
    with np.load(folder / "inputs.npz") as inputs, np.load(folder / "expected.npz") as expected:
        np.testing.assert_array_equal(
            irops.run(tmp_path / "turned_rows.onnx", dict(inputs))["y"], expected["y"]
        )
