"""The figures of docs/performance.md: python tests/benchmarks/page.py [--measure [PROGRAM ...]].

Fills in what is between markers in the page, from the JSON beside this file.
--measure takes new times first, of all or of some; all of it takes some 20 minutes on a machine that
does nothing else.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from operating import FLOOR
from reversing_tables import aims, images, layouts, markdown

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "performance.md"
PROGRAMS = ("reversing", "reading", "starting", "evaluating", "operating")
EVALUATING = ("onnx.reference", "OpenVINO", "ONNX Runtime")
"""The peers of evaluating.py."""
OPERATING = {"openvino": "OpenVINO", "onnxruntime": "ONNX Runtime"}
"""The peers of operating.py."""
LONGEST = 1200
"""Seconds after which a program has surely got stuck."""


def stored(name: str) -> Path:
    return HERE / f"{name}.json"


def measure(name: str) -> None:
    """Take the times of a program, in a process of its own, and keep them."""
    command = [sys.executable, str(HERE / f"{name}.py"), "--json", str(stored(name))]
    subprocess.run(command, check=True, timeout=LONGEST)


def sections(runs: Mapping[str, Any]) -> dict[str, str]:
    """What is between markers, by their names."""
    run = runs["reversing"]
    return {
        "machine": machine(run["machine"]),
        "aims": aims(run),
        "layouts": layouts(run),
        "images": images(run),
        "reading": reading(runs["reading"]),
        "starting": starting(runs["starting"]),
        "evaluating": evaluating(runs["evaluating"]),
        "operating": operating(runs["operating"]),
    }


def machine(measured: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {measured[name]}" for name in ("numpy", "numba", "onnxruntime", "openvino"))
    return (
        f"{measured['processor']}, {measured['cores']} cores, {measured['load']} processes running when it"
        f" began; Python {measured['python']}, {versions}."
    )


def reading(measured: Mapping[str, Mapping[str, float]]) -> str:
    rows = [
        (
            model,
            what,
            f"{figures[ours]:.2f} {unit}",
            f"{figures[theirs]:.2f} {unit}",
            f"{figures[ours] / figures[theirs]:.2f}",
        )
        for model, figures in measured.items()
        for what, ours, theirs, unit in (
            ("`irops.read`", "irops.read", "read_model", "s"),
            ("`irops.infer`", "irops.infer", "read_model", "s"),
            ("`irops.check`", "irops.check", "read_model", "s"),
            ("`irops check`, whole process", "process irops check", "process openvino", "s"),
            ("its memory at most", "memory irops check", "memory openvino", "MB"),
        )
    ]
    return markdown(("model", "what", "irops", "OpenVINO `read_model`", "irops to OpenVINO"), rows)


def starting(measured: Mapping[str, float]) -> str:
    rows = [(f"`irops {command}`", f"{ratio:.1f}") for command, ratio in measured.items()]
    return markdown(("command", "times `python -c pass`"), rows)


def operating(measured: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [
        (
            name,
            f"{row['seconds']['irops'] * 1e3:.2f} ms",
            *(ratio_to(row["seconds"], peer) for peer in OPERATING),
        )
        for name, row in measured.items()
    ]
    return markdown(("op", "irops", *(f"irops to {name}" for name in OPERATING.values())), rows)


def ratio_to(seconds: Mapping[str, float], peer: str) -> str:
    """How many times as long irops takes; empty for a peer that has no form of the op."""
    return f"{seconds['irops'] / max(seconds[peer], FLOOR):.1f}" if peer in seconds else ""


def evaluating(measured: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    rows = [
        (
            f"{name}, {what}",
            f"{row['irops'][what] * 1e3:.1f} ms",
            *(f"{row['irops'][what] / row[peer][what]:.2f}" if peer in row else "" for peer in EVALUATING),
        )
        for name, row in measured.items()
        for what in ("warm", "cold")
    ]
    return markdown(("network", "irops", *(f"irops to {peer}" for peer in EVALUATING)), rows)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--measure", nargs="*", choices=PROGRAMS, help="take new times, of all where none is named"
    )
    args = parser.parse_args()
    if args.measure is not None:
        for name in args.measure or PROGRAMS:
            measure(name)
    runs = {name: json.loads(stored(name).read_text()) for name in PROGRAMS}
    text = PAGE.read_text()
    for name, body in sections(runs).items():
        text, found = re.subn(
            rf"(<!-- {name} -->\n).*?(<!-- end -->)",
            lambda m, body=body: f"{m[1]}{body}\n{m[2]}",
            text,
            flags=re.DOTALL,
        )
        if not found:
            raise SystemExit(f"{PAGE.name} has no place for {name}")
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
