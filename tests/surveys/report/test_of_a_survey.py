"""irops.survey writes the report, with what the survey found out about real models."""

from __future__ import annotations

import json
import re

import pytest

import irops

pytestmark = pytest.mark.slow("surveys models")

pytest.importorskip("pyarrow")
DATA = '<data shape="2,3" element_type="f32"/>'
OUT = '<output><port id="0" precision="FP32"><dim>2</dim><dim>3</dim></port></output>'
MODEL = (
    '<net name="m" version="11"><layers>\n'
    f'<layer id="0" name="x" type="Parameter" version="opset1">{DATA}{OUT}</layer>\n'
    '<layer id="1" name="middle" type="{op}" version="opset1"><data {data}/><input><port id="0"/></input>'
    '<output><port id="1" precision="FP32"><dim>2</dim><dim>3</dim></port></output></layer>\n'
    '<layer id="2" name="y" type="Result" version="opset1"><input><port id="0"/></input></layer>\n'
    "</layers><edges>"
    '<edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>'
    '<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>'
)


def write_model(path, op="ReLU", data=""):
    path.parent.mkdir(exist_ok=True)
    path.write_text(MODEL.format(op=op, data=data))


@pytest.fixture
def zoo(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_model(tmp_path / "zoo" / "relu.xml")
    write_model(tmp_path / "zoo" / "elu.xml", "Elu", 'alpha="one"')
    write_model(tmp_path / "zoo" / "fancy.xml", "Fancy")
    return tmp_path / "zoo"


def survey(**options):
    return irops.survey("zoo", ("check", "infer"), processes=1, **options)


def index_of(folder):
    return (folder / "index.html").read_text()


def data_of(folder):
    return json.loads(re.search(r'id="data">(.*?)</script>', index_of(folder))[1])


def test_a_survey_writes_the_page_with_its_findings(zoo, tmp_path):
    survey(output="report")
    data = data_of(tmp_path / "report")
    assert data["models"] == ["zoo/elu.xml", "zoo/fancy.xml", "zoo/relu.xml"]
    assert data["pages"] == ["1-elu.xml.html", "2-fancy.xml.html", ""]
    assert [column["letters"] for column in data["columns"]] == ["ffp", "ffp"]
    [note] = data["columns"][0]["notes"]["0"]
    assert data["codes"][note[0]][:2] == ["IR314", "malformed-attribute"]
    assert [data["texts"][number] for number in note[3:5]] == ["middle", "Elu-1"]
    page = (tmp_path / "report" / "models" / "1-elu.xml.html").read_text()
    assert "<mark>a</mark>lpha=&quot;one&quot;" in page
    assert "line 3, column" in page


def test_an_undefined_op_is_what_to_support_next(zoo, tmp_path):
    survey(output="report")
    section = index_of(tmp_path / "report").partition('<h2 id="coverage">')[2]
    rows = [
        re.sub(r"<[^>]*>", " ", row).split()
        for row in re.findall(r"<tr>(.*?)</tr>", section.partition("</table>")[0], re.DOTALL)[1:]
    ]
    assert rows == [
        ["Fancy-1", "undefined", "1", "1", "0", "1", "1"],
        ["Elu-1", "evaluated", "1", "1", "0", "1", "1"],
    ]


def test_ops_of_other_dialects_are_named_as_their_ids(tmp_path):
    helper = pytest.importorskip("onnx").helper
    value = helper.make_tensor_value_info("x", 1, [2])
    nodes = [helper.make_node("Nothing", ["x"], ["m"]), helper.make_node("Relu", ["m"], ["y"])]
    graph = helper.make_graph(nodes, "g", [value], [helper.make_tensor_value_info("y", 1, [2])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)])
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    irops.survey(tmp_path / "m.onnx", processes=1, output=tmp_path / "report")
    data = data_of(tmp_path / "report")
    assert {"onnx:Nothing-14", "onnx:Relu-14"} <= set(data["ops"])
    [note] = data["columns"][0]["notes"]["0"]
    assert data["texts"][note[4]] == "onnx:Nothing-14"


def test_a_survey_against_another_shows_what_changed(zoo, tmp_path):
    survey(output="before")
    write_model(zoo / "elu.xml", "Elu", 'alpha="1"')
    write_model(zoo / "relu.xml", "Fancy")
    (zoo / "fancy.xml").unlink()
    write_model(zoo / "other.xml")
    survey(output="after", against="before")
    data = data_of(tmp_path / "after")
    changes = dict(zip(data["models"], data["columns"][0]["changes"]))
    assert changes == {"zoo/elu.xml": "+", "zoo/fancy.xml": "g", "zoo/other.xml": "n", "zoo/relu.xml": "-"}
    text = index_of(tmp_path / "after").partition("<script")[0]
    assert re.search(r"<h3>Worse</h3>.*zoo/relu\.xml.*pass.*fail", text, re.DOTALL)


def test_a_survey_without_changes_writes_an_equal_page(zoo, tmp_path):
    survey(output="report")
    before = index_of(tmp_path / "report")
    assert survey(output="report").done == 0
    assert index_of(tmp_path / "report") == before


def test_settings_and_versions_are_on_the_page(zoo, tmp_path):
    survey(output="report", seconds=77)
    section = index_of(tmp_path / "report").partition('<h2 id="settings">')[2].partition("<script")[0]
    assert irops.__version__ in section
    assert "seconds 77" in section
    assert "check, infer" in section
