"""The tutorial notebook runs from top to bottom, and shows what it is stored with."""

import re
from pathlib import Path
from typing import Any

import pytest
from libraries import Late, needs
from lxml import html

pytestmark = [pytest.mark.slow("runs a notebook"), needs("nbclient", "ipykernel", "fast_sugiyama")]
nbformat, nbclient = Late("nbformat"), Late("nbclient")
NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "tutorial.ipynb"
NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?")


def words(data: dict[str, str]) -> dict[str, list[str]]:
    """The words of each representation; not how a page looks, nor where a picture has its boxes."""
    shown = {}
    for kind, text in data.items():
        markup = kind in ("text/html", "image/svg+xml")
        shown[kind] = html.fromstring(text).text_content().split() if markup else text.split()
    return shown


def outputs(cell: Any) -> list[dict[str, list[str]]]:
    texts = [{"stdout": output["text"]} for output in cell.outputs if output.output_type == "stream"]
    return [words(data) for data in texts + [output["data"] for output in cell.outputs if "data" in output]]


def same(a: str, b: str) -> bool:
    """Whether two words are equal but for the last digits of numbers."""
    numbers = [[float(number) for number in NUMBER.findall(word)] for word in (a, b)]
    return NUMBER.sub("#", a) == NUMBER.sub("#", b) and numbers[0] == pytest.approx(numbers[1], abs=2e-3)


def test_the_tutorial_shows_what_it_is_stored_with(tmp_path: Path) -> None:
    stored = nbformat.read(NOTEBOOK, 4)
    run = nbformat.read(NOTEBOOK, 4)
    client = nbclient.NotebookClient(
        run, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    assert list(tmp_path.iterdir()) == []
    code = [(a, b) for a, b in zip(stored.cells, run.cells) if a.cell_type == "code"]
    assert len(code) > 10
    for before, after in code:
        assert [set(shown) for shown in outputs(before)] == [set(shown) for shown in outputs(after)]
        for old, new in zip(outputs(before), outputs(after)):
            for kind in old:
                assert len(old[kind]) == len(new[kind]), after.source
                assert all(map(same, old[kind], new[kind])), (after.source, old[kind], new[kind])
