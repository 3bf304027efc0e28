"""Texts of models cannot change the pages of a report."""

import json
import re
from html.parser import HTMLParser

import pytest
from survey_rows import finding, page_of, row, with_findings

from irops.editing.diff.differences import Difference, LayerChange
from irops.editing.diff.differences import page as diff_page

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


def checked(content, scripts):
    assert not BAD.search(content)
    page = Page(content)
    assert not {"img", "iframe", "b"} & set(page.tags)
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    links = [value for name, value in page.attributes if name in ("href", "src")]
    allowed = r"#|results\.|timings\.|https:[\w./]+/rules/IR\d+\.html$"
    assert [link for link in links if not re.match(allowed, link)] == []
    assert len(page.scripts) == scripts
    return page


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_stays_text(text):
    before = [row(text, text, "pass"), row(f"{text}2", text)]
    page = checked(page_of(rows_with(text), {text: text, "nested": {text: [text]}}, against=before), 2)
    data = json.loads(page.scripts[0])
    assert len(data["models"]) == 2
    assert data["models"][0][1][0][0] == 3


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_stays_text_in_the_page_of_a_difference(text):
    change = LayerChange("changed", (text,), text, text, (text,))
    checked(diff_page(Difference(text, text, changed=(change,), interface=(text,))), 0)


def test_long_texts_are_shortened():
    assert len(page_of(rows_with("x<" * 500_000), {"setting": "y" * 1_000_000})) < 100_000
