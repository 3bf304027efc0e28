"""Systematic changes to the text of a model: each attribute, element and dimension in turn."""

import re
from collections.abc import Iterator

VALUES = ("", "abc", "-1", "0", "1", "7", "99999999999999999999", "1.5", " 1", "true")
PARTS = (
    "input|output|rt_info|port_map|back_edges|body|then_body|else_body|then_port_map|else_port_map|edges|"
    "pre-process|meta_data"
)
ATTRIBUTE = re.compile(r' ([\w.-]+)="([^"]*)"')
ELEMENT = re.compile(
    r"<(\w[\w-]*)(?: [^>]*)?/>|<dim>[^<]*</dim>|<port [^>]*>(?:<dim>[^<]*</dim>)*</port>|"
    rf"<layer (?:(?!</?layer ).)*?</layer>|<({PARTS})(?: [^>]*)?>.*?</\2>",
    re.DOTALL,
)
DIM = re.compile(r"<dim>([^<]*)</dim>")


def mutations(xml: str) -> Iterator[tuple[str, str]]:
    """What is changed, and the text with that change; no text twice."""
    seen = {xml}
    for name, text in _all(xml):
        if text not in seen:
            seen.add(text)
            yield name, text


def _all(xml: str) -> Iterator[tuple[str, str]]:
    start = xml.index("<net")
    for match in ATTRIBUTE.finditer(xml, start):
        yield f"without{match[0]}", xml[: match.start()] + xml[match.end() :]
        yield f"{match[1]} renamed", xml[: match.end(1)] + "x" + xml[match.end(1) :]
        for value in VALUES:
            name = f"{match[1]} {match[2]!r} as {value!r}"
            yield name, xml[: match.start(2)] + value + xml[match.end(2) :]
    for match in ELEMENT.finditer(xml, start):
        what = match[0].split("\n")[0][:60]
        yield f"without {what}", xml[: match.start()] + xml[match.end() :]
        yield f"{what} twice", xml[: match.end()] + match[0] + xml[match.end() :]
    for match in DIM.finditer(xml, start):
        for value in ("-1", "3", "", "abc", "0"):
            yield f"dim as {value!r}", xml[: match.start(1)] + value + xml[match.end(1) :]
