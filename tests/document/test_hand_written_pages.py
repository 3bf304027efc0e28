"""Pages that are written by hand become pages of the site: their links, and docstrings that they include. A
folder of pages that a killed process left is removed by the next one.
"""

import os
from pathlib import Path

import pytest
from tables import table

from irops.diagnostics import addresses
from irops.document.site import PREFIX, Site, copy_pictures, guide_pages, with_links
from irops.document.sphinx.docstrings import converted

FOLDER = Path("/checkout/docs")


@pytest.mark.parametrize(("link", "place", "expected"), table(__file__, "links_work_in_the_site"))
def test_links_work_in_the_site(link, place, expected, monkeypatch):
    monkeypatch.setattr(Path, "is_dir", lambda path: path.name == "decisions")
    monkeypatch.setattr(addresses, "REPOSITORY", "https://example.org/irops")
    assert with_links(f"see [it]({link}).", FOLDER / place, FOLDER) == f"see [it]({expected})."


def test_without_a_repository_the_text_of_a_link_to_its_files_stays():
    assert with_links("see [it](../irops/spec/op.py).", FOLDER, FOLDER) == "see it."


def test_links_in_code_stay():
    text = "```\n[a](../b.py)\n```\n"
    assert with_links(text, FOLDER, FOLDER) == text


def test_the_changelog_beside_the_folder_is_a_page(tmp_path):
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    (tmp_path / "docs" / "index.md").write_text("# Title\n")
    (tmp_path / "docs" / "pictures" / "one.svg").write_text("<svg/>")
    (tmp_path / "CHANGELOG.md").write_text("see [it](docs/index.md) and [that](LICENSE)\n")
    pages = {"index.md": "# Title\n", "changelog.md": "see [it](index.md) and that\n"}
    assert dict(guide_pages(tmp_path / "docs")) == pages
    copy_pictures(tmp_path / "docs", tmp_path / "site")
    assert (tmp_path / "site" / "pictures" / "one.svg").is_file()


def test_entries_of_a_docstring_become_a_list():
    text = """Do it.

    model: a path, *or*
        a model; text, limits: see check. Symbols: are prose
    Raises:  ValueError for a; OSError: never
    """
    assert list(converted(text, frozenset({"model", "text", "limits"}))) == [
        "Do it.",
        "",
        "* **model**: a path, \\*or\\* a model",
        "* **text, limits**: see check. Symbols: are prose",
        "* **Raises**: ValueError for a; OSError: never",
        "",
    ]


def test_words_of_a_docstring_are_no_markup():
    assert list(converted("a `b` c_ *d* |e| f_g", frozenset())) == ["a ``b`` c\\_ \\*d\\* \\|e\\| f_g", ""]


class OnePage(Site):
    """A site that writes one page, to be quick."""

    def __init__(self):
        self.format, self.guide = "markdown", None

    def pages(self, progress=None):
        yield "index.md", "page"


def test_the_folder_of_a_killed_process_is_removed(tmp_path):
    left = tmp_path / f"{PREFIX}abcd_123"
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
