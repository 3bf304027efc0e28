"""The pytest plug-in: fixtures for the assertions, and conformance cases of backends as tests.

irops itself is imported when a fixture or an option needs it.
"""

from collections.abc import Callable
from typing import Any

import pytest

OPTIONS = {
    "backend": ("NAME", "test this backend against the definitions of ops; repeatable"),
    "op": ("OP", "an op such as Reverse-1; repeatable; default: all ops that the backend implements"),
    "examples": ("N", "number of generated cases per op, which need irops[conformance]; default: 100"),
    "definitions": ("FOLDER", "a folder with the definitions and modules of custom ops; repeatable"),
    "module": ("NAME", "a Python module with the functions of custom ops; repeatable"),
}
"""By the end of its name, what an option takes and its help; all but one may be given again and again."""


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("irops", "irops: conformance of kernels")
    for name, (metavar, text) in OPTIONS.items():
        more = {"type": _count, "default": 100} if name == "examples" else {"action": "append", "default": []}
        group.addoption(f"--irops-{name}", metavar=metavar, help=text, **more)


def pytest_configure(config: pytest.Config) -> None:
    backends = config.getoption("irops_backend")
    if not backends:
        if config.getoption("irops_op"):
            raise pytest.UsageError("--irops-op needs --irops-backend NAME")
        return
    from irops.testing.conformance_tests import ConformanceTests

    tests = ConformanceTests(
        tuple(backends),
        tuple(config.getoption("irops_op")),
        config.getoption("irops_examples"),
        tuple(config.getoption("irops_definitions")),
        tuple(config.getoption("irops_module")),
    )
    config.pluginmanager.register(tests, "irops-conformance")


@pytest.fixture(scope="session")
def irops_check() -> Callable[..., Any]:
    """irops.testing.irops_check: asserts that irops finds no error in a model."""
    from irops.testing.assertions import irops_check

    return irops_check


@pytest.fixture(scope="session")
def assert_same() -> Callable[..., Any]:
    """irops.testing.assert_same: asserts that a model computes the expected results."""
    from irops.testing.assertions import assert_same

    return assert_same


def _count(text: str) -> int:
    count = int(text)
    if count < 0:
        raise ValueError(text)
    return count
