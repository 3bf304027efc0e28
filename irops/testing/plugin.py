"""The pytest plug-in: fixtures for the assertions, and conformance cases of backends as tests.

irops itself is imported when a fixture or an option needs it.
"""

from collections.abc import Callable
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("irops", "irops: conformance of kernels")
    group.addoption(
        "--irops-backend",
        metavar="NAME",
        action="append",
        default=[],
        help="test this backend against the definitions of ops; repeatable",
    )
    group.addoption(
        "--irops-op",
        metavar="OP",
        action="append",
        default=[],
        help="an op such as Reverse-1; repeatable; default: all ops that the backend implements",
    )
    group.addoption(
        "--irops-examples",
        metavar="N",
        type=_count,
        default=100,
        help="number of generated cases per op, which need irops[conformance]; default: 100",
    )
    group.addoption(
        "--irops-definitions",
        metavar="FOLDER",
        action="append",
        default=[],
        help="a folder with the definitions and modules of custom ops; repeatable",
    )
    group.addoption(
        "--irops-module",
        metavar="NAME",
        action="append",
        default=[],
        help="a Python module with the functions of custom ops; repeatable",
    )


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
