"""Select moves elements of every type."""

import numpy as np
import pytest

import irops
from irops.values.element import element_types


@pytest.mark.parametrize("kind", [t for t in element_types() if t.name != "dynamic"], ids=str)
def test_elements_of_every_type_are_moved(kind):
    pair = {"string": ("a", "b"), "f8e8m0": (1, 2)}.get(kind.name, (1, 0))
    this, that = (np.array([item], kind.dtype) for item in pair)
    chosen = irops.call("Select-1", np.array([True, False]), this, that)
    assert chosen.dtype == kind.dtype
    assert (chosen == np.concatenate([this, that])).all()
