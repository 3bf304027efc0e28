"""docs/hardening.md says of the limits what they are, and links each promise to the tests that check it."""

from __future__ import annotations

import re
from dataclasses import asdict
from itertools import takewhile
from pathlib import Path

from irops.files.limits import Limits

PAGE = Path(__file__).parents[2] / "docs" / "hardening.md"
INPUTS = {"model", "weights", "arrays", "definitions", "settings", "baseline", "cache", "store"}
INPUTS |= {"environment", "current", "PATH", "URL", "connection", "text", "installed", "cluster"}


def test_the_page_has_every_limit_with_its_default():
    defaults = asdict(Limits())
    said = {name: what.replace("<dim>", "`<dim>`") for name, what in Limits.described().items()}
    rows = [f"| `{name}` | {defaults[name]:,} | {what} |" for name, what in said.items()]
    lines = PAGE.read_text().splitlines()
    start = lines.index("| limit | default | of what |")
    assert lines[start + 2 : start + 2 + len(rows) + 1] == [*rows, ""]


def test_every_promise_links_to_tests_that_exist():
    text = PAGE.read_text()
    rows = [line for line in text.splitlines() if line.startswith("| ") and line.count("|") == 3]
    promises = [row for row in rows if "`" not in row.split("|")[1][:3] and "](" in row]
    policies = [part for part in text.split("\n\n") if re.match(r"\*\*[A-Z][a-z]+\.\*\* ", part)]
    tested = [part for part in policies if not part.startswith(("**Fuzzing.", "**Valid files."))]
    assert len(promises) >= 8
    assert len(tested) >= 8
    for promise in (*promises, *tested):
        links = re.findall(r"\]\(\.\./(tests/[^)]*\.py)\)", promise)
        assert links, promise
        assert all((PAGE.parents[1] / link).is_file() for link in links), promise


def test_every_input_is_in_the_table_of_trust_with_tests_that_exist():
    page = PAGE.with_name("SECURITY.md")
    lines = page.read_text().splitlines()
    start = lines.index("| input | may | may not | tests |")
    rows = list(takewhile(lambda line: line.startswith("| "), lines[start + 2 :]))
    named = [re.findall(r"[A-Za-z]+", row)[0] for row in rows]
    assert set(named) >= INPUTS
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 4, row
        links = re.findall(r"\]\(\.\./(tests/[^)]*\.py)\)", cells[3])
        assert links, row
        for link in links:
            path = page.parents[1] / link
            assert path.is_file(), link
            assert re.search(r"^(async )?def test_", path.read_text(), re.MULTILINE), link


def promises() -> list[str]:
    """The sentences of both pages that promise something, as plain text, in order."""
    page, security = PAGE.read_text(), PAGE.with_name("SECURITY.md").read_text()
    parts = [part for part in page.split("\n\n") if re.match(r"\*\*[A-Z][a-z ]+\.\*\* ", part)]
    policies = [part for part in parts if not part.startswith(("**Fuzzing.", "**Valid files."))]
    guarantees = re.findall(r"^\d\. .*(?:\n   .*)*", page, re.MULTILINE)
    promised = security.split("## What is promised")[1].split("## Who is trusted")[0]
    never = security.split("A command never writes")[1].split("| output |")[0]
    bullets = re.findall(r"^- .*(?:\n  .*)*", promised + never, re.MULTILINE)
    return [sentence for part in (*policies, *guarantees, *bullets) for sentence in _sentences(part)]


def _sentences(part: str) -> list[str]:
    text = re.sub(r"^(\*\*.*?\*\*|\d\.|-) ", "", " ".join(part.split()))
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", re.sub(r"Tests?: .*$", "", text))
    return [sentence.strip() for sentence in re.split(r"(?<=[.;:])\s+(?=[A-Z`])", text) if sentence.strip()]


def test_each_promise_has_a_row_with_tests_that_exist():
    lines = PAGE.read_text().splitlines()
    start = lines.index("| sentence | tests |")
    listed = takewhile(lambda line: line.startswith("| "), lines[start + 2 :])
    rows = [line[2:-2].split(" | ") for line in listed]
    assert [promise for promise, _ in rows] == promises()
    for promise, tests in rows:
        named = re.findall(r"`([^`:]*)::([^`]*)`", tests)
        assert named or tests == "no promise", promise
        for file, name in named:
            text = (PAGE.parents[1] / file).read_text()
            assert re.search(rf"^ *(async )?def {name}\(", text, re.MULTILINE), f"{file}::{name}"
    assert sum(tests == "no promise" for _, tests in rows) <= 2
