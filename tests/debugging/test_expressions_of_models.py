"""Every expression that irops.why gives for a size is, for random sizes of its sources, what inference gives.

IROPS_CORPUS names a folder of corpora; the networks in its folder arch, if there is one, are tried too.
"""

import os
from pathlib import Path

import pytest
from size_expressions import check_model

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*/model.xml"))
NETWORKS = sorted(Path(os.environ.get("IROPS_CORPUS", "/nonexistent")).glob("arch/*/model.xml"))[::4]


@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.parent.name not in ("broken", "my_reverse")]
)
def test_expressions_of_the_examples_are_what_inference_gives(path):
    counts, wrong = check_model(path, seed=1)
    assert not wrong
    assert counts["comparisons"] >= counts["sizes"] > 0


@pytest.mark.slow("corpora")
@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.parent.name)
def test_expressions_of_networks_are_what_inference_gives(path):
    counts, wrong = check_model(path, seed=1)
    assert not wrong
    assert counts["comparisons"] > 0
