"""Names in models, in paths and in arguments are text in every output of every command: none ends a line, an
element, a cell, a string or a column, and none reaches a terminal raw.
"""

import ast
import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from entry_points import RAW, call
from libraries import needs

import irops
from irops.cli import main

pytestmark = needs("jinja2", "onnx")

NAMES = {
    "workflow command": "\r\n::error file=x::e%0A::error::e",
    "command at the start": "::error file=x::e ##vso[e]",
    "terminal": "a\x1b[31m\x9b\u202e\u2028b\ufffe",
    "direction of text": "a\x85\u202eb\u2066\u2028c\td",
    "script": "</title></script><script>alert(1)</script><img src=x onerror=e>",
    "XML": "]]>--><b>&lt;&#27;",
    "formula": "=cmd|' /C calc'!A0",
    "quotes": '\\"\'\\N\\\\"];x->y [label=<b>',
    "Markdown": "|`a`\n# b\n[c](javascript:e) ![d](e)",
    "template": "{{x}}{% x %}${{x}}%s{0}",
    "folder": "../../x/",
    "option": "--help",
    "length": "n" * 5000,
}
COMMANDS = Path(__file__).with_name("hostile_names.txt").read_text()
COMMAND = (r"^\s*::.*", r"^\s*::.*|##\w*\[.*")
"""What is a command in the output of a program, and in such for people: JSON keeps names as they are."""
FAST = ("check {wrong} --why", "compare {model} --fill ones --b model:{other}", "draw {model} -o {stem}.svg")
LINES = [
    pytest.param(line, marks=() if line in FAST else pytest.mark.slow("every command with every name"))
    for line in COMMANDS.strip().splitlines()
]


def models(name, folder):
    """A model with a name everywhere, one that differs from it, and one with faults, in files of that name.

    Names that XML cannot hold are in ONNX models.
    """
    stem = re.sub("[/\0]", "_", name)[:100]
    paths = {}
    for label, number in (("model", 1), ("other", 2)):
        graph = irops.Graph(name)
        constant = graph.constant(np.float32([number, 2]), name=f"{name}c")
        graph.result(graph.ops.Add(graph.parameter(name, "f32[2]"), constant, name=f"{name}a"), f"{name}y")
        try:
            irops.write(graph, paths.setdefault(label, folder / f"{stem}{number}.xml"))
        except ValueError:
            paths[label] = folder / f"{stem}{number}.onnx"
            irops.write(irops.translate(graph, "onnx"), paths[label])
    paths["wrong"], suffix = paths["other"], paths["other"].suffix
    if suffix == ".xml":
        paths["wrong"] = folder / f"{stem}3.xml"
        text = paths["model"].read_text().replace('type="Add"', f"type={quoteattr(name)} x={quoteattr(name)}")
        paths["wrong"].write_text(text.replace('element_type="f32"', f"element_type={quoteattr(name)}"))
    return {**paths, "suffix": suffix, "stem": stem}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, *(f"{key}={value}" for key, value in attributes)))


def faults_of(form, text, about):
    """What a reader of a format would take for something else than text."""
    if any(character in text for character in RAW if (form, character) != ("csv", "\r")):
        yield "a control character"
    if any(part not in about for part in re.findall(COMMAND[form == "text"], text, re.MULTILINE)):
        yield "a workflow command"
    match form:
        case "json":
            json.loads(text)
        case "xml" | "svg":
            tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(text).iter()}
            if tags & {"script", "b", "img"}:
                yield "an element"
        case "html":
            tags = Page(text).tags
            if {"b", "img"} & {tag for tag, *_ in tags} or sum(tag == "script" for tag, *_ in tags) > 2:
                yield "an element"
            if re.search(" on[a-z]+=|href=javascript:", " ".join(" ".join(tag) for tag in tags)):
                yield "a script"
        case "csv":
            cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
            if any(re.match(r"[=+@\t\r]|-(?![\d.])", cell) for cell in cells):
                yield "a formula"
        case "py":
            ast.parse(text)
        case "sarif":
            messages = [result["message"]["text"] for result in json.loads(text)["runs"][0]["results"]]
            if any(re.search(r"(?<!\\)\[[^\]]*\]\(", message) for message in messages):
                yield "a link"


def test_every_command_is_tried_but_the_server_whose_sessions_are():
    assert {line.split()[0] for line in COMMANDS.splitlines()} == {*main.COMMANDS, "{name}"} - {"server"}


def form_of(words, output):
    """The format of what a command prints."""
    form = words[words.index("--output-format") + 1] if "--output-format" in words else "text"
    return {"gitlab": "json", "junit": "xml"}.get(form, form) if output else "text"


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("line", LINES)
def test_a_name_is_text_in_every_format(line, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    values = models(NAMES[kind], tmp_path)
    before = {*tmp_path.rglob("*")}
    words = [word.format(name=NAMES[kind], **values) for word in line.split()]
    status, out, err = call(*words)
    assert status in (0, 1, 2), err
    assert "internal error" not in err
    about = re.findall(r"^::(?:error|warning) file=.*", out, re.MULTILINE) if "github" in words else []
    found = [("stdout", fault) for fault in faults_of(form_of(words, out), out, about)]
    found += [("stderr", fault) for fault in faults_of("text", err, ())]
    for path in {*tmp_path.rglob("*")} - before:
        form = path.suffix.removeprefix(".")
        if path.is_file() and form in ("json", "html", "svg", "csv", "py"):
            found += [(path.name, fault) for fault in faults_of(form, path.read_text(), ())]
        assert tmp_path in path.resolve().parents
    assert found == []
