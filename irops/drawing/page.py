"""A picture as a page in one file, which needs no network."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from typing import Any

from irops.diagnostics.printable import printable

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{title}</title><style>
{css}</style></head>
<body><header><h1>{title}</h1>
<input id="search" type="search" placeholder="search layers ( / )" aria-label="search">
<span id="count"></span>
<button id="out" aria-label="smaller">-</button><button id="in" aria-label="larger">+</button>
<button id="fit">fit</button></header>
<main><div id="view">{svg}</div><aside id="panel" hidden></aside></main>
<script type="application/json" id="data">{data}</script>
<script>
{script}</script></body></html>
"""


def page(title: str, svg: str, details: dict[str, Any]) -> str:
    """The page of a picture. details: see irops.drawing.drawing"""
    data = json.dumps(details, ensure_ascii=False, separators=(",", ":"))
    return _PAGE.format(
        title=escape(printable(title)),
        css=_text("page.css"),
        svg=svg,
        data=data.replace("<", "\\u003c"),  # ends no script element
        script=_text("page.js"),
    )


def _text(name: str) -> str:
    return (files("irops.drawing") / name).read_text(encoding="utf-8")
