"""A folder of pages that a killed process left is removed by the next one."""

import os

import pytest

from irops.document.site import PREFIX, Site


class OnePage(Site):
    """A site that writes one page, to be quick."""

    def __init__(self):
        self.format, self.guide = "markdown", None

    def pages(self, progress=None):
        yield "index.md", "page"


def test_the_folder_of_a_killed_process_is_removed(tmp_path):
    left = tmp_path / f"{PREFIX}abcd"
    left.mkdir()
    (left / "index.md").write_text("half")
    os.utime(left, (0, 0))
    assert OnePage().write(tmp_path / "site") == 1
    assert os.listdir(tmp_path) == ["site"]
    assert sorted(os.listdir(tmp_path / "site")) == [".irops-docs", "index.md"]


def test_a_folder_in_use_stays(tmp_path):
    class Nested(OnePage):
        def pages(self, progress=None):
            yield from super().pages(progress)
            for folder in tmp_path.glob(f"{PREFIX}*"):
                os.utime(folder, (0, 0))
            OnePage().write(tmp_path / "other")

    assert Nested().write(tmp_path / "site") == 1
    assert sorted(os.listdir(tmp_path)) == ["other", "site"]


def test_a_failure_leaves_nothing(tmp_path):
    class Failing(OnePage):
        def pages(self, progress=None):
            yield from super().pages(progress)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Failing().write(tmp_path / "site")
    assert os.listdir(tmp_path) == []
