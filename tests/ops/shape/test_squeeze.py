"""Axes of Squeeze and Unsqueeze that are no axes."""

import numpy as np
import pytest

import irops


@pytest.mark.parametrize("number", [np.nan, np.inf, 2.0**70, -(2.0**70)])
@pytest.mark.parametrize("op_id", ["Squeeze-1", "Unsqueeze-1"])
def test_what_is_no_axis_is_refused(op_id, number):
    with pytest.raises(irops.EvaluationError, match="requires: every element of axes lies in"):
        irops.call(op_id, np.ones((1, 2), np.float32), np.array([number], np.float32))
