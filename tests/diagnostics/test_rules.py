"""Every rule has a file that breaks it, IR202.xml for IR202, and says so on the line where the finding is:

    <edge from-layer="1" from-port="1" to-layer="7" to-port="0"/>  <!-- expect: IR202 at 0:5 -->

The two numbers are how many rows below the comment the finding lies (negative: above; for texts that end too
soon, or lines that can hold no comment), and its column. All that is found must be expected, and all that is
expected must be found. Only that irops lacks the definition of an op (IR304) may come on top. A file may have
weights beside it, IR502.bin.
"""

import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from tables import table

from irops.analysis.checks.run import check
from irops.analysis.model_analysis import infer
from irops.diagnostics.diagnostic import Diagnostic, DiagnosticError
from irops.diagnostics.rules import FOLDER, all_rules, own_rules, rule
from irops.ir.read import read

FILES = sorted(FOLDER.glob("IR*.xml"))
EXPECTATION = re.compile(r"<!-- expect: (\w+) at (-?\d+):(\d+) -->")
SHOWN_BY_FILES = tuple(r for r in all_rules() if "IR0" <= r.code < "IR6")


def expectations(path: Path) -> Counter[tuple[str, int, int]]:
    found: Counter[tuple[str, int, int]] = Counter()
    for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), 1):
        for code, rows, column in EXPECTATION.findall(line):
            found[code, number + int(rows), int(column)] += 1
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_has_the_findings_that_it_announces(path: Path) -> None:
    expected = expectations(path)
    assert path.stem in {code for code, _, _ in expected}, "the file does not expect its own rule"
    reported = [d for d in check(path) if d.code != "IR304" or path.stem == "IR304"]
    found = Counter((d.code, d.location.line, d.location.column) for d in reported)
    assert found == expected, "\n".join(map(str, reported))


def _written(content: bytes, name: str = "model.xml", size: int | None = None) -> Callable[[Path], Path]:
    """Writes a file; size: to which it is extended."""

    def write(folder: Path) -> Path:
        (folder / name).write_bytes(content)
        os.truncate(folder / name, size or len(content))
        return folder / name

    return write


LAYER = b'<layer id="0" name="x" type="Parameter" version="opset1"><output><port id="0" precision="FP32">%s'
MANY_DIMS = LAYER % (b"<dim>1</dim>" * 40_000) + b"</port></output></layer>"
MANY_ATTRIBUTES = b" ".join(b'a%d=""' % k for k in range(1000))
WITHOUT_A_FILE = {
    "IR001": lambda folder: folder / "absent.xml",  # no file is the point of it
    "IR002": lambda folder: folder,
    "IR003": lambda folder: folder / ("x" * 300),  # what cannot be opened cannot be in a repository
    "IR004": _written(b""),
    "IR005": _written(bytes(range(32))),  # no text, no comment
    "IR006": _written(bytes(64), "model.bin"),  # weights hold no comment
    "IR007": _written(b"\x08\x0a\x12\x07pytorch"),  # an ONNX model holds no comment
    "IR018": _written(b"<net/>", size=(256 << 20) + 1),  # files of that length help no reader
    "IR118": _written(b'<net version="11"><layers>%s</layers></net>' % MANY_DIMS),
    "IR121": _written(b'<net version="11" %s/>' % MANY_ATTRIBUTES),
}
"""Rules that no file in a repository can show, or none that helps a reader."""


@pytest.mark.parametrize("code", WITHOUT_A_FILE)
def test_what_no_xml_can_show_is_found(code: str, tmp_path: Path) -> None:
    assert [d.code for d in check(WITHOUT_A_FILE[code](tmp_path))] == [code]


def test_an_impossible_input_shape_is_refused_where_it_is_given() -> None:
    assert _refusal({"x": "2,-7"}).code == "IR407"


def _refusal(shapes: dict[str, str]) -> Diagnostic:
    with pytest.raises(DiagnosticError) as error:
        infer(read(FOLDER / "IR208.xml"), inputs=shapes)
    return error.value.diagnostics[0]


ELSEWHERE = table(__file__, "elsewhere")


def test_every_rule_about_a_file_is_shown() -> None:
    shown = {path.stem for path in FILES} | WITHOUT_A_FILE.keys() | ELSEWHERE.keys()
    assert [f"{r.code} {r.name}" for r in SHOWN_BY_FILES if r.code not in shown] == []


def test_every_file_shows_a_rule_that_there_is() -> None:
    assert {path.stem for path in FILES} <= {r.code for r in SHOWN_BY_FILES}


@pytest.mark.parametrize("code", [r.code for r in all_rules()])
def test_a_rule_is_explained(code: str) -> None:
    found = rule(code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", found.name)
    assert found.summary[0].islower() or found.summary[0] in "<I"
    assert not found.summary.endswith(".")
    assert len(found.explanation.split()) >= 8
    assert found.explanation.rstrip().endswith((".", '"', ")"))


def test_every_rule_is_named_by_the_module_that_reports_it() -> None:
    modules = (FOLDER.parent.parent).rglob("*.py")
    code = "\n".join(path.read_text("utf-8") for path in modules)
    assert [r.name for r in own_rules() if f'"{r.name}"' not in code] == []
