"""The generated pages: complete, linked, and with computed examples."""

import posixpath
import re
from pathlib import Path

import pytest

from irops.diagnostics.rules import all_rules
from irops.dialects.registry import Registry, default_registry
from irops.document.site import Site
from irops.document.texts import cell, prose

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


def test_a_page_shows_computed_examples(pages):
    text = next(t for p, t in pages.items() if p.startswith("ops/ReverseSequence-1."))
    assert "[[2 1 3]\n [6 5 4]]" in text or "<tr><td>2</td><td>1</td><td>3</td></tr>" in text
    assert "seq_lengths has one element per position along batch_axis of data; got 4 and 5" in text


def test_other_names_and_attributes_are_words_of_the_search():
    pages = dict(Site().pages())
    assert "deconvolution" in pages["ops/ConvolutionBackpropData-1.md"].partition("---\n\n")[0]
    assert "seq_lengths" in pages["ops/ReverseSequence-1.md"].partition("---\n\n")[0]


def test_a_custom_op_is_documented(tmp_path):
    registry = Registry(folders=[Path(__file__).resolve().parent.parent.parent / "examples" / "my_reverse"])
    page = dict(Site(registry).pages())["ops/MyReverse-extension.md"]
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


def test_custom_definitions_alone_have_pages_without_those_of_irops():
    folder = Path(__file__).resolve().parents[2] / "examples" / "my_reverse"
    pages = dict(Site(Registry(folders=[folder]), custom_only=True).pages())
    assert sorted(pages) == ["index.md", "ops/MyReverse-extension.md", "ops/index.md", "ops/movement.md"]


def test_text_of_definitions_is_escaped(pages):
    assert prose("a*b_c _d_ <x> [y](z) `a*b`") == "a\\*b_c \\_d\\_ \\<x\\> \\[y\\](z) `a*b`"
    assert prose("# no heading\n1. no list") == "\\# no heading\n1\\. no list"
    assert cell("a | b") == "a \\| b"


def test_a_page_shows_the_gradients(pages):
    page = next(text for path, text in pages.items() if path.startswith("ops/ReverseSequence-1."))
    assert "saved for backward" in page
    assert "d_data = ReverseSequence(d_output, seq_lengths)" in page
    assert not any(
        "saved for backward" in text for path, text in pages.items() if path.startswith("ops/TopK-11.")
    )


def test_an_op_of_another_dialect_links_to_the_op_that_implements_it(pages):
    page = next(text for path, text in pages.items() if path.startswith("ops/onnx-ReverseSequence-10."))
    assert "Y[t, b] = input[sequence_lens[b] - 1 - t, b]" in page
    assert "ReverseSequence-1." in page
    assert "onnx:ReverseSequence-28" in page
    assert "an axis of input, 0 to 1" in page


def test_compared_ops_link_to_the_comparison(pages):
    for path in ("ops/ReverseSequence-1", "ops/onnx-ReverseSequence-10", "ops/graiphic-ReverseSequence"):
        assert "../comparisons/ReverseSequence.md" in targets(pages[f"{path}.md"])
    assert not [target for target in targets(pages["ops/Reverse-1.md"]) if "comparisons" in target]


def test_an_example_is_shown_as_openvino_writes_its_layer(pages):
    text = pages["ops/ReverseSequence-1.md"]
    assert '<layer id="2" name="reversesequence" type="ReverseSequence" version="opset1">' in text
    assert '<data batch_axis="0" seq_axis="1" />' in text
    assert '<port id="2" precision="I32">' in text


def test_versions_are_compared(pages):
    text = pages["ops/TopK-11.md"]
    assert "### TopK-3 to TopK-11" in text
    assert "+ attribute stable: bool; default false" in text
    assert "Every release of OpenVINO from 2023.0 on reads it." in text


def test_what_irops_can_do_with_each_op_is_a_table(pages):
    rows = pages["ops/faculties.md"].splitlines()
    row = "| [ReverseSequence-1](ReverseSequence-1.md) | 2023.0 | yes | yes | yes |"
    assert any(line.startswith(row) and line.endswith("| ONNX: ReverseSequence |") for line in rows)


def test_differences_of_openvino_have_a_proof(pages):
    text = pages["differences/movement.md"]
    section = text.split("### C2: batch_axis and seq_axis are different axes")[1]
    assert "compute different results" in section
    assert "ReverseSequence-1 requires: batch_axis and seq_axis are different axes; got 0 for both" in section
