"""Questions to the judge: whether results of one op are right."""

from typing import Any

import numpy as np

from irops.analysis.invocation import Invocation
from irops.dialects.registry import default_registry
from irops.verdicts.question import DECLARED, Arithmetic, Question

LINEAR = {
    "mode": "linear", "shape_calculation_mode": "scales", "coordinate_transformation_mode": "asymmetric",
    "nearest_mode": "floor", "antialias": "false", "pads_begin": "0", "pads_end": "0", "cube_coeff": "-0.75",
}  # fmt: skip
"""Of Interpolate."""


def question(op: str, *inputs: Any, arithmetic: Arithmetic = DECLARED, **attributes: str) -> Question:
    return Question.of(Invocation(default_registry().named(op), attributes), inputs, arithmetic)


def truth_of(asked: Question) -> list[np.ndarray]:
    """What the definition gives."""
    return [np.asarray(array) for array in asked.again(asked.inputs)]
