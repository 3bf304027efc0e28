"""Collecting the tests loads no library that only some of them need."""

from pathlib import Path

import pytest
from commands import python_process

pytestmark = pytest.mark.slow("collects all tests")

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "openvino", "onnx", "onnxruntime", "numba", "jinja2", "matplotlib")
COLLECT = """
import sys
import pytest


class Report:
    def pytest_collection_finish(self, session):
        print("loaded:", *sorted(set({heavy}) & set(sys.modules)))
        print("collected:", len(session.items) > 1000)


sys.exit(pytest.main(["--collect-only", "-qq", "-n0", "-p", "no:cacheprovider", "tests"], plugins=[Report()]))
"""


def test_collecting_all_tests_loads_no_heavy_library():
    done = python_process("-c", COLLECT.format(heavy=HEAVY), cwd=ROOT)
    lines = [line for line in done.stdout.splitlines() if line.startswith(("loaded:", "collected:"))]
    assert lines == ["loaded:", "collected: True"], done.stdout[-2000:]
