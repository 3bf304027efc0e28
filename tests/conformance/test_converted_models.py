"""A sample of converted models, read and run by the releases that they are converted for.

IROPS_RELEASES names a folder of releases, as tests/support/releases/survey.py describes it; IROPS_CORPUS one
of corpora, of which that of single ops is used.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from releases.asking import installed_releases
from releases.converting import Case, outcomes

RELEASES = os.environ.get("IROPS_RELEASES")
CORPUS = os.environ.get("IROPS_CORPUS")
INSTALLED = installed_releases(Path(RELEASES)) if RELEASES else {}
SAMPLE = (
    "AvgPool-16-*",
    "BitwiseXor-13-boolean-*",
    "GroupNormalization-12-*",
    "Pad-12-*",
    "SliceScatter-15-*",
)

pytestmark = pytest.mark.skipif(
    not RELEASES or not CORPUS, reason="IROPS_RELEASES or IROPS_CORPUS names no folder"
)


def sample() -> list[Case]:
    """Models of the corpus of single ops whose inputs have a known rank."""
    folders = [folder for name in SAMPLE for folder in sorted(Path(str(CORPUS)).glob(f"*/{name}"))]
    return [Case("single-op", one) for one in folders if not one.name.endswith("-rank")][:24]


@pytest.mark.slow("other releases of OpenVINO")
@pytest.mark.parametrize("target", ["2023.0", "2024.0", "2025.0"])
def test_a_release_reads_and_runs_what_is_converted_for_it(target: str) -> None:
    if target not in INSTALLED:
        pytest.skip(f"OpenVINO {target} is not installed in {RELEASES}")
    chosen = sample()
    assert chosen
    results = list(outcomes(chosen, target, INSTALLED[target]))
    assert len(results) == len(chosen)
    wrong = [one for one in results if one.changed and one.verdict in ("unlike", "unrun", "unread")]
    assert [one for one in wrong if "Cannot get length of dynamic" not in one.why] == []
