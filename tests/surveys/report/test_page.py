"""What the page of a survey consists of, whatever texts models have, in the light and the dark scheme."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from stored import assert_stored
from survey_rows import TASKS, finding, many_rows, page_of, row, with_findings

from irops.editing.diff import Difference, LayerChange, page as diff_page
from irops.pages.render import resource
from irops.surveys import survey
from irops.surveys.survey import CHANGE_STYLES, STATUS_STYLES, STATUSES


def data_of(text):
    [stored] = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    return json.loads(stored)


def section_of(text, name):
    return text.partition(f'<h2 id="{name}">')[2].partition("</section>")[0]


def test_the_page_is_the_one_that_is_stored():
    found = [finding(message=f"m{n}") for n in range(survey.FINDINGS + 2)]
    notes = with_findings(finding("IR305", op=None, layer=None, line=None), *found)
    first = {"layer": "conv", "op": "Convolution-1", "verdict": "wrong", "reason": "3 ulp"}
    own = {"findings": [finding("MY1", name="my-rule", severity="warning")], "counts": {"MY1": 70}}
    rows = [row("a"), row("a", "infer", "warn", **own), row("b", status="fail", **notes)]
    rows += [row("b", "infer", "fail", message="it differs", first=first), *many_rows(3)]
    before = [row("a", status="crash"), row("a", "infer"), row("c"), *many_rows(2, 1)]
    settings = {"models": "zoo", "limits": {"layers": 7, "seconds": None}, "tasks": ["check", "infer"]}
    page = page_of(rows, settings, against=before)
    shown = page.partition("<body>")[2].partition("<script")[0]
    data = json.dumps(data_of(page), ensure_ascii=False).replace("], [", "],\n [")
    assert_stored(f"{shown}\n{data}\n", Path(__file__).with_name("page.txt"))


def test_equal_rows_give_equal_pages():
    first, second = (page_of(many_rows(60), {"tasks": ["check"]}, against=many_rows(50, 1)) for _ in "ab")
    assert first == second


def test_a_page_needs_nothing_from_elsewhere():
    text = page_of(many_rows(20), {"models": ["s3://bucket/zoo"]})
    assert not re.search(r"src\s*=|<link|@import|url\(", text)
    elsewhere = [link for link in re.findall(r'<a href="([^"]*)', text) if ":" in link]
    assert all(re.search(r"/rules/IR\d+\.html$", link) for link in elsewhere)
    assert "default-src 'none'" in text


def test_only_the_script_of_the_page_may_run():
    text = page_of([row("a")])
    [script] = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text


def test_a_page_has_a_language_a_title_and_headings_in_order():
    text = page_of(many_rows(20), against=many_rows(20, 1))
    assert '<html lang="en">' in text
    assert "<title>Survey of 20 models</title>" in text
    body = text.partition("<body>")[2].partition("<script")[0]
    levels = [int(level) for level in re.findall(r"<h(\d)", body)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_an_empty_survey_has_a_page():
    text = page_of([])
    assert "The survey has no results." in text
    assert data_of(text)["models"] == []


@pytest.mark.parametrize("status", STATUSES)
def test_a_survey_of_one_status_has_a_page(status):
    text = page_of([row(f"m{n}", task, status) for n in range(3) for task in TASKS])
    assert f'href="#task=check&amp;status={status}">3</a>' in text


def test_every_status_has_a_symbol_of_its_own():
    assert tuple(STATUS_STYLES) == STATUSES
    for looks in (STATUS_STYLES, CHANGE_STYLES):
        assert len({symbol for symbol, _ in looks.values()}) == len(looks)


def test_the_findings_of_a_page_are_bounded(monkeypatch):
    monkeypatch.setattr(survey, "MAX_TEXTS", 8000)
    detail = [
        with_findings(*(finding(message=f"{n} {k} " + "x" * 100) for k in range(12))) for n in range(40)
    ]
    data = data_of(page_of([row(f"m{n:02}", status="fail", **detail[n]) for n in range(40)]))
    cells = [cells[0] for _, cells in data["models"]]
    counts = [len(cell[3]) if len(cell) > 3 else 0 for cell in cells]
    assert counts == sorted(counts, reverse=True)
    assert (counts[0], counts[-1], 1 in counts) == (survey.FINDINGS, 0, True)
    assert {cell[1] for cell in cells} == {12}


def test_models_beyond_the_bound_are_not_in_the_matrix(monkeypatch):
    monkeypatch.setattr(survey, "MAX_MODELS", 5)
    text = page_of([row(f"m{n}") for n in range(8)])
    assert len(data_of(text)["models"]) == 5
    assert "The matrix has the first 5 models; results.csv has 3 more." in text
    assert "8 of 8 models" in text


def test_what_became_worse_is_listed():
    before = [row("a"), row("b"), row("c", status="fail"), row("e")]
    now = [row("a", status="crash"), row("b"), row("c"), row("d")]
    section = section_of(page_of(now, against=before), "changes")
    links = [f'href="#task=check&amp;change={kind}">1</a>' for kind in CHANGE_STYLES]
    assert [link for link in links if link not in section] == []
    assert re.search(r"<h3>Worse</h3>.*<bdi>a</bdi>.*pass.*crash", section, re.DOTALL)
    assert "Every model and task has the status" in section_of(page_of(now, against=now), "changes")
    assert '<h2 id="changes">' not in page_of(now)


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


SCHEMES = [resource(name).split("@media (prefers-color-scheme: dark)") for name in ("base.css", "survey.css")]
LIGHT, DARK = (" ".join(one.partition("\n}")[0] for one in of_scheme) for of_scheme in zip(*SCHEMES))
MIN_CONTRAST = 4.5


def colours(scheme):
    """The variables of a scheme as red, green, blue from 0 to 1."""
    entries = re.findall(r"--([a-z-]+):\s*#([0-9a-f]{3,6});", scheme)
    doubled = {name: value if len(value) == 6 else "".join(c * 2 for c in value) for name, value in entries}
    return {name: [int(v[k : k + 2], 16) / 255 for k in (0, 2, 4)] for name, v in doubled.items()}


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_every_pair_of_colours_has_contrast(scheme):
    palette = colours(scheme)
    pairs = [(status, f"{status}-back") for status in STATUSES]
    pairs += [(front, back) for front in ("text", "soft", "link") for back in ("back", "head", "chosen")]
    pairs += [(front, "back") for front in ("pass", "fail")]  # texts of changes
    low = {pair: contrast(*map(palette.__getitem__, pair)) for pair in pairs}
    assert {pair: value for pair, value in low.items() if value < MIN_CONTRAST} == {}


def test_the_dark_scheme_replaces_every_colour():
    assert colours(DARK).keys() == colours(LIGHT).keys()
