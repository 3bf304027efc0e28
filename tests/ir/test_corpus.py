"""Every model that OpenVINO wrote is read without a finding and written back byte for byte.

IROPS_CORPUS names a folder of corpora: folders with an index.jsonl, a line {"name": …, "top_layers": …} for
    each model.xml.
"""

import json
import os
from pathlib import Path

import pytest

from irops.ir.read import load
from irops.ir.weights import constant_faults
from irops.ir.write import write

CORPUS = os.environ.get("IROPS_CORPUS")

pytestmark = [
    pytest.mark.slow("corpora"),
    pytest.mark.skipif(not CORPUS, reason="IROPS_CORPUS names no folder of corpora"),
]


def cases():
    for index in sorted(Path(CORPUS or "").glob("*/index.jsonl")):
        for line in index.read_text().splitlines():
            row = json.loads(line)
            yield index.parent / row["name"] / "model.xml", row["top_layers"]


def test_all_models_are_read_and_written_back(tmp_path):
    faults, count = [], 0
    for path, layers in cases():
        count += 1
        model, found = load(path)
        reported = [*found, *constant_faults(model)]
        if reported or len(model.layers) != layers:
            faults.append(
                f"{path}: {len(model.layers)} layers, not {layers}; {[str(d) for d in reported[:2]]}"
            )
            continue
        write(model, tmp_path / "copy.xml")
        for ending in ("xml", "bin"):
            if (tmp_path / f"copy.{ending}").read_bytes() != path.with_suffix(f".{ending}").read_bytes():
                faults.append(f"{path}: its .{ending} is written otherwise")
    assert count > 0
    assert faults == []
