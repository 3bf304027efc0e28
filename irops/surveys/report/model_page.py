"""The page of a model: each task with its findings, the first wrong layer, and the ops of the model."""

from __future__ import annotations

from collections.abc import Iterator

from irops.diagnostics.printable import Markup, literal
from irops.surveys.report.cells import ModelCells, ReportedCell
from irops.surveys.report.details import Detail, Finding
from irops.surveys.report.elements import END, head, isolated, rule_link, seconds_text, table, text
from irops.surveys.report.statuses import CHANGE_LOOKS, STATUS_LOOKS

MAX_BYTES = 400_000
"""About how many characters of findings a page has; the others are counted."""
MAX_OPS = 300
"""How many ops are listed."""


def model_page(model: ModelCells) -> Iterator[Markup]:
    """The page, in pieces."""
    yield head(model.name)
    yield literal('<nav aria-label="report"><a href="../index.html">Survey</a></nav>\n')
    yield f"<main><h1>{isolated(model.name)}</h1>\n"
    yield from table(
        ("task", "status", "findings", "time", "bytes read"),
        [_overview(number, cell) for number, cell in enumerate(model.cells)],
        numbers=(2, 3, 4),
    )
    room = MAX_BYTES
    shown: dict[tuple[Finding, ...], str] = {}
    for number, cell in enumerate(model.cells):
        if cell.status is not None:
            same = shown.setdefault(cell.detail.findings, cell.task)
            pieces = list(_section(number, cell, room, "" if same == cell.task else same))
            room -= sum(map(len, pieces))
            yield from pieces
    yield from _ops(model.ops)
    yield f"</main>{END}"


def status_mark(status: str | None) -> Markup:
    """A status as HTML: symbol and word in its colour."""
    if status is None:
        return literal('<span class="status absent">absent</span>')
    return f'<span class="status {text(status)}">{text(STATUS_LOOKS[status].symbol)} {text(status)}</span>'


def change_mark(change: str) -> Markup:
    if not change:
        return literal("")
    return f'<span class="change {text(change)}">{text(CHANGE_LOOKS[change].symbol)} {text(change)}</span>'


def _overview(number: int, cell: ReportedCell) -> tuple[Markup, ...]:
    before: Markup = f", before: {text(cell.before)}" if cell.change and cell.before else literal("")
    return (
        f'<a href="#task-{number}">{text(cell.task)}</a>' if cell.status else text(cell.task),
        f"{status_mark(cell.status)} {change_mark(cell.change)}{before}",
        f"{cell.detail.total:,}",
        literal("") if cell.seconds is None else seconds_text(cell.seconds),
        literal("") if cell.bytes is None else f"{cell.bytes:,}",
    )


def _section(number: int, cell: ReportedCell, room: int, same: str) -> Iterator[Markup]:
    """room: how many characters the findings may have; same: an earlier task with the same findings"""
    detail = cell.detail
    yield f'<section><h2 id="task-{number}">{text(cell.task)} {status_mark(cell.status)}</h2>\n'
    if detail.message:
        yield f"<p>{isolated(detail.message)}</p>\n"
    if detail.first:
        yield literal("<h3>First wrong layer</h3>\n")
        yield from table(("", ""), [(text(key), isolated(value)) for key, value in detail.first])
    if detail.findings and same:
        yield f"<p>The same findings as {text(same)}.</p>\n"
    else:
        yield from _findings(detail, room)
    if detail.others:
        yield literal("<details><summary>Further results</summary>\n")
        yield from table(("", ""), [(text(key), isolated(value)) for key, value in detail.others])
        yield literal("</details>\n")
    yield literal("</section>\n")


def _findings(detail: Detail, room: int) -> Iterator[Markup]:
    """The findings, up to a number of characters, and how many there are besides."""
    shown = 0
    if detail.findings:
        yield literal('<ol class="findings">\n')
        for entry in map(_finding, detail.findings):
            room -= len(entry)
            if room < 0:
                break
            shown += 1
            yield entry
        yield literal("</ol>\n")
    if detail.total > shown:
        counts = ", ".join(f"{count:,} of {text(code)}" for code, count in detail.counts)
        yield f"<p>{detail.total - shown:,} more findings are not listed; all by rule: {counts}</p>\n"


def _finding(finding: Finding) -> Markup:
    line: Markup | None = None if finding.line is None else f"line {finding.line}"
    column: Markup | None = (
        None if finding.line is None or finding.column is None else f"column {finding.column}"
    )
    places = [part for part in (line, column) if part]
    if finding.layer:
        places.append(f"layer {isolated(finding.layer)}")
    if finding.op:
        places.append(text(finding.op))
    excerpt: Markup = literal("")
    if any(finding.excerpt):
        before, after = finding.excerpt
        excerpt = f"<pre><bdi>{text(before)}<mark>{text(after[:1])}</mark>{text(after[1:])}</bdi></pre>"
    kind = literal("error" if finding.severity == "error" else "warning")
    return (
        f'<li class="{kind}"><b>{rule_link(finding.code, text(finding.code))}</b>'
        f" {text(finding.name)}, {text(finding.severity)}: {isolated(finding.message)}"
        f'<div class="place">{", ".join(places)}</div>{excerpt}</li>\n'
    )


def _ops(ops: dict[str, int]) -> Iterator[Markup]:
    if not ops:
        return
    most = sorted(ops.items(), key=lambda entry: (-entry[1], entry[0]))
    counts: Markup = f"{len(ops):,} op versions, {sum(ops.values()):,} layers with those of bodies"
    yield f"<section><h2>Ops</h2><p>{counts}</p>\n"
    yield from table(
        ("op", "layers"), [(text(op), f"{count:,}") for op, count in most[:MAX_OPS]], numbers=(1,)
    )
    if len(most) > MAX_OPS:
        yield f"<p>and {len(most) - MAX_OPS:,} more op versions</p>"
    yield literal("</section>\n")
