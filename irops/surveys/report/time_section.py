"""The times of a survey: a histogram for each task, and the slowest cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import log10

from irops.surveys.report.elements import filter_link, isolated, seconds_text, table, text
from irops.surveys.report.totals import Totals, start_of

WIDTH, HEIGHT, BAR, BASE = 26, 60, 22, 78
"""Of a step, the tallest bar, a bar, and the line on which bars stand, in pixels."""


def time_section(totals: Totals) -> Iterator[str]:
    if not totals.times:
        yield "<p>No times are known.</p>\n"
        return
    bins = [number for counts in totals.times.values() for number in counts]
    first, last = min(bins), max(bins)
    most = max(max(counts.values()) for counts in totals.times.values())
    yield "<p>The number of cells by time, on logarithmic scales.</p>\n<div class=charts>\n"
    for task, counts in sorted(totals.times.items()):
        total = f"{seconds_text(totals.seconds[task])} for {counts.total():,} cells"
        yield f"<figure><figcaption><b>{text(task)}</b>, {total}</figcaption>\n"
        yield from _histogram(counts, first, last, most)
        yield "</figure>\n"
    yield "</div>\n<h3>Slowest cells</h3>\n"
    rows = (
        (filter_link(isolated(model), model=model), text(task), seconds_text(seconds))
        for seconds, model, task in totals.slowest
    )
    yield from table(("model", "task", "time"), rows, numbers=(2,))


def _histogram(counts: Counter[int], first: int, last: int, most: int) -> Iterator[str]:
    """first, last: the bars of all histograms, which can thus be compared; most: the greatest count of all"""
    wide = (last - first + 1) * WIDTH + 34
    label = ", ".join(f"from {_short(number)}: {counts[number]:,}" for number in sorted(counts))
    yield f'<svg class="chart" role="img" aria-label="{text(label)}" width="{wide}" height="96">'
    for number in range(first, last + 2):
        x = (number - first) * WIDTH + 14
        if number % 2 == 0:
            yield f'<text x="{x}" y="92">{_short(number)}</text>'
        count = counts[number]
        if count:
            height = max(log10(count + 1) / log10(most + 1) * HEIGHT, 1)
            yield (
                f'<rect x="{x + 2}" y="{BASE - height:.1f}" width="{BAR}" height="{height:.1f}">'
                f"<title>from {_short(number)}: {count:,}</title></rect>"
                f'<text x="{x + WIDTH / 2}" y="{BASE - height - 3:.1f}">{_abridged(count)}</text>'
            )
    yield f'<line x1="10" x2="{wide - 10}" y1="{BASE}" y2="{BASE}"/></svg>\n'


def _short(number: int) -> str:
    seconds = start_of(number)
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.4g} s"


def _abridged(count: int) -> str:
    return f"{count}" if count < 10_000 else f"{count / 1000:.0f}k"
