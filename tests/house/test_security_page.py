"""docs/SECURITY.md says of the limits what they are, and links each promise to the tests that check it. The
page on performance says what was measured.
"""

import json
import re
from dataclasses import asdict
from pathlib import Path

import pytest

from irops.files.limits import Limits

PAGE = Path(__file__).parents[2] / "docs" / "SECURITY.md"


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


ROOT = Path(__file__).parents[2]


def test_the_page_on_performance_has_the_figures_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "benchmarks"))
    import page

    text = page.PAGE.read_text()
    runs = {name: json.loads(page.stored(name).read_text()) for name in page.PROGRAMS}
    for name, body in page.sections(runs).items():
        assert f"<!-- {name} -->\n{body}\n<!-- end -->" in text
