"""A few random plants in the examples."""

import numpy as np
import pytest
from planting import opened, try_one

import irops

EXAMPLES = {"bidirectional_encoder": 11, "digit_classifier": 5}


@pytest.mark.slow("many planted faults")
@pytest.mark.parametrize("name", EXAMPLES)
def test_isolated_names_the_planted_layer_and_no_other(name, pytestconfig):
    analysis, inputs = opened(pytestconfig.rootpath / "examples" / name)
    random = np.random.default_rng(EXAMPLES[name])
    rows = [row for row in (try_one(analysis, inputs, random) for _ in range(12)) if row is not None]
    assert len(rows) >= 5
    assert [row for row in rows if not all(row.values())] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_no_layer_of_the_reference_is_called_wrong(name, pytestconfig):
    analysis, inputs = opened(pytestconfig.rootpath / "examples" / name)
    for mode in ("isolated", "propagated"):
        assert irops.compare(analysis, inputs, b="reference", mode=mode).first is None
