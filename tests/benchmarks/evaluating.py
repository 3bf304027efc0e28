"""How long a warm irops.Session takes to evaluate networks: python tests/benchmarks/evaluating.py [NAME ...].

The networks of networks.py, at the sizes that people use, beside their peers, each with one thread:
onnx.reference, OpenVINO's CPU plug-in (f32, latency), ONNX Runtime. Warm: CPU time, minimum of several rounds
in turns. Cold: CPU time of loading the file and of the first run, with all libraries imported.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from frame import cpu_seconds, keep, minimum, options_of
from networks import NETWORKS, packed_weights

PACKED = "weights in u4, eight layers"
IROPS, REFERENCE, OPENVINO, RUNTIME = "irops", "onnx.reference", "OpenVINO", "ONNX Runtime"
PEERS = (REFERENCE, OPENVINO, RUNTIME)
ENOUGH = 2.0
"""Seconds from which a second run is not worth its time."""
Load = Callable[[], Callable[[], Any]]
"""Loads a model, and gives what runs it and returns its first result."""


def session_of(path: Path, inputs: list[Any]) -> Callable[[], Any]:
    import irops

    session = irops.Session(path)
    return lambda: session.run(inputs)[0]


def request_of(path: Path, inputs: list[Any]) -> Callable[[], Any]:
    """A model as OpenVINO's CPU plug-in runs it."""
    import openvino as ov

    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "PERFORMANCE_HINT": "LATENCY"}
    request = ov.Core().compile_model(path, "CPU", settings).create_infer_request()
    return lambda: request.infer(inputs)[0]


def runtime_of(source: Path, x: Any) -> Callable[[], Any]:
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(source), options)
    return lambda: session.run(None, {"x": x})[0]


def reference_of(source: Path, x: Any) -> Callable[[], Any]:
    import onnx
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(onnx.load(source))
    return lambda: evaluator.run(None, {"x": x})[0]


def timed(loads: Mapping[str, Load], tolerance: float) -> dict[str, dict[str, float]]:
    """The CPU times of each, cold and warm. AssertionError where their results differ"""
    for load in loads.values():
        load()  # so that every library is imported
    cold, works, results = {}, {}, {}
    for name, load in loads.items():
        start = time.process_time()
        works[name] = load()
        results[name] = np.array(works[name]())
        cold[name] = time.process_time() - start
    for result in results.values():
        np.testing.assert_allclose(results[IROPS], result, rtol=tolerance, atol=tolerance)
    warm = minimum({name: partial(cpu_seconds, work) for name, work in works.items()}, 5, enough=ENOUGH)
    return {name: {"cold": cold[name], "warm": warm[name]} for name in loads}


def made(name: str, folder: Path) -> dict[str, dict[str, float]]:
    """One of the networks of networks.py."""
    import openvino as ov

    path, source = folder / "model.xml", folder / "model.onnx"
    if name == PACKED:
        x = packed_weights(path)
        return timed({IROPS: lambda: session_of(path, [x]), OPENVINO: lambda: request_of(path, [x])}, 1e-3)
    model, x = NETWORKS[name]()
    source.write_bytes(model.SerializeToString())
    ov.serialize(ov.Core().read_model(source), str(path))  # convert_model starts processes that may never end
    loads: dict[str, Load] = {
        IROPS: lambda: session_of(path, [x]),
        REFERENCE: lambda: reference_of(source, x),
        OPENVINO: lambda: request_of(path, [x]),
        RUNTIME: lambda: runtime_of(source, x),
    }
    return timed(loads, 1e-3)


def main() -> int:
    names = (*NETWORKS, PACKED)
    parser = options_of(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}; all by default")
    args = parser.parse_args()
    unknown = [name for name in args.names if name not in names]
    if unknown:
        parser.error(f"there is no network {unknown[0]!r}; there are {', '.join(names)}")
    rows: dict[str, dict[str, dict[str, float]]] = {}
    for name in args.names or names:
        with tempfile.TemporaryDirectory() as folder:
            rows[name] = made(name, Path(folder))
        show(name, rows[name])
    keep(rows, args.json)
    return 0


def show(name: str, row: Mapping[str, Mapping[str, float]]) -> None:
    """Print the times of irops, and their ratios to those of its peers."""
    for what in ("warm", "cold"):
        ours = row[IROPS][what]
        peers = "; ".join(f"{ours / row[peer][what]:.2f} of {peer}" for peer in PEERS if peer in row)
        print(f"{name:28} {what} {ours * 1e3:9.1f} ms: {peers}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
