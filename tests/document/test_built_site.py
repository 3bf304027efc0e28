"""The whole site: links, width, search. It is built by .ci/site, which sets IROPS_SITE to its folder."""

import json
import os
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from built_site.browser import CHROMIUM, axe_faults, overflowing, result_of, search_results
from built_site.links import dead_links, pages_of
from tables import table

import irops
from irops.cli.main import COMMANDS
from irops.diagnostics.rules import all_rules
from irops.dialects.registry import default_registry

FOLDER = Path(os.environ.get("IROPS_SITE", ""))
pytestmark = [
    pytest.mark.slow("the whole site"),
    pytest.mark.skipif("IROPS_SITE" not in os.environ, reason="IROPS_SITE names no built site"),
]
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="there is no browser here")
TASKS = table(__file__, "tasks")
"""What a stranger looks for, and the page that has it."""
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.fixture(scope="module")
def pages():
    return pages_of(FOLDER)


def test_no_link_is_dead(pages):
    assert dead_links(FOLDER, pages) == []


def test_every_part_is_there(pages):
    assert {f"ops/{op}.html" for op in default_registry().ids()} <= set(pages)
    assert {f"rules/{rule.code}.html" for rule in all_rules()} <= set(pages)
    assert {f"commands/{name}.html" for name in COMMANDS} <= set(pages)


def test_every_public_name_is_documented(pages):
    documented = {
        anchor for path, page in pages.items() if path.startswith("api/") for anchor in page.anchors
    }
    assert {f"irops.{name}" for name in irops.__all__} - documented == set()


needs_address = pytest.mark.skipif("IROPS_SITE_URL" not in os.environ, reason="the site has no address")


@needs_address
def test_pages_have_canonical_links_in_the_sitemap(pages):
    tree = ElementTree.parse(FOLDER / "sitemap.xml")
    listed = {element.text for element in tree.iter(f"{SITEMAP}loc")}
    for path in ("index.html", "ops/Reverse-1.html", "ci.html"):
        assert pages[path].canonical in listed
        assert pages[path].canonical.endswith(f"/{path}")


def test_headings_are_in_order_and_pictures_are_described(pages):
    wrong = {}
    for path, page in pages.items():
        jumps = [pair for pair in pairwise([0, *page.levels]) if pair[1] > pair[0] + 1]
        if page.language != "en" or page.levels.count(1) != 1 or jumps or page.undescribed:
            wrong[path] = (page.language, page.levels.count(1), jumps, page.undescribed[:2])
    assert wrong == {}


@needs_address
def test_a_missing_page_is_explained_wherever_it_is_missed(pages):
    text = (FOLDER / "404.html").read_text("utf-8")
    assert "<h1>Page not found</h1>" in text
    assert '<base href="http' in text
    assert "/404.html" not in (FOLDER / "sitemap.xml").read_text("utf-8")


def test_options_keep_their_dashes():
    assert "–baseline" not in (FOLDER / "commands" / "check.html").read_text("utf-8")


@needs_chromium
@pytest.mark.timeout(900)
def test_no_page_and_no_table_is_wider_than_a_phone_or_a_desktop(pages, tmp_path):
    assert overflowing(FOLDER, sorted(pages), [390, 1280, 1400], tmp_path) == []


@needs_chromium
@pytest.mark.skipif("IROPS_AXE" not in os.environ, reason="IROPS_AXE names no axe.min.js")
def test_axe_finds_no_fault_in_a_page_of_each_kind(tmp_path):
    kinds = table(__file__, "axe_finds_no_fault_in_a_page_of_each_kind")
    assert axe_faults(FOLDER, kinds, Path(os.environ["IROPS_AXE"]), tmp_path) == []


def test_what_the_search_names_is_there(pages):
    text = (FOLDER / "_static" / "entries.js").read_text("utf-8")
    places = [entry["page"].partition("#") for entry in json.loads(text[text.index("[") : text.rindex(";")])]
    assert [page for page, _, _ in places if f"{page}.html" not in pages] == []
    assert [(p, a) for p, _, a in places if a and a not in pages[f"{p}.html"].anchors] == []


@needs_chromium
def test_a_search_finds_what_a_stranger_looks_for(tmp_path):
    results = search_results(FOLDER, list(TASKS), tmp_path)
    assert {words: results[words] for words, page in TASKS.items() if page not in results[words][:5]} == {}


MISSES = """
const said = {};
for (const words of ["convoluton", "kv cache", "xyzzy"]) {
  const page = (await frame("/search.html?q=" + encodeURIComponent(words), 1280)).contentDocument;
  const status = page.querySelector(".search-summary");
  for (let turn = 0; turn < 400 && !status.textContent; turn++)
    await new Promise(next => setTimeout(next, 50));
  said[words] = [page.getElementById("named-results").innerText, /did not match any/.test(status.innerText)];
  if (status.offsetParent === null) said[words][1] = false;
}
return said;
"""


@needs_chromium
def test_a_search_says_that_nothing_is_found_only_where_nothing_is(tmp_path):
    said = result_of(FOLDER, MISSES, tmp_path, 120)
    assert {words: nothing for words, (_, nothing) in said.items()} == {
        "convoluton": False,
        "kv cache": False,
        "xyzzy": True,
    }
    assert said["convoluton"][0].startswith(
        "No name has a word of “convoluton”; these are found by “convolution”"
    )
    assert said["xyzzy"][0] == ""
