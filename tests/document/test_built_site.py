"""The whole site: links, width, search. It is built by .ci/site, which sets IROPS_SITE to its folder."""

from __future__ import annotations

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from built_site.browser import CHROMIUM, overflowing, search_results
from built_site.links import clicks, dead_links, pages_of

import irops
from irops.cli.main import COMMANDS
from irops.diagnostics.rules import all_rules
from irops.registry import default_registry

FOLDER = Path(os.environ.get("IROPS_SITE", ""))
pytestmark = pytest.mark.skipif("IROPS_SITE" not in os.environ, reason="IROPS_SITE names no built site")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
TASKS = {
    "Reverse negative axes": "ops/Reverse-1.html",
    "TopK-11 release": "ops/TopK-11.html",
    "IR401": "rules/IR401.html",
    "custom op": "writing-an-op.html",
    "use irops in CI": "ci.html",
    "deconvolution": "ops/ConvolutionBackpropData-1.html",
    "seq_lengths": "ops/ReverseSequence-1.html",
}
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


def test_a_page_is_reached_in_three_clicks(pages):
    distance = clicks(pages)
    assert set(pages) - set(distance) <= {"search.html"}
    assert {path: distance[path] for path in TASKS.values() if distance[path] > 3} == {}


def test_pages_have_canonical_links_in_the_sitemap(pages):
    tree = ElementTree.parse(FOLDER / "sitemap.xml")
    listed = {element.text for element in tree.iter(f"{SITEMAP}loc")}
    for path in ("index.html", "ops/Reverse-1.html", "ci.html"):
        assert pages[path].canonical in listed
        assert pages[path].canonical.endswith(f"/{path}")


@needs_chromium
@pytest.mark.timeout(900)
def test_no_page_is_wider_than_a_phone_or_a_desktop(pages, tmp_path):
    assert overflowing(FOLDER, sorted(pages), [390, 1280], tmp_path) == []


@needs_chromium
def test_a_search_finds_what_a_stranger_looks_for(tmp_path):
    results = search_results(FOLDER, list(TASKS), tmp_path)
    assert {words: results[words] for words, page in TASKS.items() if page not in results[words][:5]} == {}
