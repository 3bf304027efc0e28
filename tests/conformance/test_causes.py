"""Notes of definitions that speak of a runtime: each is a cause on a condition, or never one. OpenVINO's CPU
plug-in differs as the causes say.
"""

import re
import tomllib
from pathlib import Path

import pytest
from compiling.processor import instructions
from libraries import needs
from lxml import etree
from probes import Probe

import irops
from irops.spec.condition import NEVER
from irops.spec.releases import schemas_folder

TABLE = tomllib.loads(Path(__file__).with_name("causes.toml").read_text())
RUNTIME = re.compile(
    r"plug-?ins?\b|\bCPU\b|oneDNN|constant folding|\bfold(s|ed)\b|reference kernel|\bkernels? of OpenVINO"
    r"|OpenVINO('s)? kernels?\b|\b(its|no) kernels?\b|\bdevices\b",
    re.IGNORECASE,
)
"""What speaks of what a runtime computes, wherever in a note."""
REASON = re.compile(r"(undefined|random|elsewhere): .+")
CPU = "openvino:CPU,INFERENCE_PRECISION_HINT=f32"
CASES = {
    (op, subject, part): text
    for header, parts in TABLE.items()
    for *ops, subject in [header.split()]
    for op in ops
    for part, text in parts.items()
}


def notes():
    """The op, the element and the text in one line of each note."""
    for path in sorted(schemas_folder().rglob("*.xml")):
        root = etree.parse(path).getroot()
        name = ":".join(filter(None, (root.get("dialect"), path.stem)))
        for note in root.iter("note"):
            yield name, note, " ".join(note.text.split())


def test_every_note_on_a_runtime_says_when_it_is_a_cause():
    lacking = [(op, text) for op, note, text in notes() if RUNTIME.search(text) and not note.get("cause")]
    assert lacking == []


def test_every_cause_is_in_the_table():
    causes = [
        (op, note.get("of", "-"), text) for op, note, text in notes() if note.get("cause", NEVER) != NEVER
    ]
    pairs = [(case, note) for case in CASES for note in causes if case[:2] == note[:2] and case[2] in note[2]]
    assert [case for case, _ in pairs] == [*CASES]
    assert {note for _, note in pairs} == {*causes}


@needs("openvino")
@pytest.mark.slow("OpenVINO computes a layer for each cause")
@pytest.mark.parametrize("case", [case for case, text in CASES.items() if not REASON.fullmatch(text)])
def test_the_plugin_differs_and_the_report_says_why(case, tmp_path):
    op, _, part = case
    needed, colon, question = CASES[case].rpartition(": | ")
    if colon and needed not in instructions():
        pytest.skip(f"this processor has no {needed}")
    probe = Probe.parse(op, f"{'| ' if colon else ''}{question} -> reads")
    text, weights = probe.model()
    (tmp_path / "m.xml").write_text(text)
    (tmp_path / "m.bin").write_bytes(weights)
    found = irops.compare(tmp_path / "m.xml", probe.given, b=CPU)
    assert part in found.first.cause
    assert str(found).count(found.first.cause) == 1
