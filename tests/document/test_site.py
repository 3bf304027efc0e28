"""The pages that are written: all there, linked, and with computed examples."""

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
        given = dict(attrs)
        if "id" in given:
            self.anchors.append(given["id"])
        self.targets.extend(given[name] for name in ("href", "src") if name in given)


@pytest.fixture(scope="module", params=["html", "markdown"])
def pages(request):
    return dict(Site(format=request.param, ask=False).pages())


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


def test_no_link_is_dead(pages):
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


def test_an_anchor_stands_once_on_a_page(pages):
    for path, text in pages.items():
        if path.endswith(".html"):
            anchors = Links(text).anchors
            assert len(anchors) == len(set(anchors)), path


def test_a_page_shows_what_the_kernel_computes(pages):
    text = next(t for p, t in pages.items() if p.startswith("ops/ReverseSequence-1."))
    assert "[[2 1 3]\n [6 5 4]]" in text
    assert "seq_lengths has one element per position along batch_axis of data; got 4 and 5" in text


def test_the_search_knows_every_op_and_rule():
    search = dict(Site(ask=False).pages())["search.js"]
    assert all(f'"{op}"' in search for op in default_registry().ids())
    assert all(f'"{rule.code} {rule.name}"' in search for rule in all_rules())


def test_an_op_of_ones_own_is_documented(tmp_path):
    from pathlib import Path

    registry = Registry(folders=[Path(__file__).resolve().parent.parent.parent / "examples" / "my_reverse"])
    page = dict(Site(registry, ask=False).pages())["ops/MyReverse-extension.html"]
    assert "Reverse the last axis, in blocks." in page


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear reader")
    with pytest.raises(FileExistsError):
        Site(format="markdown", ask=False).write(tmp_path / "mine")
    assert (tmp_path / "mine" / "letter.txt").read_text() == "dear reader"


def test_documentation_replaces_older_documentation(tmp_path):
    site = Site(format="markdown", ask=False)
    count = site.write(tmp_path / "docs")
    (tmp_path / "docs" / "stale.md").write_text("old")
    assert site.write(tmp_path / "docs") == count
    assert not (tmp_path / "docs" / "stale.md").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["docs"]


def test_what_a_definition_says_cannot_break_the_page():
    assert irops.definition("ReverseSequence-1").formula.count("<") == 1
    assert "s &lt; seq_lengths[b]" in dict(Site(ask=False).pages())["ops/ReverseSequence-1.html"]


def test_a_page_shows_what_is_saved_for_backward(pages):
    page = next(text for path, text in pages.items() if path.startswith("ops/ReverseSequence-1."))
    assert "saved for backward" in page
    assert "d_data = ReverseSequence(d_output, seq_lengths)" in page
    assert not any(
        "saved for backward" in text for path, text in pages.items() if path.startswith("ops/TopK-11.")
    )


def test_an_op_of_another_dialect_names_the_op_whose_functions_it_shares(pages):
    page = next(text for path, text in pages.items() if path.startswith("ops/onnx-ReverseSequence-10."))
    assert "Y[t, b] = input[sequence_lens[b] - 1 - t, b]" in page
    assert "ReverseSequence-1." in page
    assert "onnx:ReverseSequence-28" in page
    assert "an axis of input, 0 to 1" in page


def test_ops_that_are_laid_side_by_side_say_so_and_the_index_does(pages):
    suffix = ".html" if "index.html" in pages else ".md"
    for path in ("ops/ReverseSequence-1", "ops/onnx-ReverseSequence-10", "ops/graiphic-ReverseSequence"):
        assert f"../comparisons/ReverseSequence{suffix}" in targets(path + suffix, pages[path + suffix])
    assert f"../comparisons/Reverse{suffix}" in targets(
        f"ops/Reverse-1{suffix}", pages[f"ops/Reverse-1{suffix}"]
    )
    assert f"comparisons/ReverseSequence{suffix}" in targets(f"index{suffix}", pages[f"index{suffix}"])
