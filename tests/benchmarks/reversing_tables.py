"""What was measured, as tables: for a terminal, and in Markdown for docs/performance.md."""

from collections.abc import Iterable, Sequence
from math import exp, log
from typing import Any

from reversing_cases import LENGTHS, layout, row_bytes

Run = dict[str, Any]
Found = dict[str, Any]
NAMES = ("numba", "reference", "onnxruntime", "openvino", "flip")
SHOWN = {
    "numba": "numba",
    "reference": "reference",
    "onnxruntime": "ONNX Runtime",
    "openvino": "OpenVINO",
    "flip": "np.flip",
}


def times_as_fast(found: Iterable[Found], name: str, other: str) -> list[float]:
    """How many times as fast as another each case was, where both took part."""
    return [
        case["seconds"][other] / case["seconds"][name]
        for case in found
        if {name, other} <= set(case["seconds"])
    ]


def mean(ratios: Sequence[float]) -> float:
    """The geometric one."""
    return exp(sum(map(log, ratios)) / len(ratios)) if ratios else float("nan")


def table(run: Run) -> str:
    """Ratios to memcpy, a line per case."""
    lines = [f"{'':48}{'memcpy':>10}" + "".join(f"{name:>14}" for name in NAMES)]
    for case in run["cases"]:
        cells = "".join(
            f"{_ratio(case, name) + ('!' if name in case['wrong'] else ' '):>14}" for name in NAMES
        )
        title = f"{case['op']} {layout(case)} {case['type']} {case['lengths']}"
        lines.append(f"{title:48}{case['seconds']['memcpy'] * 1e6:7.0f} µs{cells}")
    return "\n".join(lines)


def _ratio(case: Found, name: str) -> str:
    return said(case["seconds"]["memcpy"] / case["seconds"][name]) if name in case["seconds"] else ""


def said(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"


def aims(run: Run) -> str:
    """What was aimed at, and what was reached."""
    sequences, images = (
        [case for case in run["cases"] if case["op"] == op] for op in ("ReverseSequence", "Reverse")
    )
    wide = [case for case in sequences if row_bytes(case) >= 1000]
    beaten = {peer: times_as_fast(run["cases"], "numba", peer) for peer in ("onnxruntime", "openvino")}
    inner = [case for case in images if len(case["shape"]) - 1 in case["axes"]]
    outer = [case for case in images if case not in inner]

    def means(op: Sequence[Found], name: str, other: str) -> str:
        return f"{mean(times_as_fast(op, name, other)):.2f}"

    def least(op: Sequence[Found], name: str, other: str) -> str:
        return f"{min(times_as_fast(op, name, other)):.2f}"

    rows = [
        (
            "cases in which numba is faster than ONNX Runtime",
            "all",
            f"{sum(r > 1 for r in beaten['onnxruntime'])} of {len(beaten['onnxruntime'])}",
        ),
        (
            "cases in which numba is faster than OpenVINO",
            "all",
            f"{sum(r > 1 for r in beaten['openvino'])} of {len(beaten['openvino'])}",
        ),
        ("ReverseSequence, numba to ONNX Runtime, mean", "4", means(sequences, "numba", "onnxruntime")),
        ("ReverseSequence, numba to OpenVINO, mean", "6", means(sequences, "numba", "openvino")),
        ("ReverseSequence, numba to memcpy, mean", "0.6", means(sequences, "numba", "memcpy")),
        ("where 1 kB or more stay together, numba to memcpy, least", "0.9", least(wide, "numba", "memcpy")),
        ("Reverse of outer axes, numba to memcpy, least", "0.8", least(outer, "numba", "memcpy")),
        ("Reverse of the innermost axis too, numba to memcpy, least", "0.5", least(inner, "numba", "memcpy")),
    ]
    return markdown(("how many times as fast", "aim", "reached"), rows)


def layouts(run: Run) -> str:
    """A line per layout and element type: numba for each kind of lengths, the others in the geometric mean
    over them; to memcpy.
    """
    rows = []
    peers = [name for name in NAMES if name not in ("numba", "flip")]
    for group in _groups(case for case in run["cases"] if case["op"] == "ReverseSequence"):
        by_kind = {case["lengths"]: case for case in group}
        cells = [_ratio(by_kind[kind], "numba") if kind in by_kind else "" for kind in LENGTHS]
        wrong = {name for case in group for name in case["wrong"]}
        rest = [
            f"{said(mean(times_as_fast(group, name, 'memcpy')))}{' ✗' if name in wrong else ''}"
            for name in peers
        ]
        rows.append((layout(group[0]), group[0]["type"], f"{_least(group):.0f} µs", *cells, *rest))
    kinds = [f"numba, {kind}" for kind in LENGTHS]
    return markdown(("ReverseSequence", "type", "memcpy", *kinds, *(SHOWN[name] for name in peers)), rows)


def images(run: Run) -> str:
    """A line per choice of axes of Reverse; to memcpy."""
    found = [case for case in run["cases"] if case["op"] == "Reverse"]
    rows = [
        (layout(case), f"{case['seconds']['memcpy'] * 1e6:.0f} µs", *(_ratio(case, name) for name in NAMES))
        for case in found
    ]
    return markdown(("Reverse, f32", "memcpy", *(SHOWN[name] for name in NAMES)), rows)


def _groups(found: Iterable[Found]) -> list[list[Found]]:
    groups: dict[tuple[str, str], list[Found]] = {}
    for case in found:
        groups.setdefault((layout(case), case["type"]), []).append(case)
    return list(groups.values())


def _least(group: Sequence[Found]) -> float:
    return min(float(case["seconds"]["memcpy"]) for case in group) * 1e6


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table: all columns but the first are numbers."""
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])
