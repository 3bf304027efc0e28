"""irops inspect, ops, where, new and docs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Irops = Callable[..., Any]  # words in; status, out and err back: see conftest.py
ROOT = Path(__file__).parents[2]


def test_inspect_shows_a_model_in_80_columns(irops: Irops, valid_model: Path) -> None:
    result = irops("inspect", valid_model)
    assert (result.status, result.err) == (0, "")
    assert all(len(line) <= 80 for line in result.out.splitlines())
    assert all(f"\n{title}\n" in result.out for title in ("inputs", "outputs", "ops", "weights"))


def test_inspect_counts(irops: Irops) -> None:
    seen = json.loads(
        irops(
            "inspect", ROOT / "irops" / "diagnostics" / "rules" / "IR221.xml", "--output-format", "json"
        ).out
    )
    assert (seen["layers"], seen["edges"], seen["ir_version"]) == (8, 6, 11)
    assert [(i["layer"], i["type"], i["shape"]) for i in seen["inputs"]] == [
        ("x", "f32", "[2,3]"),
        ("h", "f32", "[1,3]"),
    ]
    assert seen["ops"]["Parameter opset1"] == 4
    assert seen["subgraphs"] == [{"layer": "loop", "type": "TensorIterator", "bodies": [["body", 4, []]]}]


def test_inspect_counts_shared_bytes_once(irops: Irops, tmp_path: Path) -> None:
    const = (
        '<layer id="{0}" name="c{0}" type="Const" version="opset1"><data element_type="{1}" shape="{2}"'
        ' offset="{3}" size="{4}"/><output><port id="0" precision="FP32"/></output></layer>'
    )
    layers = (
        const.format(0, "f32", "4", 0, 16)
        + const.format(1, "f32", "2", 8, 8)
        + const.format(2, "i64", "1", 16, 8)
    )
    (tmp_path / "m.xml").write_text(f'<net name="m" version="11"><layers>{layers}</layers><edges/></net>')
    (tmp_path / "m.bin").write_bytes(bytes(32))
    seen = json.loads(irops("inspect", tmp_path / "m.xml", "--output-format", "json").out)
    assert seen["weights"] == [
        {"type": "f32", "constants": 2, "elements": 6, "bytes": 16},
        {"type": "i64", "constants": 1, "elements": 1, "bytes": 8},
    ]
    assert (seen["weights_bytes"], seen["weights_file_bytes"]) == (24, 32)
    assert "the file has 32 bytes, 8 of them unused" in irops("inspect", tmp_path / "m.xml").out


def test_inspect_reports_why_a_file_cannot_be_read(irops: Irops, tmp_path: Path) -> None:
    result = irops("inspect", tmp_path / "absent.xml")
    assert (result.status, result.out) == (2, "")
    assert "error IR001" in result.err


def test_ops_are_listed_and_filtered(irops: Irops) -> None:
    everything = irops("ops", "--quiet").out.split()
    assert {"Reverse-1", "ReverseSequence-1", "Parameter-1"} <= set(everything)
    assert "Reverse-1" not in irops("ops", "--quiet", "--opset", "2").out.split(), "opset1 alone holds it"
    assert (
        "Reverse-1"
        in irops(
            "ops", "--quiet", "--opset", "opset1", "--category", "movement", "--text", "order axes"
        ).out.split()
    )
    listed = json.loads(irops("ops", "--output-format", "json").out)["ops"]
    assert [entry["op"] for entry in listed] == everything


def test_ops_of_other_dialects_are_listed_with_their_opsets(irops: Irops) -> None:
    assert irops("ops", "--dialect", "graiphic", "--quiet").out.split() == ["graiphic:ReverseSequence"]
    listed = {
        entry["op"]: entry["opsets"]
        for entry in json.loads(irops("ops", "--dialect", "onnx", "--output-format", "json").out)["ops"]
    }
    assert listed["onnx:Slice-1"] == [str(n) for n in range(1, 10)]
    assert listed["onnx:ReverseSequence-10"][0] == "10"
    old = irops("ops", "--dialect", "onnx", "--opset", "9", "--quiet").out.split()
    assert "onnx:Slice-1" in old
    assert "onnx:ReverseSequence-10" not in old


def test_custom_ops_are_listed_and_explained(irops: Irops) -> None:
    added = ("--definitions", ROOT / "examples" / "my_reverse")
    assert "MyReverse-extension" in irops("ops", "-q", "--text", "my reverse", *added).out.splitlines()
    assert irops("explain", "MyReverse", *added).out.startswith("MyReverse-extension (")
    assert "did you mean MyReverse-extension" in irops("explain", "MyRevers", *added).err
    assert "MyReverse" not in irops("ops").out


def test_undefined_onnx_ops_are_listed(irops: Irops) -> None:
    undefined = irops("ops", "--dialect", "onnx", "--undefined", "--opset", "17", "--quiet").out.split()
    assert "onnx:Softmax-13" in undefined
    assert not any(op.startswith("onnx:ReverseSequence-") for op in undefined)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("graiphic", "--undefined"), "graiphic has no opsets"),
        (("onnx", "--opset", "99"), "ONNX has no opset '99'; there are 1 to"),
    ],
)
def test_invalid_arguments_of_ops_are_reported(irops: Irops, words: tuple[str, ...], why: str) -> None:
    result = irops("ops", "--dialect", *words)
    assert (result.status, result.out) == (2, "")
    assert why in result.err


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("onnx:Softmax-13", "irops does not define ONNX's Softmax yet"),
        ("onnx:Transpos", "did you mean onnx:Transpose-25?"),
        ("onnx:Nope", "irops ops --dialect onnx lists all"),
        ("graiphic:Nope", "irops ops --dialect graiphic lists all"),
    ],
)
def test_an_unknown_op_of_another_dialect_is_reported(irops: Irops, name: str, why: str) -> None:
    for option in ((), ("--files",)):
        result = irops("explain", name, *option)
        assert (result.status, result.out) == (2, "")
        assert why in result.err


def test_ops_lists_undefined_ops(irops: Irops) -> None:
    defined, undefined = (set(irops("ops", "--quiet", *more).out.split()) for more in ((), ("--undefined",)))
    assert not defined & undefined
    assert len(defined | undefined) >= 245


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--opset", "99"), "OpenVINO has no opset '99'; there are opset1 to opset"),
        (("--category", "x"), "unknown category 'x'"),
    ],
)
def test_an_unknown_filter_value_is_refused(words: tuple[str, ...], sentence: str, irops: Irops) -> None:
    result = irops("ops", *words)
    assert result.status == 2
    assert sentence in result.err


def test_explain_shows_the_files_of_ops_with_lines(irops: Irops) -> None:
    words = ("explain", "reversesequence", "Relu", "--files")
    entry, other = json.loads(irops(*words, "--output-format", "json").out)["subjects"]
    assert (entry["kind"], entry["op"], other["op"]) == ("files", "ReverseSequence-1", "ReLU-1")
    assert Path(entry["definition"]["file"]).name == "ReverseSequence-1.xml"
    kernel = entry["kernel"]
    line = Path(kernel["file"]).read_text().splitlines()[kernel["line"] - 1]
    assert line == '@kernel("ReverseSequence-1")'
    assert Path(other["shape"]["file"]).name == "stock.py", "the shape rule of ops without a function"
    place = "schemas/movement/ReverseSequence-1.xml:1\n"
    assert irops(*words).out.startswith(f"ReverseSequence-1\ndefinition        {place}")
    assert irops("explain", "reversesequence", "--files").out.startswith(f"definition        {place}")
    assert irops("explain", "reversesequence", "--files", "-q").out.startswith(place)


def test_files_are_those_of_ops(irops: Irops) -> None:
    for word, meant in (("ReverseSequence-7", "did you mean ReverseSequence-1"), ("IR202", "unknown op")):
        result = irops("explain", word, "--files")
        assert result.status == 2
        assert meant in result.err


@pytest.mark.slow("starts pytest")
def test_new_creates_a_working_op(irops: Irops, tmp_path: Path) -> None:
    result = irops("new", "MyShift", "--category", "arithmetic", "--output", tmp_path / "ops")
    assert result.status == 0
    assert sorted(path.name for path in (tmp_path / "ops").iterdir()) == [
        "MyShift-extension.xml",
        "my_shift.py",
    ]
    assert "irops explain MyShift-extension --definitions" in result.out
    assert irops("explain", "MyShift-extension:C1", "--definitions", tmp_path / "ops").status == 0
    (tmp_path / "m.xml").write_text(SHIFTING)
    assert irops("check", tmp_path / "m.xml").status == 1
    assert irops("check", tmp_path / "m.xml", "--definitions", tmp_path / "ops").status == 0
    result = irops("run", tmp_path / "m.xml", "--definitions", tmp_path / "ops", "--fill", "ones")
    assert result.out.splitlines()[-1].split()[:6] == ["y", "i32", "[3]", "3", "3", "3"]


SHIFTING = """<net name="m" version="11"><layers>
<layer id="0" name="x" type="Parameter" version="opset1"><data shape="3" element_type="i32"/>
<output><port id="0" precision="I32"><dim>3</dim></port></output></layer>
<layer id="1" name="shift" type="MyShift" version="extension"><data amount="2"/><input><port id="0">
<dim>3</dim></port></input>
<output><port id="1" precision="I32"><dim>3</dim></port></output></layer>
<layer id="2" name="y" type="Result" version="opset1"><input><port id="0">
<dim>3</dim></port></input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>"""


def test_new_overwrites_no_file(irops: Irops, tmp_path: Path) -> None:
    (tmp_path / "my_shift.py").write_text("mine")
    result = irops("new", "MyShift", "--category", "arithmetic", "--output", tmp_path)
    assert result.status == 2
    assert "already exists and is not overwritten" in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["my_shift.py"]
    assert (tmp_path / "my_shift.py").read_text() == "mine"


@pytest.mark.parametrize("name", ["a/../b", "", "My Op", "1st"])
def test_an_invalid_type_name_is_refused(name: str, irops: Irops, tmp_path: Path) -> None:
    assert irops("new", name, "--category", "x", "-o", tmp_path).status == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow("Sphinx builds pages")
def test_docs_are_written(irops: Irops, tmp_path: Path) -> None:
    result = irops("docs", "--output", tmp_path / "site", "--format", "markdown")
    assert result.status == 0
    assert (tmp_path / "site" / "ops" / "ReverseSequence-1.md").is_file()
    assert result.out.endswith(f"pages in {tmp_path / 'site'}; start at {tmp_path / 'site'}/index.md\n")


def test_docs_replace_no_other_folder(irops: Irops, tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("keep")
    result = irops("docs", "--output", tmp_path)
    assert result.status == 2
    assert (tmp_path / "precious.txt").read_text() == "keep"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--definitions", "no/such"), "no such folder"),
        (("--module", "no_such_module_of_ops"), "no module of this name"),
    ],
)
def test_a_missing_extension_is_refused(words: tuple[str, ...], sentence: str, irops: Irops) -> None:
    result = irops("ops", *words)
    assert (result.status, result.out) == (2, "")
    assert sentence in result.err


def test_new_refuses_an_op_that_irops_defines(irops: Irops, tmp_path: Path) -> None:
    result = irops(
        "new", "ReverseSequence", "--category", "movement", "--version", "opset1", "-o", tmp_path / "ops"
    )
    assert result.status == 2
    assert "irops already defines ReverseSequence-1" in result.err
    assert not (tmp_path / "ops").exists()


def test_no_matching_op_prints_no_empty_table(irops: Irops) -> None:
    assert irops("ops", "--text", "zzzqqq") == (0, "0 ops\n", "")


def test_inspect_names_the_oldest_release_and_what_decides(irops: Irops, tmp_path: Path) -> None:
    text = (
        (ROOT / "irops" / "diagnostics" / "rules" / "IR208.xml")
        .read_text()
        .replace('version="opset1"', 'version="opset12"')
    )
    (tmp_path / "m.xml").write_text(text)
    assert "read by OpenVINO 2023.1 and later: layer 0 " in irops("inspect", tmp_path / "m.xml").out
    seen = json.loads(irops("inspect", tmp_path / "m.xml", "--output-format", "json").out)["oldest_release"]
    assert seen["name"] == "2023.1"
    assert seen["decided_by"] == [
        'layer 0 "x" (Parameter) is Parameter of opset12',
        'layer 1 "y" (Result) is Result of opset12',
    ]


@pytest.mark.slow("Sphinx builds pages")
def test_docs_of_custom_ops_alone_are_a_site(irops: Irops, tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    definitions = ROOT / "examples" / "my_reverse"
    options = (
        "--definitions",
        definitions,
        "--custom-only",
        "--title",
        "My ops",
        "--base-url",
        "https://x.org/y/",
    )
    result = irops("docs", "--output", tmp_path / "site", *options)
    assert result.status == 0, result.err
    page = (tmp_path / "site" / "ops" / "MyReverse-extension.html").read_text("utf-8")
    assert "<title>MyReverse-extension - My ops</title>" in page  # without the version of irops
    assert "The irops authors" not in page
    assert "faster backend" not in page
    assert '<div class="formula ' in page
    assert '<base href="https://x.org/y/">' in (tmp_path / "site" / "404.html").read_text("utf-8")
    assert '<link rel="canonical" href="https://x.org/y/ops/MyReverse-extension.html"' in page
    assert "https://x.org/y/ops/MyReverse-extension.html" in (tmp_path / "site" / "sitemap.xml").read_text()
    assert "404.html" not in (tmp_path / "site" / "sitemap.xml").read_text()
    assert not (tmp_path / "site" / "rules").exists()


@pytest.mark.slow("Sphinx builds pages")
def test_a_page_that_sphinx_warns_of_is_an_error(irops: Irops, tmp_path: Path) -> None:
    pytest.importorskip("sphinx")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "index.md").write_text(
        "# Title\n\n[gone](nowhere.md)\n\n```{toctree}\nops/index\n```\n"
    )
    definitions = ROOT / "examples" / "my_reverse"
    options = ("--definitions", definitions, "--custom-only", "--pages", tmp_path / "pages")
    result = irops("docs", "--output", tmp_path / "site", *options)
    assert result.status == 2
    assert "/index.md:3: WARNING: 'myst' cross-reference target not found: 'nowhere.md'" in result.err
    assert not (tmp_path / "site").exists()


def test_a_missing_sphinx_is_reported_with_its_extra(
    irops: Irops, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("irops.document.site.FOR_HTML", ("jinja2", "no_such_library"))
    result = irops("docs", "--output", tmp_path / "site")
    assert result.status == 2
    assert "no_such_library is not installed; pip install 'irops[docs]' installs it" in result.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--custom-only",), "--custom-only needs --definitions FOLDER"),
        (("--pages", "nowhere"), "--pages nowhere: no such folder"),
        (("--jobs", "0"), "'0' is not an integer of 1 or more"),
    ],
)
def test_wrong_options_of_docs_are_reported(
    options: tuple[str, ...], message: str, irops: Irops, tmp_path: Path
) -> None:
    result = irops("docs", "--output", tmp_path / "site", *options)
    assert result.status == 2
    assert message in result.err
