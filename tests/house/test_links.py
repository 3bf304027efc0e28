"""Links between pages lead to files that exist, and every page can be reached from the README."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")


def links(page: Path) -> set[Path]:
    """The files and folders of the checkout that a page links to."""
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
    return {
        (page.parent / target).resolve() for target in LINK.findall(text) if not re.match(r"[a-z]+:", target)
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page: Path) -> None:
    assert sorted(str(target) for target in links(page) if not target.exists()) == []


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    ahead = [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached:
            continue
        reached.add(page)
        for target in links(page):
            ahead += sorted(target.glob("*.md")) if target.is_dir() else [target] * (target.suffix == ".md")
    assert sorted(str(page.relative_to(ROOT)) for page in PAGES if page not in reached) == []


def test_every_page_is_in_the_contents_of_the_site() -> None:
    """A page that no toctree names stops the build of the site (.ci/site)."""
    docs = ROOT / "docs"
    listed: set[Path] = {docs / "index.md", docs / "changelog.md"}
    for page in docs.rglob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(), re.DOTALL):
            for name in (line for line in block.splitlines() if line and not line.startswith(":")):
                listed |= set(page.parent.glob(f"{name}.md"))
    assert sorted(str(page.relative_to(ROOT)) for page in docs.rglob("*.md") if page not in listed) == []
