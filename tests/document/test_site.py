"""The generated pages: complete, linked, and with computed examples."""

from __future__ import annotations

import posixpath
import re
from html.parser import HTMLParser

import pytest

import irops
from irops.diagnostics.rules import all_rules
from irops.document.site import Site
from irops.registry import Registry, default_registry


class Links(HTMLParser):
    """Targets and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if "id" in attributes:
            self.anchors.append(attributes["id"])
        self.targets.extend(attributes[name] for name in ("href", "src") if name in attributes)


@pytest.fixture(scope="module", params=["html", "markdown"])
def pages(request):
    return dict(Site(format=request.param, with_runtimes=False).pages())


def test_every_op_and_every_rule_has_a_page(pages):
    suffix = ".html" if "index.html" in pages else ".md"
    assert {f"ops/{op}{suffix}" for op in default_registry().ids()} <= set(pages)
    assert {
        f"ops/{op.replace(':', '-')}{suffix}"
        for dialect in ("onnx", "graiphic")
        for op in default_registry().ids(dialect)
    } <= set(pages)
    assert {f"rules/{rule.code}{suffix}" for rule in all_rules()} <= set(pages)
    assert {f"opsets/opset{n}{suffix}" for n in range(1, 18)} <= set(pages)


def test_all_links_resolve(pages):
    for path, text in pages.items():
        for target in targets(path, text):
            file, _, anchor = target.partition("#")
            where = posixpath.normpath(posixpath.join(posixpath.dirname(path), file)) if file else path
            assert where in pages, f"{path} links to {target}"
            if anchor:
                assert anchor in Links(pages[where]).anchors, f"{path} links to {target}"


def targets(path, text):
    if path.endswith(".md"):
        prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
        return re.findall(r"\]\(([^)]+)\)", prose)
    return Links(text).targets if path.endswith(".html") else []


def test_anchors_are_unique_on_a_page(pages):
    for path, text in pages.items():
        if path.endswith(".html"):
            anchors = Links(text).anchors
            assert len(anchors) == len(set(anchors)), path


def test_a_page_shows_computed_examples(pages):
    text = next(t for p, t in pages.items() if p.startswith("ops/ReverseSequence-1."))
    assert "[[2 1 3]\n [6 5 4]]" in text
    assert "seq_lengths has one element per position along batch_axis of data; got 4 and 5" in text


def test_the_search_index_contains_every_op_and_rule():
    search = dict(Site(with_runtimes=False).pages())["search.js"]
    assert all(f'"{op}"' in search for op in default_registry().ids())
    assert all(f'"{rule.code} {rule.name}"' in search for rule in all_rules())


def test_a_custom_op_is_documented(tmp_path):
    from pathlib import Path

    registry = Registry(folders=[Path(__file__).resolve().parent.parent.parent / "examples" / "my_reverse"])
    page = dict(Site(registry, with_runtimes=False).pages())["ops/MyReverse-extension.html"]
    assert "Reverse the last axis, in blocks." in page


def test_other_folders_are_not_replaced(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear reader")
    with pytest.raises(FileExistsError):
        Site(format="markdown", with_runtimes=False).write(tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear reader"


def test_documentation_replaces_older_documentation(tmp_path):
    site = Site(format="markdown", with_runtimes=False)
    count = site.write(tmp_path / "docs")
    (tmp_path / "docs" / "stale.md").write_text("old")
    assert site.write(tmp_path / "docs") == count
    assert not (tmp_path / "docs" / "stale.md").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["docs"]


def test_text_of_definitions_is_escaped():
    assert irops.definition("ReverseSequence-1").formula.count("<") == 1
    assert "s &lt; seq_lengths[b]" in dict(Site(with_runtimes=False).pages())["ops/ReverseSequence-1.html"]


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


def test_compared_ops_and_the_index_link_to_the_comparison(pages):
    suffix = ".html" if "index.html" in pages else ".md"
    for path in ("ops/ReverseSequence-1", "ops/onnx-ReverseSequence-10", "ops/graiphic-ReverseSequence"):
        assert f"../comparisons/ReverseSequence{suffix}" in targets(path + suffix, pages[path + suffix])
    assert f"../comparisons/Reverse{suffix}" in targets(
        f"ops/Reverse-1{suffix}", pages[f"ops/Reverse-1{suffix}"]
    )
    assert f"comparisons/ReverseSequence{suffix}" in targets(f"index{suffix}", pages[f"index{suffix}"])
