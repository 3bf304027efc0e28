"""Compare OpenVINO with the reference over many networks: whoever is called wrong must be wrong. In hours.

    python tests/debugging/long_openvino.py CORPUS --b openvino:CPU,INFERENCE_PRECISION_HINT=f32

CORPUS: see long_planted.py. Every network is one line of JSON with the layers that are called wrong; networks
that the report has already are left out, so that a run can be resumed.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from long_planted import networks, opened

import irops


def compared(folder, b, mode):
    """What a comparison of one network finds."""
    start = time.monotonic()
    try:
        found = irops.compare(*opened(folder), b=b, mode=mode)
    except irops.DiagnosticError as error:
        return {"network": folder.name, "error": str(error)[:300]}
    return {
        "network": folder.name,
        "seconds": round(time.monotonic() - start, 1),
        "counts": {str(verdict): count for verdict, count in found.counts.items()},
        "alarms": [
            {"layer": layer.name, "op": layer.op, "verdict": str(layer.verdict), "reason": layer.reason,
             "inputs": list(layer.inputs)}
            for layer in found.layers
            if layer.is_fault
        ],
        "skipped": sorted({layer.reason for layer in found.layers if str(layer.verdict) == "skipped"}),
    }  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--b", default="openvino")
    parser.add_argument("--mode", default="isolated")
    parser.add_argument("--report", default="alarms.jsonl")
    args = parser.parse_args()
    report = Path(args.report)
    done = (
        {json.loads(line)["network"] for line in report.read_text().splitlines()}
        if report.exists()
        else set()
    )
    for folder in networks(args.corpus):
        if folder.name not in done:
            row = compared(folder, args.b, args.mode)
            with report.open("a", encoding="utf-8") as file:
                print(json.dumps(row), file=file)


if __name__ == "__main__":
    main()
