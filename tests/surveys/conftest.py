"""A small zoo of models, and requests for surveys of it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from irops.surveys.listing import listing
from irops.surveys.survey import Request
from irops.surveys.tasks import SurveySettings, tasks_of

ROOT = Path(__file__).parents[2]
RULES = ROOT / "irops" / "diagnostics" / "rules"


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    """A folder with a sound model, one with a warning and one with an error."""
    folder = tmp_path / "zoo"
    (folder / "inner").mkdir(parents=True)
    shutil.copy(ROOT / "examples" / "reversing" / "model.xml", folder / "sound.xml")
    shutil.copy(RULES / "IR208.xml", folder / "inner" / "warned.xml")
    shutil.copy(RULES / "IR401.xml", folder / "broken.xml")
    return folder


@pytest.fixture
def request_of(zoo: Path, tmp_path: Path) -> Callable[..., Request]:
    """A function that makes the request for a survey of the zoo; its report is in the folder report."""

    def make(*paths, tasks=("check",), settings=None, output="report", sources=(), targets=(), **options):
        return Request(
            listing(paths or [zoo]),
            tasks_of(tasks, sources, targets),
            settings or SurveySettings(),
            None if output is None else tmp_path / output,
            **options,
        )

    return make
