"""Text of files and arguments is escaped by every command in every format."""

from __future__ import annotations

import ast
import csv
import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from built_site.browser import CHROMIUM, result_of
from hostile_models import layer, net
from lxml import html

import irops as irops_api
from irops.cli.command import commands
from irops.cli.parser import Parser
from irops.drawing.drawing import SUFFIXES

PACKAGE = Path(irops_api.__file__).parent

Irops = Callable[..., Any]
NAME = (
    "=1+1 \n::error file=x::owned\r\u0085##[error]owned\u009b31m\u202eowned\u2028<script>alert(1)</script>"
    "\"'&`$(id)` |[x](y)<img src=x onerror=document.documentElement.dataset.owned=1>##vso[task.owned]"
)
FORMULA = "=1+cmd|x\x1b.xml"
"""The name of a file."""
RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
COMMAND = re.compile(r"^\s*::error file=x|##\[error|##vso\[", re.MULTILINE)
"""What GitHub executes at the start of a line, and GitHub and Azure anywhere in it."""
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""What rich writes for colours."""
REFERENCES = {"\n": "&#10;", "\r": "&#13;", "\u0085": "&#x85;", "\u2028": "&#x2028;"}
INPUTS = ("--fill", "ones")
FOLDER = "::error file=x \x1b##[error]\u202e"
"""The name of a folder, which holds the definition of an op."""
OWN = ("--definitions", FOLDER)
KIT = (*OWN, "--examples", "1")
DEFINITION = """<layer type="Mine" version="1" category="own">
  <summary>{name}</summary><description>{name}</description><formula>{name}</formula><source>{name}</source>
  <data><attribute name="n" type="int" min="0" default="0">{name}</attribute></data>
  <type name="T">integer -u1</type>
  <input><port id="0" name="data" type="T" rank="1..">{name}</port></input>
  <output><port id="1" name="output" type="T">{name}</port></output>
  <constraint id="C1">{name}</constraint>
  <example>
    <data n="2"/>
    <tensor name="data" type="i32" shape="3">1 2 3</tensor>
    <tensor name="output" type="i32" shape="3">3 4 5</tensor>
  </example>
  <counterexample violates="C1">
    <data n="2"/><tensor name="data" type="i32" shape="2,0" known="no"/>
  </counterexample>
</layer>
"""
FUNCTIONS = """
from irops.spec.binding import kernel, shape
from irops.values.violation import require

@shape("Mine-1")
def mine_shape(data):
    require(data.shape[-1] >= 1, "C1", data.shape)
    return data.shape

@kernel("Mine-1")
def mine(data, *, n):
    {body}
