"""What irops says of each of many hostile ONNX files: its exit code, the code of the finding, the part of the
model and its bytes.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from entry_points import call
from hostile_onnx import CUTS, DAMAGED, EDITS, EXTERNAL, NOT_UTF8, Hostile, furnish, hostile_files
from libraries import Late, needs

import irops
from irops.dialects.onnx.read import LAST_IR_VERSION

pytestmark = needs("onnx")
onnx = Late("onnx")
_STEP = re.compile(r"([a-z_]+)(?:\[(?:(\d+)|\"(.*?)\")\])?")
MEMORY, SECONDS = 3 << 30, 240
"""What all files together may take, the libraries included."""


@pytest.fixture(scope="module")
def files() -> dict[str, Hostile]:
    return dict(hostile_files())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inner = tmp_path / "models"
    inner.mkdir()
    furnish(inner)
    return inner


def part(message: Any, element: str) -> Any:
    """The innermost message on a way."""
    for name, number, key in _STEP.findall(element):
        field = message.DESCRIPTOR.fields_by_name.get(name)
        if field is None or field.message_type is None:
            return message
        found = getattr(message, name)
        if field.is_repeated:
            named = [one for one in found if not number and one.name == key]
            found = found[int(number)] if number else named[-1]
        message = found
    return message


def content(record: bytes) -> bytes:
    """What a record of a message holds, without its number and its size."""
    at = 0
    for _ in range(2):
        while record[at] > 127:
            at += 1
        at += 1
    return record[at:]


NAMES = (
    *EDITS,
    *(f"cut_at_{size}" for size in CUTS),
    *("cut_before_the_graph", "cut_before_the_imports", "cut_in_the_first_number"),
    *(*DAMAGED, *NOT_UTF8, "nested_in_75"),
    *(f"external_{name}" for name in EXTERNAL),
)


def test_the_battery_is_large(files: dict[str, Hostile]) -> None:
    assert tuple(files) == NAMES
    assert len(NAMES) >= 150


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_file_has_its_finding(name: str, files: dict[str, Hostile], folder: Path) -> None:
    hostile, path = files[name], folder / "m.onnx"
    path.write_bytes(hostile.content)
    status, printed, errors = call("check", path, "--output-format", "json")
    assert (status, errors) == (int(hostile.finding.startswith("error")), ""), (printed, errors)
    assert isinstance(json.loads(printed), (list, dict))
    report = irops.check(path)
    found = {f"{d.severity} {d.code} {d.location.element or ''}".strip(): d.location.bytes for d in report}
    assert (hostile.finding in found) if hostile.finding else report.ok, found
    span = found.get(hostile.finding)
    if hostile.bytes is not None:
        assert span == hostile.bytes
    elif span is not None and "IR902" not in hostile.finding and ".ir_version" not in hostile.finding:
        element = hostile.finding.split(" ", 2)[2]
        wanted = part(onnx.ModelProto.FromString(hostile.content), element)
        if wanted.DESCRIPTOR.name != "ModelProto" and name != "attr_dup":
            kind = type(wanted)
            assert kind.FromString(content(hostile.content[slice(*span)])) == wanted


def test_reading_a_pipe_does_not_wait(folder: Path) -> None:
    assert [d.code for d in irops.check(folder / "pipe")] != []


@pytest.mark.slow
def test_all_files_together_take_bounded_memory_and_time(folder: Path) -> None:
    for name, hostile in hostile_files():
        (folder / f"{name}.onnx").write_bytes(hostile.content)
    program = (
        "import glob, sys, irops\n"
        "for path in sorted(glob.glob(sys.argv[1] + '/*.onnx')):\n"
        "    for command in (irops.check, irops.infer):\n"
        "        try:\n            command(path)\n"
        "        except irops.DiagnosticError:\n            pass\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_newest_version_of_the_format_is_that_of_the_library() -> None:
    assert onnx.IR_VERSION <= LAST_IR_VERSION


def test_nodes_of_a_function_may_have_one_name_and_those_of_a_graph_may_not(tmp_path: Path) -> None:
    helper, path = onnx.helper, tmp_path / "m.onnx"
    inner = [helper.make_node("Relu", [a], [b], name="same") for a, b in (("a", "t"), ("t", "b"))]
    function = helper.make_function("d", "F", ["a"], ["b"], inner, [helper.make_opsetid("", 18)])
    ends = [helper.make_tensor_value_info(name, 1, [2]) for name in "xy"]
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("d", 1)]
    for nodes, codes in (
        ([helper.make_node("F", ["x"], ["y"], domain="d")], []),
        ([helper.make_node("Relu", [a], [b], name="same") for a, b in (("x", "t"), ("t", "y"))], ["IR915"]),
    ):
        graph = helper.make_graph(nodes, "g", ends[:1], ends[1:])
        model = helper.make_model(graph, opset_imports=imports, functions=[function])
        path.write_bytes(model.SerializeToString())
        assert [d.code for d in irops.check(path)] == codes


def test_a_sound_model_has_no_finding(tmp_path: Path) -> None:
    from hostile_onnx import sound

    path = tmp_path / "m.onnx"
    path.write_bytes(sound().SerializeToString())
    assert len(irops.check(path).diagnostics) == 0
