"""The search finds what people look for: search.js, run by Node, over the entries of the site."""

import json
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest
from libraries import needs
from tables import table

import irops.document
from irops.cli.docs import command_pages
from irops.document.site import BuildOptions, Site

NODE = shutil.which("node")
HERE = Path(__file__).resolve().parent
SCRIPT = Path(irops.document.__file__).with_name("sphinx") / "static" / "search.js"
TABLE = dict(line.split(" | ") for line in (HERE / "searches.txt").read_text("utf-8").splitlines())
"""The page that each query shall find."""
MISSPELLED = table(__file__, "misspelled")
"""How a query is understood."""
RUN = """
const given = JSON.parse(require("fs").readFileSync(0));
console.log(JSON.stringify((FUNCTION)(require(process.argv[1]), ...given)));
"""
pytestmark = needs("sphinx", "furo", "myst_parser")
needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed")


@pytest.fixture(scope="module")
def entries():
    site = Site(guide=HERE.parents[1] / "docs", more=command_pages(), options=BuildOptions(api=True))
    return [asdict(entry) for entry in site.search_entries()]


def node(function, script, *given):
    """What a function gives for what a script exports, and for values."""
    words = [NODE, "-e", RUN.replace("FUNCTION", function), script]
    done = subprocess.run(words, input=json.dumps(given), capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def groups(entries, *queries):
    """By query, the groups that the page of the search shows."""
    ranked = "search.ranked(entries, search.corrected(entries, query))"
    asked = f"(search, entries, queries) => queries.map(query => [query, {ranked}])"
    return dict(node(asked, SCRIPT, entries, queries))


@needs_node
def test_the_page_that_people_mean_is_among_the_first_three(entries):
    found = {
        query: [entry["page"] for group in shown for entry in group["lines"]][:3]
        for query, shown in groups(entries, *TABLE).items()
    }
    assert len(TABLE) >= 120
    assert {query: found[query] for query, page in TABLE.items() if page not in found[query]} == {}


@needs_node
def test_words_that_nothing_has_are_spelled_as_the_nearest_that_something_has(entries):
    each = "(search, entries, queries) => queries.map(query => [query, search.corrected(entries, query)])"
    spelled = dict(node(each, SCRIPT, entries, [*TABLE, *MISSPELLED]))
    wanted = {query: query for query in TABLE} | MISSPELLED
    assert {query: text for query, text in spelled.items() if text != wanted[query]} == {}


@needs_node
def test_the_table_of_ops_shows_rows_that_have_all_that_is_asked():
    rows = [["Relu-1", "the rectifier", "activation"], ["TopK-3", "the greatest", "sorting"]]
    asked = [[[], {}], [["rect", "relu"], {}], [["the"], {2: "sorting"}], [["rect"], {2: "sorting"}]]
    wanted = "(filter, rows, asked) => asked.map(one => rows.map(row => filter.isWanted(row, ...one)))"
    shown = node(wanted, SCRIPT.with_name("filter.js"), rows, asked)
    assert shown == [[True, True], [True, False], [False, True], [False, False]]


@needs_node
def test_versions_and_dialects_are_in_order_and_kinds_are_grouped(entries):
    shown = groups(entries, "reverse sequence", "topk", "convert", "TopK-3", "kv cache", "the", "<script>")
    pages = {
        query: [[e["page"] for e in group["lines"]] for group in found] for query, found in shown.items()
    }
    assert pages["reverse sequence"][0][0] == "ops/ReverseSequence-1"
    others = {"ops/onnx-ReverseSequence-10", "ops/graiphic-ReverseSequence"}
    assert others <= set(pages["reverse sequence"][0][1:])
    assert pages["topk"][0][:3] == ["ops/TopK-11", "ops/TopK-3", "ops/TopK-1"]
    assert pages["TopK-3"][0][0] == "ops/TopK-3"
    assert set(pages["kv cache"][0]) > {"ops/ReadValue-6", "ops/ScaledDotProductAttention-13"}
    assert [group["title"] for group in shown["convert"]][:3] == ["Ops", "Commands", "Python"]
    exact = [["ops/Convert-1"], ["commands/convert"], ["api/editing#irops.convert"]]
    assert [lines for lines in pages["convert"] if lines] == exact
    assert shown["the"] == shown["<script>"] == []


def test_every_entry_has_a_name_and_a_page_of_its_own(entries):
    pages = [entry["page"] for entry in entries if entry["kind"] != "page"]
    assert len(set(pages)) == len(pages)
    assert [entry for entry in entries if not all((entry["title"], *entry["names"]))] == []
    assert [e["page"] for e in entries if e["kind"] in ("op", "rule", "command") and not e["summary"]] == []
