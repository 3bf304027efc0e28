"""Values that are sizes are printed by the names of the sizes, as shapes are."""

import pytest

import irops


@pytest.fixture
def model(tmp_path):
    graph = irops.Graph()
    x = graph.parameter("x", "f32[?,144]")
    graph.result(graph.ops.ShapeOf(x, output_type="i64", name="shape"), "sizes")
    irops.write(graph.model(), tmp_path / "model.xml")
    return tmp_path / "model.xml"


def test_a_value_shows_the_names_of_sizes(model, irops):
    result = irops("infer", model, "--shape", "x:N,144")
    (row,) = [line for line in result.out.splitlines() if line.startswith("shape ")]
    assert row.split()[-2:] == ["[N,", "144]"]


def test_json_has_shapes_with_and_without_names(model, irops):
    result = irops("infer", model, "--shape", "x:N,144", "--output-format", "json")
    (x,) = [row for row in result.json["outputs"] if row["layer"]["name"] == "x"]
    assert (x["shape"], x["symbolic_shape"]) == ("[?,144]", "[N,144]")