"""


def hostile(word: str, kind: str = "ReLU") -> str:
    """A model whose names, and types if asked, are hostile."""
    text = quoteattr(f"{word}{NAME}", REFERENCES)
    parameter = layer(0, "x", "Parameter", '<data shape="2,3" element_type="f32"/>', (), (0,))
    relu, result = layer(1, "r", kind, "", (0,), (1,)), layer(2, "y", "Result", "", (0,), ())
    layers = [
        one.replace(f'name="{name}"', f"name={text[:-1]}{name}{text[-1]}")
        for one, name in ((parameter, "x"), (relu, "r"), (result, "y"))
    ]
    model = net(layers, [(0, 0, 1, 0), (1, 1, 2, 0)], f"<rt_info><a value={text}/></rt_info>")
    if kind != "ReLU":
        model = model.replace(f'type="{kind}"', f"type={text}")
    return model.replace('name="g"', f"name={text}")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in (
        ("a.xml", hostile("a")),
        ("b.xml", hostile("b")),
        ("unknown.xml", hostile("u", "Unknown")),
        ("other.xml", hostile("o", "Other")),
        (FORMULA, hostile("c")),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        (tmp_path / name).with_suffix(".bin").write_bytes(b"")
    np.savez(tmp_path / "values.npz", **{f"a{NAME}r": np.ones((2, 3), np.float32)})
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "Mine-1.xml").write_text(DEFINITION.format(name=quoteattr(NAME, REFERENCES)[1:-1]))
    (tmp_path / FOLDER / "mine.py").write_text(FUNCTIONS.format(body=f"raise ValueError({NAME!r})"))
    shutil.copytree(tmp_path / FOLDER, tmp_path / "good")
    (tmp_path / "good" / "mine.py").write_text(FUNCTIONS.format(body="return data + data.dtype.type(n)"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    monkeypatch.setenv("IROPS_CACHE_DIR", str(tmp_path / f"cache{FOLDER}"))
    return tmp_path


CALLS: tuple[tuple[str, ...], ...] = (
    *(
        ("check", "a.xml", "unknown.xml", "--output-format", style)
        for style in ("full", "concise", "json", "sarif", "github", "gitlab")
    ),
    ("check", "a.xml", "--why"),
    ("check", "unknown.xml", "--write-baseline", "out.baseline"),
    *(("infer", "a.xml", "--output-format", style) for style in ("full", "json")),
    ("run", "a.xml", *INPUTS),
    ("run", "a.xml", *INPUTS, "--profile", "out.json"),
    ("run", "a.xml"),
    *(
        ("inspect", model, "--output-format", style)
        for model in ("a.xml", "unknown.xml")
        for style in ("full", "json")
    ),
    *(("weights", "a.xml", "--output-format", style) for style in ("full", "json")),
    *(("why", "a.xml", "0", "--output-format", style) for style in ("full", "json")),
    ("why", "a.xml", NAME),
    *(
        ("diff", a, b, "--output-format", style, "-o", f"out.{style}")
        for a, b in (("a.xml", "b.xml"), ("unknown.xml", "other.xml"), ("a.xml", "unknown.xml"))
        for style in ("full", "json", "html")
    ),
    *(("diff", a, b) for a, b in (("a.xml", "b.xml"), ("unknown.xml", "other.xml"))),
    *(
        ("compare", "a.xml", "--b", source, *INPUTS, "--output-format", style, "-o", f"out.{style}")
        for source in ("reference", "model:b.xml", "values.npz")
        for style in ("full", "json", "html", "junit")
    ),
    ("compare", "unknown.xml", "--b", "reference", *INPUTS),
    *(
        ("draw", model, "-o", f"out.{style}")
        for model in ("a.xml", "unknown.xml")
        for style in ("svg", "html", "dot")
    ),
    ("extract", "a.xml", "--from", NAME, "-o", "part.xml"),
    ("translate", "unknown.xml", "--to", "onnx", "-o", "out.onnx"),
    ("gradient", "unknown.xml", "-o", "gradient.xml"),
    ("gradient", "a.xml", "--of", NAME, "-o", f"{NAME}.xml"),
    ("convert", "unknown.xml", "--target", "2023.0", "-o", "converted.xml"),
    ("reduce", "unknown.xml", "--rule", "IR301", "-o", "reduced", "--output-format", "full"),
    *(
        (
            "survey",
            "a.xml",
            "=1+cmd|x\x1b.xml",
            "--tasks",
            "check,infer,run",
            "-o",
            "report",
            "--output-format",
            style,
        )
        for style in ("full", "json")
    ),
    ("check", f"no{NAME}.xml"),
    ("reduce", "unknown.xml", "--rule", "IR301", "-o", "reduced", "--output-format", "json"),
    ("run", "a.xml", *INPUTS, "--save-outputs", "saved.npz", "--keep", "all"),
    ("check", "."),
    ("check", "a.xml", "--diff"),
    ("conformance", "--backend", "reference", "--op", "My`\x1b-1", *KIT),
    *(
        ("conformance", "--backend", "reference", "--op", "Mine-1", *KIT, "--output-format", style)
        for style in ("table", "json", "junit", "markdown")
    ),
    *(("backends", "Mine-1", *OWN, "--output-format", style) for style in ("full", "json")),
    *(
        ("explain", subject, *OWN, "--output-format", style)
        for subject in ("Mine-1", "Mine-1:C1", "IR301")
        for style in ("full", "json")
    ),
    *(("ops", "Mine", *OWN, "--output-format", style) for style in ("full", "json")),
    ("ops", "Mine", *OWN, "--quiet"),
    *(("rules", NAME, "--output-format", style) for style in ("full", "json")),
    *(("rules", "--output-format", style) for style in ("full", "json")),
    *(("where", "Mine-1", *OWN, "--output-format", style) for style in ("full", "json")),
    *(("trust", FOLDER, "--output-format", style) for style in ("full", "json")),
    *(("trust", "--output-format", style) for style in ("full", "json")),
    *(
        ("cache", action, "--output-format", style)
        for action in ("show", "clean")
        for style in ("full", "json")
    ),
    *(
        ("docs", "--definitions", "good", "--custom-only", "--format", style, "-o", f"out.{style}")
        for style in ("markdown", "netron")
    ),
    *(("completion", shell) for shell in ("bash", "zsh", "fish")),
    ("new", f"My{NAME}-1"),
    ("translate", NAME, "--to", NAME, "-o", NAME),
    ("server", "--definitions", NAME),
    ("view", f"{NAME}.xml"),
    (NAME,),
    ("check", f"--{NAME}"),
    ("explain", NAME),
    ("where", NAME),
    ("ops", NAME),
    ("run", "a.xml", "--input", f"{NAME}=values.npz"),
)


def written(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).parts
        is_output = inside[0] == "report" or inside[0].startswith("out.")
        if path.is_file() and is_output and path.suffix not in (".parquet", ".onnx", ".lock"):
            yield path.name, path.read_text("utf-8", "surrogateescape")


def formats() -> Iterator[tuple[str, str]]:
    """Each command with each of its formats, as its parser and the pictures name them."""
    for name in commands():
        command = import_module(f"irops.cli.{name}")
        parser = Parser(name, command.__doc__, "")
        command.configure(parser)
        chosen = [a for a in parser._actions if a.dest in ("output_format", "format", "shell")]
        yield from ((name, choice) for action in chosen for choice in action.choices or ())
        if not chosen:
            yield from ((name, style) for style in (SUFFIXES if name == "draw" else ("",)))


COLOURLESS = {"json", "html", "sarif", "github", "gitlab", "junit", "markdown", "svg", "dot"}
ELSEWHERE = {("docs", "html"): "tests/document/test_built_site.py: Sphinx escapes, and takes minutes"}


def test_every_command_is_called_in_every_format() -> None:
    def is_called(command: str, style: str) -> bool:
        return any(
            call[0] == command and any(word == style or word.endswith(style) for word in call[1:])
            for call in CALLS
        )

    assert {pair for pair in formats() if not is_called(*pair)} == ELSEWHERE.keys()


@pytest.mark.parametrize(
    ("call", "colour"),
    [
        pytest.param(call, colour, id=" ".join(call).replace(NAME, "NAME") + f"-{colour}")
        for call in CALLS
        for colour in ("plain", *(["in colour"] if COLOURLESS.isdisjoint(call) else []))
    ],
)
def test_text_of_files_and_arguments_is_escaped(
    irops: Irops, folder: Path, call: tuple[str, ...], colour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if colour == "in colour":
        monkeypatch.setenv("FORCE_COLOR", "1")
    result = irops(*call)
    assert "Traceback" not in result.err
    assert "internal error" not in result.err
    out, err = (COLOUR.sub("", text) if colour == "in colour" else text for text in result[1:])
    for place, text in (("stdout", out), ("stderr", err), *written(folder)):
        found = RAW.search(text)
        assert found is None, (place, text[max(0, found.start() - 60) : found.end() + 20])
        assert COMMAND.search(text) is None or place not in ("stdout", "stderr"), (
            place,
            COMMAND.search(text),
        )
        if place.endswith((".html", ".svg")):
            assert "<script>alert" not in text, place
            assert "<img" not in text, place
        if place.endswith(".csv"):
            cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
            assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))] == [], place


def shown_by_notebooks(folder: Path) -> dict[str, object]:
    """An object of each class that notebooks show, made of hostile models, by the name of the class."""
    inputs = {0: np.ones((2, 3), np.float32)}
    definition = irops_api.definition("Clamp-1")
    attributes = {name: replace(one, text=NAME) for name, one in definition.attributes.items()}
    return {
        "Model": irops_api.read("a.xml"),
        "Graph": irops_api.Graph(irops_api.read("a.xml")),
        "Inferred": irops_api.infer("a.xml"),
        "Report": irops_api.check("unknown.xml"),
        "Definition": replace(definition, summary=NAME, category=NAME, attributes=attributes),
        "Difference": irops_api.diff("a.xml", "unknown.xml"),
        "Comparison": irops_api.compare("a.xml", inputs, "reference", "model:b.xml"),
        "SurveyTable": irops_api.survey(["a.xml", "unknown.xml"], ("check",), processes=1),
        "Profile": irops_api.run("a.xml", inputs, profile=True).profile,
        "Drawing": irops_api.draw("a.xml"),
    }


def html_of(shown: object) -> str:
    text: str = (getattr(shown, "_repr_html_", None) and shown._repr_html_()) or shown._repr_svg_()  # type: ignore[attr-defined]
    return text


def test_what_notebooks_show_is_escaped(folder: Path) -> None:
    classes = {
        node.name
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef)
        and re.fullmatch("_repr_(html|svg|markdown|mimebundle)_", method.name)
    }
    objects = shown_by_notebooks(folder)
    assert objects.keys() == classes
    for name, shown in objects.items():
        text = html_of(shown)
        page = html.fromstring(f"<div>{text}</div>")
        assert RAW.search(text) is None, name
        assert page.xpath("//script | //img | //@onerror") == [], name
        assert "<script>alert" in page.text_content() or name == "Profile", name


@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_a_browser_runs_nothing_of_what_pages_show(irops: Irops, folder: Path, tmp_path_factory) -> None:
    pages = tmp_path_factory.mktemp("pages")
    for name, shown in shown_by_notebooks(folder).items():
        (pages / f"{name}.html").write_text(f"<!doctype html><meta charset=utf-8><div>{html_of(shown)}</div>")
    for call in CALLS:
        outputs = [word for word in call if word.endswith((".html", ".svg"))]
        if outputs and "-o" in call:
            irops(*call)
            for output in outputs:
                shutil.copy(output, pages / f"{len([*pages.iterdir()])}-{output}")
    irops("survey", "a.xml", "unknown.xml", "--tasks", "check", "-o", "report")
    shutil.copytree("report", pages / "report")
    paths = [str(path.relative_to(pages)) for path in pages.rglob("*") if path.suffix in (".html", ".svg")]
    script = f"""
    const found = [];
    for (const path of {json.dumps(paths)}) {{
      const made = await frame("/" + path, 900), root = made.contentDocument.documentElement;
      await new Promise(next => setTimeout(next, 100));
      const own = [...root.querySelectorAll("script")].filter(one => /^alert/.test(one.textContent));
      if (root.dataset.owned || own.length || root.querySelector("img[src=x]")) found.push(path);
      if (!root.textContent.includes("owned")) found.push("nothing in " + path);
      made.remove();
    }}
    return found;"""
    assert len(paths) > 15
    shows_no_name = {"nothing in Profile.html", "nothing in report/index.html"}
    assert set(result_of(pages, script, tmp_path_factory.mktemp("profile"), 250)) <= shows_no_name
