"""irops inspect, ops, where, new and docs; ops are found by the names that people call them by, and by
attribute.
"""

import re
from pathlib import Path

import pytest
from tables import table

import irops as package
from irops.dialects.registry import default_registry
from tests.conftest import net_text

ROOT = Path(__file__).parents[2]
RULES = ROOT / "irops" / "diagnostics" / "rules"


def test_inspect_counts_shared_bytes_once(irops, tmp_path):
    constants = (("a", "f32", "4", 0, 16), ("b", "f32", "2", 8, 8), ("c", "i64", "1", 16, 8))
    layers = [
        (name, "Const", {"element_type": kind, "shape": shape, "offset": offset, "size": size}, [])
        for name, kind, shape, offset, size in constants
    ]
    (tmp_path / "m.xml").write_text(net_text(*layers))
    (tmp_path / "m.bin").write_bytes(bytes(32))
    seen = irops("inspect", tmp_path / "m.xml", "--output-format", "json").json
    assert seen["weights"] == [
        {"type": "f32", "constants": 2, "elements": 6, "bytes": 16},
        {"type": "i64", "constants": 1, "elements": 1, "bytes": 8},
    ]
    assert (seen["weights_bytes"], seen["weights_file_bytes"]) == (24, 32)
    assert "the file has 32 bytes, 8 of them unused" in irops("inspect", tmp_path / "m.xml").out


def test_ops_are_listed_and_filtered(irops):
    def listed(*words):
        return irops("ops", "--quiet", *words).out.split()

    everything, undefined = listed(), set(listed("--undefined"))
    assert {"Reverse-1", "ReverseSequence-1", "Parameter-1"} <= set(everything)
    assert "Reverse-1" not in listed("--opset", "2"), "opset1 alone holds it"
    assert "Reverse-1" in listed("--opset", "opset1", "--category", "movement", "--text", "order axes")
    shown = irops("ops", "--output-format", "json").json["ops"]
    assert [entry["op"] for entry in shown] == everything
    assert not undefined & set(everything)
    assert len(undefined | set(everything)) >= 245
    assert irops("ops", "--text", "zzzqqq") == (0, "0 ops\n", "")


def test_ops_of_other_dialects_are_listed_with_their_opsets(irops):
    def listed(*words):
        return irops("ops", "--dialect", *words, "--quiet").out.split()

    assert listed("graiphic") == ["graiphic:ReverseSequence"]
    shown = irops("ops", "--dialect", "onnx", "--output-format", "json").json["ops"]
    opsets = {entry["op"]: entry["opsets"] for entry in shown}
    assert opsets["onnx:Slice-1"] == [str(n) for n in range(1, 10)]
    assert opsets["onnx:ReverseSequence-10"][0] == "10"
    old, undefined = listed("onnx", "--opset", "9"), listed("onnx", "--undefined", "--opset", "17")
    assert "onnx:Slice-1" in old
    assert "onnx:Softmax-13" in undefined
    assert not any(op.startswith("onnx:ReverseSequence-") for op in (*old, *undefined))


def test_explain_shows_the_files_of_ops_with_lines(irops):
    words = ("explain", "reversesequence", "Relu", "--files")
    entry, other = irops(*words, "--output-format", "json").json["subjects"]
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


def test_new_overwrites_no_file(irops, tmp_path):
    (tmp_path / "my_shift.py").write_text("mine")
    result = irops("new", "MyShift", "--category", "arithmetic", "--output", tmp_path)
    assert result.status == 2
    assert "already exists and is not overwritten" in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["my_shift.py"]
    assert (tmp_path / "my_shift.py").read_text() == "mine"


@pytest.mark.slow("Sphinx builds pages")
def test_docs_are_written(irops, tmp_path):
    result = irops("docs", "--output", tmp_path / "site", "--format", "markdown")
    assert result.status == 0
    assert (tmp_path / "site" / "ops" / "ReverseSequence-1.md").is_file()
    assert result.out.endswith(f"pages in {tmp_path / 'site'}; start at {tmp_path / 'site'}/index.md\n")


def test_inspect_names_the_oldest_release_and_what_decides(irops, tmp_path, broken):
    text = broken.with_name("IR208.xml").read_text().replace('version="opset1"', 'version="opset12"')
    (tmp_path / "m.xml").write_text(text)
    assert "read by OpenVINO 2023.1 and later: layer 0 " in irops("inspect", tmp_path / "m.xml").out
    seen = irops("inspect", tmp_path / "m.xml", "--output-format", "json").json["oldest_release"]
    assert seen["name"] == "2023.1"
    assert seen["decided_by"] == [
        'layer 0 "x" (Parameter) is Parameter of opset12',
        'layer 1 "y" (Result) is Result of opset12',
    ]


