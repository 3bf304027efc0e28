"""The inputs of models in a survey: from tables, files beside the model, and shapes."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from here_workers import HereWorkers
from libraries import needs

import irops
from irops.surveys.faults import SurveyError
from irops.surveys.inputs import ModelInputs, inputs_of_model, read_table
from irops.surveys.settings import Settings
from irops.surveys.surveying import surveyed

pytestmark = needs("pyarrow")


@pytest.fixture
def doubling(tmp_path, net):
    """A model that adds an input of any size to itself, in a folder of its own."""
    folder = tmp_path / "models"
    folder.mkdir()
    model = net(
        ("a", "Parameter", {"element_type": "f32", "shape": "?,3"}, []),
        ("sum", "Add", {}, ["a", "a"]),
        ("y", "Result", {}, ["sum"]),
    )
    irops.write(model, folder / "doubling.xml")
    return folder / "doubling.xml"


def row_of(request_of, path, **settings):
    (row,) = surveyed(request_of(path, tasks=("run",), settings=Settings(**settings)), HereWorkers())
    return row


@pytest.mark.parametrize(("file", "key"), [("doubling.npz", "a"), ("inputs.npz", "0"), ("inputs.npz", "in0")])
def test_a_file_beside_the_model_has_its_inputs(request_of, doubling, file, key):
    np.savez(doubling.with_name(file), **{key: np.ones((7, 3), np.float32)})
    row = row_of(request_of, doubling)
    assert row.status == "pass"
    assert row.details["outputs"] == {"y": "f32[7,3]"}
    assert row.details["inputs"] == [f"loaded from {doubling.with_name(file)}"]


def test_a_changed_file_beside_the_model_is_read_again(request_of, doubling):
    for size in (4, 6):
        np.savez(doubling.with_name("inputs.npz"), a=np.ones((size, 3), np.float32))
        assert row_of(request_of, doubling).details["outputs"] == {"y": f"f32[{size},3]"}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"b": np.ones(3), "c": np.ones(3)}, "'b' is not an input; the inputs are 'a'"),
        ({"a": np.ones((2, 4), np.float32)}, "must be f32[?,3]"),
    ],
)
def test_inputs_that_do_not_fit_are_an_error_of_the_inputs(request_of, doubling, arrays, message):
    np.savez(doubling.with_name("inputs.npz"), **arrays)
    row = row_of(request_of, doubling)
    assert row.status == "error"
    assert row.details["message"].startswith("inputs: ")
    assert message in row.details["message"]


def test_a_shape_holds_for_inputs_of_its_name(request_of, doubling):
    row = row_of(request_of, doubling, shapes=(("a", "9,3"), ("other", "1")))
    assert row.details["outputs"] == {"y": "f32[9,3]"}
    other = row_of(request_of, doubling, shapes=(("a", "8,3"),))
    assert other.details["outputs"] == {"y": "f32[8,3]"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("table.json", json.dumps({"none*": "absent.npz", "doubl*.xml": {"a": "11,3"}})),
        ("table.csv", "model,inputs\nnone*,absent.npz\ndoubl*.xml,a:11,3\n".replace("a:11,3", '"a:11,3"')),
    ],
)
def test_a_table_gives_shapes_by_pattern(request_of, doubling, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    row = row_of(request_of, doubling, inputs=read_table(tmp_path / name))
    assert row.details["outputs"] == {"y": "f32[11,3]"}


def test_files_of_a_table_are_relative_to_it(tmp_path):
    (tmp_path / "t.json").write_text('{"*.xml": "in/x.npz"}')
    (entry,) = read_table(tmp_path / "t.json")
    assert entry == ModelInputs("*.xml", os.path.join(tmp_path, "in/x.npz"))
    assert inputs_of_model("m/a.xml", [entry]).file == entry.file
    assert inputs_of_model("m/a.onnx", [entry]).file == ""


@pytest.mark.parametrize("text", ["[]", "{", '{"a": 3}', '{"a": {"x": 2}}'])
def test_what_is_no_table_is_refused(tmp_path, text):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(SurveyError, match="not a table of inputs"):
        read_table(tmp_path / "t.json")


def test_a_csv_without_its_columns_is_refused(tmp_path):
    (tmp_path / "t.csv").write_text("path,file\n")
    with pytest.raises(SurveyError, match="expected the columns model and inputs"):
        read_table(tmp_path / "t.csv")


def test_a_model_that_no_inputs_suit_is_not_said_to_fail(request_of, tmp_path, net):
    constant = {"element_type": "i64", "shape": "1", "size": "8"}
    model = net(
        ("x", "Parameter", {"element_type": "f32", "shape": "?"}, []),
        ("six", "Const", {**constant, "offset": "0"}, []),
        ("five", "Const", {**constant, "offset": "8"}, []),
        ("first", "Reshape", {"special_zero": "false"}, ["x", "six"]),
        ("second", "Reshape", {"special_zero": "false"}, ["x", "five"]),
        ("y", "Result", {}, ["first"]),
        ("z", "Result", {}, ["second"]),
        weights=np.int64([6, 5]).tobytes(),
    )
    irops.write(model, tmp_path / "unsuited.xml")
    row = row_of(request_of, tmp_path / "unsuited.xml")
    assert row.status == "error"
    assert row.details["message"].startswith("inputs: inference finds errors for all that was tried: ")
