"""The pytest plug-in: fixtures for the assertions. irops itself is imported when a fixture needs it."""

from collections.abc import Callable
from typing import Any

import pytest


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


@pytest.fixture(scope="session")
def assert_definitions() -> Callable[..., Any]:
    """irops.testing.assert_definitions: asserts that the cases of definitions are as they say."""
    from irops.testing.assertions import assert_definitions

    return assert_definitions
