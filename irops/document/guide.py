"""The pages of a folder that are written by hand, as pages of the site."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from irops.document.sources import repository_url

PICTURES = (".svg", ".png", ".jpg", ".gif")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```[ \t]*$)", re.DOTALL | re.MULTILINE)
_INCLUDED = {"CHANGELOG.md": "changelog.md"}
"""Files beside the folder that are pages of the site."""


def guide_pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Relative path and text of each page. Links to files outside of the folder lead to the repository; where
    that has no address, their text stays.
    """
    for file in sorted(folder.rglob("*.md")):
        path = file.relative_to(folder)
        yield path.as_posix(), with_links(file.read_text("utf-8"), file.parent, folder)
    for name, page in _INCLUDED.items():
        file = folder.parent / name
        if file.is_file():
            yield page, with_links(file.read_text("utf-8"), file.parent, folder, page_in=folder)


def copy_pictures(folder: Path, target: Path) -> None:
    """Copy the pictures that the pages show."""
    for file in sorted(folder.rglob("*")):
        if file.suffix in PICTURES:
            copy = target / file.relative_to(folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def with_links(text: str, place: Path, folder: Path, page_in: Path | None = None) -> str:
    """A page with links that work in the site.

    place: the folder that the links of the page are relative to; page_in: where the page is in the site, if
    that is elsewhere.
    """
    home = page_in or place

    def rewritten(match: re.Match[str]) -> str:
        target = _target(match[3], place, folder, home)
        return f"{match[1]}[{match[2]}]({target})" if target else match[2]

    parts = _FENCE.split(text)
    return "".join(part if k % 2 else _LINK.sub(rewritten, part) for k, part in enumerate(parts))


def _target(link: str, place: Path, folder: Path, home: Path) -> str:
    """What a link leads to in the site; "" for a file of the repository, where that has no address."""
    file, mark, anchor = link.partition("#")
    if not file or re.match(r"[a-z]+:", file):
        return link
    target = (place / file).resolve()
    if not target.is_relative_to(folder.resolve()):
        if target.name in _INCLUDED and target.parent == folder.resolve().parent:
            return f"{_up(home, folder)}{_INCLUDED[target.name]}{mark}{anchor}"
        if not target.is_relative_to(folder.resolve().parent):
            return link
        url = repository_url(target.relative_to(folder.resolve().parent).as_posix())
        return f"{url}{mark}{anchor}" if url else ""
    inside = target.relative_to(folder.resolve()).as_posix()
    page = f"{inside}/index.md" if target.is_dir() else inside
    return f"{_up(home, folder)}{page}{mark}{anchor}"


def _up(home: Path, folder: Path) -> str:
    return "../" * len(home.resolve().relative_to(folder.resolve()).parts)
