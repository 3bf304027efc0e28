"""The diagnostic of the error that a call raises."""

from collections.abc import Callable
from typing import Any

import pytest

import irops
from irops.diagnostics.diagnostic import Diagnostic


def diagnostic_of(call: Callable[..., object], *arguments: Any, **options: Any) -> Diagnostic:
    """The only diagnostic of the EvaluationError that a call raises."""
    with pytest.raises(irops.EvaluationError) as caught:
        call(*arguments, **options)
    (found,) = caught.value.diagnostics
    return found