MY_REVERSE = ROOT / "examples" / "my_reverse"
NOT_READ = {
    "of a custom op": (
        (MY_REVERSE / "model.xml", "--definitions", MY_REVERSE),
        'read by no release of OpenVINO: layer 1 "blocks" (MyReverse) is MyReverse of extension, an op that'
        " only an extension adds",
        "none",
    ),
    "of a library": (
        (RULES / "IR307.xml",),
        'read by no release of OpenVINO: layer 2 "folded" (CaseFold) is CaseFold of extension, an op that'
        " only openvino-tokenizers adds, and 1 more",
        "none",
    ),
    **{
        f"with errors, {name}": (
            (RULES / f"{name}.xml",),
            "which release of OpenVINO reads it is not known: irops check finds 1 error in it",
            None,
        )
        for name in ("IR115", "IR116", "IR125", "IR301", "IR302", "IR303", "IR401", "IR205")
    },
}


@pytest.mark.parametrize("name", NOT_READ)
def test_inspect_names_no_release_of_a_model(irops, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    words, line, release = NOT_READ[name]
    assert irops("inspect", *words).out.splitlines()[-1] == line
    assert irops("inspect", *words, "--output-format", "json").json["oldest_release"]["name"] == release


def test_a_target_names_custom_ops_once_and_conversion_keeps_them(irops, tmp_path):
    text = (MY_REVERSE / "model.xml").read_text()
    layer = re.search(r"<layer id=.1.*?</layer>", text, re.DOTALL)[0]
    again = layer.replace('id="1" name="blocks"', 'id="9" name="again"').replace(' names="y"', "")
    text = text.replace("</layers>", f"{again}</layers>")
    text = text.replace('to-layer="2"', 'to-layer="9"')
    text = text.replace("</edges>", '<edge from-layer="9" from-port="1" to-layer="2" to-port="0"/></edges>')
    (tmp_path / "twice.xml").write_text(text)
    words = (tmp_path / "twice.xml", "--definitions", MY_REVERSE, "--target", "2024.0")
    checked = irops("check", *words)
    assert checked.status == 0
    assert checked.out.count("warning IR307") == 1
    assert "an op that only an extension adds, which OpenVINO 2024.0 does not read" in checked.out
    assert irops("convert", *words, "-o", tmp_path / "m.xml").status == 0
    assert (tmp_path / "m.xml").read_text().count('type="MyReverse"') == 2
    library = irops("check", RULES / "IR307.xml", "--target", "2026.0")
    assert library.out.count("warning IR307") == 1, "without a target, too"


@pytest.mark.slow("Sphinx builds pages")
def test_docs_of_custom_ops_alone_are_a_site(irops, tmp_path):
    pytest.importorskip("sphinx")
    named = ("--title", "My ops", "--base-url", "https://x.org/y/")
    options = ("--definitions", ROOT / "examples" / "my_reverse", "--custom-only", *named)
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
def test_a_page_that_sphinx_warns_of_is_an_error(irops, tmp_path):
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


@pytest.mark.parametrize(("op", "names"), table(__file__, "an_op_is_found_by_its_usual_names"))
def test_an_op_is_found_by_its_usual_names(op, names, irops):
    for words in names:
        assert op in irops("ops", "--quiet", "--text", words).out.split()[:12], words


ALIASES = table(__file__, "aliases")


@pytest.mark.parametrize("name", ALIASES)
def test_an_op_is_named_alike_everywhere(name, irops):
    op, graph = ALIASES[name], package.Graph()
    assert irops("explain", name).out.startswith(f"{op} (")
    assert f" {op}\n" in irops("backends", "--op", name).out
    assert package.definition(name).id == graph.op(name).id == op
    with pytest.raises(package.EvaluationError, match=op):
        package.call(name)
    if "-" not in name:
        assert getattr(graph.ops, name).__doc__ == package.definition(op).summary
    assert graph.find(name) == ()


def test_the_ops_that_have_another_name_in_common_are_suggested(irops):
    named = "did you mean Proposal-4 or ExperimentalDetectronGenerateProposalsSingleImage-6 or Gene"
    assert named in irops("explain", "rpn").err
    for wrong in (package.definition, package.call, package.Graph().find, package.Graph().add):
        with pytest.raises((KeyError, package.DiagnosticError), match=named):
            wrong("RPN")


def test_keywords_are_names_and_each_is_given_once():
    for definition in package.definitions():
        keywords = [word.lower() for word in definition.keywords]
        assert len(set(keywords)) == len(keywords), definition.id
        assert all(0 < len(word) <= 60 for word in keywords), definition.id
        assert definition.type not in definition.keywords, definition.id


def test_all_versions_of_an_op_have_the_same_keywords():
    registry = default_registry()
    for op in registry.ids():
        newest = registry.definition(op.rpartition("-")[0])
        assert registry.op(op).definition.keywords == newest.keywords


@pytest.mark.slow("every op")
def test_every_op_is_explained_as_json(irops):
    ids = irops("ops", "--quiet").out.split()
    content = irops("explain", *ids, "--output-format", "json").json
    assert [one["id"] for one in content["subjects"]] == ids
