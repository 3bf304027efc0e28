"""The generated pages: complete, linked, and with computed examples."""

import posixpath
import re
from pathlib import Path

import pytest

from irops.diagnostics.rules import FOLDER, all_rules
from irops.dialects.registry import Registry, default_registry
from irops.document.case_views import cell, prose
from irops.document.site import Site

pytestmark = pytest.mark.slow("writes all pages")


@pytest.fixture(scope="module", params=["html", "markdown"])
def pages(request):
    """The Markdown of all pages: of HTML, what Sphinx gets."""
    return dict(Site(format=request.param).pages())


def test_every_op_and_every_rule_has_a_page(pages):
    for dialect in ("openvino", "onnx", "graiphic"):
        assert {f"ops/{op.replace(':', '-')}.md" for op in default_registry().ids(dialect)} <= set(pages)
    assert {f"rules/{rule.code}.md" for rule in all_rules()} <= set(pages)
    assert {f"opsets/opset{n}.md" for n in range(1, 18)} <= set(pages)


def test_all_links_resolve(pages):
    for path, text in pages.items():
        for target in targets(text):
            file = target.partition("#")[0]
            where = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
            assert where in pages, f"{path} links to {target}"


def targets(text):
    """The links to other pages."""
    prose = re.sub(r"(?s)```.*?```|`[^`\n]*`", "", text)
    return [target for target in re.findall(r"\]\(([^)]+)\)", prose) if not target.startswith("https:")]


def test_examples_are_computed_and_gradients_those_that_there_are(pages):
    text = pages["ops/ReverseSequence-1.md"]
    assert "[[2 1 3]\n [6 5 4]]" in text or "<tr><td>2</td><td>1</td><td>3</td></tr>" in text
    assert "saved for backward" not in pages["ops/TopK-11.md"]
    (row,) = (r for r in pages["ops/index.md"].splitlines() if r.startswith("| [ReverseSequence-1]"))
    assert row.split(" | ")[2:] == [
        "[movement](movement.md)",
        "opset1",
        "yes",
        "numba",
        "OpenVINO",
        "ONNX: ReverseSequence |",
    ]


def test_rules_with_a_model_show_their_finding(pages):
    shown = [path for path in pages if path.startswith("rules/IR") and "```text" in pages[path]]
    assert {Path(path).stem for path in shown} == {path.stem for path in FOLDER.glob("IR*.xml")}
    link = '<a href="../ops/Clamp-1.html#C1">C1</a>' if "html_meta" in pages["ops/Clamp-1.md"] else "C1"
    assert f"- [Clamp-1](../ops/Clamp-1.md#constraints): {link}\n" in pages["rules/IR401.md"]


def test_other_names_and_attributes_are_words_of_the_search():
    pages = dict(Site().pages())
    for op, word in (("ConvolutionBackpropData-1", "deconvolution"), ("ReverseSequence-1", "seq_lengths")):
        assert word in pages[f"ops/{op}.md"].partition("---\n\n")[0]


CUSTOM = Registry(folders=[Path(__file__).resolve().parents[2] / "examples" / "my_reverse"])


def test_custom_ops_are_documented_beside_others():
    page = dict(Site(CUSTOM).pages())["ops/MyReverse-extension.md"]
    assert "Reverse the last axis, in blocks." in page


def test_other_folders_are_not_replaced(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear reader")
    with pytest.raises(FileExistsError):
        Site(format="markdown").write(tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear reader"


def test_documentation_replaces_older_documentation(tmp_path):
    site = Site(format="markdown")
    count = site.write(tmp_path / "docs")
    (tmp_path / "docs" / "stale.md").write_text("old")
    assert site.write(tmp_path / "docs") == count
    assert not (tmp_path / "docs" / "stale.md").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["docs"]


def test_text_of_definitions_is_escaped(pages):
    assert prose("a*b_c _d_ <x> [y](z) `a*b`") == "a\\*b_c \\_d\\_ \\<x\\> \\[y\\](z) `a*b`"
    assert prose("# no heading\n1. no list") == "\\# no heading\n1\\. no list"
    assert cell("a | b") == "a \\| b"


def test_differences_of_openvino_have_a_proof(pages):
    text = pages["differences/movement.md"]
    section = text.split("### C2: batch_axis and seq_axis are different axes")[1]
    assert "compute different results" in section
    assert "ReverseSequence-1 requires: batch_axis and seq_axis are different axes; got 0 for both" in section


def test_custom_ops_alone_are_counted():
    folder = Path(__file__).resolve().parents[2] / "examples" / "my_reverse"
    site, totals = Site(Registry(folders=[folder]), custom_only=True), []
    assert len(list(site.pages(lambda number, total, page: totals.append(total)))) == len(totals)
    assert set(totals) == {1}
