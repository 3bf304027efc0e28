"""Assertions on models for test suites, and the pytest plug-in that offers them as fixtures.

    from irops.testing import assert_same, irops_check

The plug-in is active wherever irops and pytest are installed. The assertions are imported when first used, so
that it costs a test session without them nothing.
"""

from typing import TYPE_CHECKING, Any

__all__ = ["assert_definitions", "assert_same", "irops_check"]

if TYPE_CHECKING:
    from irops.testing.assertions import (
        assert_definitions as assert_definitions,
        assert_same as assert_same,
        irops_check as irops_check,
    )
else:

    def __getattr__(name: str) -> Any:
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from irops.testing import assertions

        return getattr(assertions, name)
