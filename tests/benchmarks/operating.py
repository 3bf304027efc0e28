"""How long ops take at the sizes of real networks: python tests/benchmarks/operating.py [--only TEXT]
[--json FILE].

A warm irops.Session is timed beside OpenVINO's CPU plug-in and, where the model
can be converted to ONNX, ONNX Runtime, each with one thread. CPU time, the minimum of several rounds, all in
turns. The table has ratios: 1 is as fast as the runtime, 2 takes twice as long. Results are compared with the
plug-in's, and marked (!) where they differ.
"""

import re
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from frame import cpu_seconds, keep, minimum, options_of
from operating_cases import Case, cases

Work = Callable[[], Any]
ROUNDS, SECONDS = 12, 2.0
"""The rounds of a case, and the time after which no further one starts."""
SHORT, REPEATS = 2e-3, 5
"""Work that takes less time, in seconds, is repeated for each timing."""
MAX_DIFFERENT = 1e-3
"""The fraction of elements that may differ."""
FLOOR = 20e-6
"""Times of runtimes below this, in seconds, are mostly those of the call and count as this."""


def seconds_of(work: Work) -> float:
    """The processor time of work; what is short is repeated, and timed once more."""
    took = cpu_seconds(work)
    return cpu_seconds(work, REPEATS) if took < SHORT else took


def plugin(path: Path, arrays: list[Any]) -> Work:
    """The CPU plug-in on one thread: computes, and returns the first result."""
    import openvino as ov

    config = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    request = ov.Core().compile_model(str(path), "CPU", config).create_infer_request()
    return lambda: request.infer(arrays)[0]


def onnxruntime(path: Path, arrays: list[Any]) -> Work | None:
    """ONNX Runtime on one thread; None if it is not installed, or has no form of the model."""
    try:
        import onnxruntime as ort
    except ImportError:
        return None
    import irops

    options = ort.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    try:
        target = path.with_suffix(".onnx")
        irops.write(irops.translate(path, "onnx"), target)
        session = ort.InferenceSession(str(target), options)
    except (irops.DiagnosticError, RuntimeError, ort.capi.onnxruntime_pybind11_state.Fail):
        return None
    inputs = {port.name: array for port, array in zip(session.get_inputs(), arrays)}
    return lambda: session.run(None, inputs)[0]


def measured(case: Case, folder: Path) -> dict[str, Any]:
    """The times of each peer in seconds, and whether the results agree."""
    import irops

    path = folder / "op.xml"
    irops.write(case.model(), path)
    session = irops.Session(path)
    works: dict[str, Work] = {
        "irops": lambda: next(iter(session.run(case.arrays).values())),
        "openvino": plugin(path, case.arrays),
    }
    other = onnxruntime(path, case.arrays)
    if other is not None:
        works["onnxruntime"] = other
    ours, theirs = (np.asarray(works[name](), np.float64) for name in ("irops", "openvino"))
    times = {name: partial(seconds_of, work) for name, work in works.items()}
    return {"seconds": minimum(times, ROUNDS, budget=SECONDS), "agrees": agree(ours, theirs)}


def agree(a: Any, b: Any) -> bool:
    """Whether results agree but for a few elements, which rounding may move to another quantization level."""
    if a.shape != b.shape:
        return False
    close = np.isclose(a, b, rtol=1e-3, atol=1e-3, equal_nan=True)
    return bool(np.count_nonzero(~close) <= MAX_DIFFERENT * a.size)


def line(name: str, row: Mapping[str, Any]) -> str:
    seconds = row["seconds"]
    peers = "".join(
        f"  {peer} {seconds[peer] * 1e3:9.3f} ms {seconds['irops'] / max(seconds[peer], FLOOR):7.1f}x"
        for peer in ("openvino", "onnxruntime")
        if peer in seconds
    )
    return f"{name:42}{'' if row['agrees'] else '(!)':4}{seconds['irops'] * 1e3:9.3f} ms{peers}"


def main() -> int:
    parser = options_of(__doc__)
    parser.add_argument("--only", default="", help="a regular expression on the names of cases")
    args = parser.parse_args()
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    rows: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, case in cases().items():
            if re.search(args.only, name):
                rows[name] = measured(case, Path(folder))
                print(line(name, rows[name]), flush=True)
    keep(rows, args.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
