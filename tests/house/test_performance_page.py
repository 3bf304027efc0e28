"""The page on performance says what was measured."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_page_and_its_plot_have_the_figures_that_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "benchmarks"))
    import page
    from reversing_plot import plot

    text = page.PAGE.read_text()
    runs = {name: json.loads(page.stored(name).read_text()) for name in page.PROGRAMS}
    for name, body in page.sections(runs).items():
        assert f"<!-- {name} -->\n{body}\n<!-- end -->" in text
    assert page.PLOT.read_text() == plot(runs["reversing"])
