"""The backend that docs/conformance.md shows to be copied."""

import re
from pathlib import Path

import pytest

from irops.conformance.kit import run_conformance
from irops.conformance.verdict import Status

pytestmark = pytest.mark.slow("runs a backend over all cases")

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "conformance.md"


def test_the_backend_of_the_page_conforms():
    code = next(
        block
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
        if "class Mine" in block
    )
    names: dict[str, object] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    report = run_conformance(names["Mine"](), ["ReverseSequence-1"], examples=100, seconds=3600)
    assert report.ok, str(report)
    assert report.ops[0].count(status=Status.PASSED) > 60
    assert set(report.ops[0].declined) == {"only integers as lengths"}
