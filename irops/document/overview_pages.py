"""Pages about all ops: what irops can do with each, and where OpenVINO differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from irops.document.differences import Difference, differences
from irops.document.faculties import faculties
from irops.spec.op import Op


def overview_pages(ops: Sequence[Op], page: Callable[..., str]) -> Iterator[tuple[str, str]]:
    """Relative path and text of each page. page: renders a template"""
    yield "ops/faculties.md", page("faculties", rows=[faculties(op) for op in ops])
    categories: dict[str, list[Difference]] = {}
    for difference in differences(ops):
        categories.setdefault(difference.definition.category, []).append(difference)
    categories = dict(sorted(categories.items()))
    total = sum(map(len, categories.values()))
    yield "differences/index.md", page("differences", categories=categories, total=total)
    for category, members in categories.items():
        groups = [(op, list(items)) for op, items in groupby(members, key=lambda item: item.definition.id)]
        yield f"differences/{category}.md", page("difference", category=category, groups=groups)
