"""Whatever is done to a file, irops keeps its promises: it answers, and what it calls clean is.

A few thousand files, the same ones in every run; long_run.py damages others for a given time.
"""

from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from mutations import CHANGES, MEANT, TEXT_CHANGES, TREE_CHANGES, WEIGHTS_CHANGES, Change, Stock, changed
from promises import hold_promises
from seeds import own_seeds

pytestmark = pytest.mark.slow("fuzzing")

FOUND = Path(__file__).parent / "found"
NUMBERS = st.integers(0, 2**32 - 1)


@cache
def seeds():
    own = own_seeds()
    return tuple(own), Stock(own)


def changes_of(kinds):
    return st.lists(
        st.builds(Change, st.sampled_from(sorted(kinds)), NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=4
    )


@pytest.mark.parametrize(
    "kinds",
    [TREE_CHANGES, TEXT_CHANGES, WEIGHTS_CHANGES, MEANT, CHANGES],
    ids=["elements", "text", "weights", "meaning", "all"],
)
def test_a_damaged_file_is_answered(kinds, tmp_path):
    files, stock = seeds()

    @settings(
        max_examples=500,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(NUMBERS, changes_of(kinds))
    def law(number, changes):
        hold_promises(*changed(files[number % len(files)], changes, stock), tmp_path)

    law()


@pytest.mark.parametrize("path", sorted(FOUND.glob("*.xml")), ids=lambda path: path.stem)
def test_what_once_showed_a_fault_shows_it_no_more(path, tmp_path):
    weights = path.with_suffix(".bin")
    hold_promises(path.read_bytes(), weights.read_bytes() if weights.exists() else b"", tmp_path)
