"""The pages state which op types of ONNX irops defines; `python tests/house/test_onnx_coverage.py` updates
them.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from irops.dialects import dialect_named
from irops.document.coverage import coverage

ROOT = Path(__file__).resolve().parents[2]
TABLE = re.compile(r"(<!-- coverage[^\n]*-->\n).*?(<!-- end of coverage -->)", re.DOTALL)
SENTENCE = re.compile(r"\d+ of ONNX's \d+ op types")


def updated(page: str) -> str:
    """The text of a page with today's numbers and table."""
    found = coverage(dialect_named("onnx"))
    assert found is not None
    text = (ROOT / page).read_text("utf-8")
    rows = "".join(f"| {name} | {opsets} |\n" for name, opsets in found.defined.items())
    table = f"irops defines {found}:\n\n| op type | opsets |\n|---|---|\n{rows}"
    others = f"It does not define {', '.join(found.undefined)}."
    text = TABLE.sub(lambda match: f"{match[1]}\n{table}\n{others}\n\n{match[2]}", text)
    return SENTENCE.sub(str(found), text)


@pytest.mark.parametrize("page", ["README.md", "docs/onnx.md"])
def test_the_pages_state_what_is_covered(page):
    text = (ROOT / page).read_text("utf-8")
    assert SENTENCE.search(text)
    assert updated(page) == text, "run python tests/house/test_onnx_coverage.py"


@pytest.mark.slow("lists all ops of onnx")
def test_the_command_states_what_is_covered():
    command = [sys.executable, "-m", "irops", "ops", "--dialect", "onnx"]
    done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    found = coverage(dialect_named("onnx"))
    assert done.stdout.endswith(f"; {found}; --undefined lists the others\n")


def test_a_covered_type_is_one_that_a_model_can_use():
    onnx = dialect_named("onnx")
    found = coverage(onnx)
    for name, opsets in found.defined.items():
        first, last = map(int, opsets.split(" to "))
        for opset in (first, last):
            assert onnx.named(name, opset) is not None
    assert not set(found.defined) & set(found.undefined)
    assert "Conv" in found.undefined or "Conv" in found.defined


def test_dialects_without_a_list_have_no_coverage():
    assert coverage(dialect_named("graiphic")) is None
    openvino = coverage(dialect_named("openvino"))
    assert openvino is not None
    assert openvino.undefined == ()


if __name__ == "__main__":
    for name in ("README.md", "docs/onnx.md"):
        (ROOT / name).write_text(updated(name), "utf-8")
