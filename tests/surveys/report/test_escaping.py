"""Texts of models cannot change the pages of a report."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from survey_rows import finding, row, with_findings

from irops.surveys.report.write import is_page_name, page_name, write_report

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "<!--<script>",
    "]]>&lt;b&gt;&amp;",
    "a\u202egnp.\u2066exe\u2069",
    "nul\x00 escape\x1b[31m line\nend \u2028 \u2029",
    "surrogate \udc80",
    "javascript:alert(1)",
    "__proto__",
)
BAD = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Page(HTMLParser):
    """The elements of a page, and the text of each script."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.scripts, self._in_script = [], [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._in_script = False

    def handle_data(self, data):
        if self._in_script:
            self.scripts[-1] += data


def rows_with(text):
    detail = with_findings(
        finding(text, name=text, message=text, layer=text, op=text), finding(severity=text, message=text)
    )
    first = {"layer": text, "op": text, text: text}
    others = {text: text, "ops": {text: 3}, "message": text, "first": first, "outputs": {text: [text]}}
    return [row(text, text, "fail", **detail, **others)]


def pages_of(folder):
    return [folder / "index.html", *sorted((folder / "models").iterdir())]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_stays_text(tmp_path, text):
    write_report(tmp_path, rows_with(text), {text: text, "nested": {text: [text]}}, against=rows_with(text))
    pages = pages_of(tmp_path)
    assert len(pages) == 2
    for path in pages:
        content = path.read_text(encoding="utf-8")
        assert not BAD.search(content)
        page = Page(content)
        assert not {"img", "iframe"} & set(page.tags)
        assert not [name for name, _ in page.attributes if name.startswith("on")]
        links = [value for name, value in page.attributes if name in ("href", "src")]
        allowed = r"#|\.\./index\.html$|results\.|timings\.|https:[\w./]+/rules/IR\d+\.html$"
        assert [link for link in links if not re.match(allowed, link)] == []
        assert len(page.scripts) == (2 if path.name == "index.html" else 0)


@pytest.mark.parametrize("text", HOSTILE)
def test_the_data_of_the_page_are_json(tmp_path, text):
    write_report(tmp_path, rows_with(text))
    data = json.loads(Page((tmp_path / "index.html").read_text()).scripts[0])
    assert len(data["models"]) == 1
    assert data["columns"][0]["letters"] == "f"


def test_long_texts_are_shortened(tmp_path):
    write_report(tmp_path, rows_with("x<" * 500_000), {"setting": "y" * 1_000_000})
    index, model = pages_of(tmp_path)
    assert index.stat().st_size < 100_000
    assert model.stat().st_size < 100_000
    assert len(model.name) < 100


@pytest.mark.parametrize(
    "text", [*HOSTILE, "", "/", "...", "con", "é/ü.xml", "a" * 10_000, "C:\\models\\x.xml"]
)
def test_names_of_pages_are_safe(text):
    name = page_name(0, text)
    assert re.fullmatch(r"1-[A-Za-z0-9_][A-Za-z0-9._-]*\.html", name)
    assert is_page_name(name)
    assert len(name) < 80


def test_equal_names_in_other_folders_have_other_pages(tmp_path):
    rows = [row(f"{folder}/model.xml", status="fail") for folder in ("a", "b", "c")]
    write_report(tmp_path, rows)
    assert [path.name for path in pages_of(tmp_path)[1:]] == [f"{n}-model.xml.html" for n in (1, 2, 3)]
