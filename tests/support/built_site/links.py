"""The links and anchors of the pages of a built site."""

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class PageLinks(HTMLParser):
    """Targets and anchors of a page; levels: of its headings in order; undescribed: its pictures
    that have no text for those who do not see them.
    """

    targets: list[str] = field(default_factory=list)
    levels: list[int] = field(default_factory=list)
    undescribed: list[str] = field(default_factory=list)
    language: str = ""
    anchors: set[str] = field(default_factory=set)
    canonical: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        self._describe(tag, attributes)
        if attributes.get("rel") == "canonical":
            self.canonical = attributes["href"] or ""
            return
        if "id" in attributes:
            self.anchors.add(attributes["id"] or "")
        self.targets.extend(attributes[name] or "" for name in ("href", "src") if name in attributes)

    def _describe(self, tag: str, attributes: dict[str, str | None]) -> None:
        if tag == "html":
            self.language = attributes.get("lang") or ""
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            self.levels.append(int(tag[1]))
        elif tag == "img" and "alt" not in attributes:
            self.undescribed.append(str(attributes))


def pages_of(folder: Path) -> dict[str, PageLinks]:
    """The links of every page, by its path relative to the folder."""
    pages = {}
    for file in sorted(folder.rglob("*.html")):
        links = PageLinks()
        links.feed(file.read_text("utf-8"))
        pages[file.relative_to(folder).as_posix()] = links
    return pages


def internal(path: str, links: PageLinks) -> Iterator[tuple[str, str]]:
    """The file and the anchor of each link of a page that leads to the site itself."""
    for target in links.targets:
        parts = urlsplit(target)
        if not parts.scheme and not parts.netloc and target:
            file = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path)))
            yield (path if not parts.path else file), unquote(parts.fragment)


def dead_links(folder: Path, pages: dict[str, PageLinks]) -> list[str]:
    """The links to files or anchors that the site does not have."""
    dead = []
    for path, links in pages.items():
        for file, anchor in internal(path, links):
            exists = file in pages or (folder / file).is_file()
            if not exists or (anchor and file in pages and anchor not in pages[file].anchors):
                dead.append(f"{path}: {file}#{anchor}")
    return dead
