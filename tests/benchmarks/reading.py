"""How long a model takes to be read and checked, beside OpenVINO reading it (which infers too): python
benchmarks/reading.py.

One run, this machine, a generated IR of MatMul, Add and ReLU with constants. Times are the least of several;
memory is the peak resident size of a whole process. Prints ratios; --json FILE writes all figures.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

WIDTH = 4


def port(label: int, dims: tuple[int, ...], precision: str = "FP32") -> str:
    inner = "".join(f"\t\t\t\t\t<dim>{d}</dim>\n" for d in dims)
    return f'\t\t\t\t<port id="{label}" precision="{precision}">\n{inner}\t\t\t\t</port>\n'


def layer(number: int, name: str, kind: str, data: str, inputs: str, outputs: str) -> str:
    body = (f"\t\t\t<data {data} />\n" if data else "") + (
        f"\t\t\t<input>\n{inputs}\t\t\t</input>\n" if inputs else ""
    )
    body += f"\t\t\t<output>\n{outputs}\t\t\t</output>\n" if outputs else ""
    return f'\t\t<layer id="{number}" name="{name}" type="{kind}" version="opset1">\n{body}\t\t</layer>\n'


def generate(folder: Path, layers: int) -> Path:
    """A chain of blocks of five layers: a weight, a MatMul, a bias, an Add, a ReLU."""
    row, square = (1, WIDTH), (WIDTH, WIDTH)
    texts = [layer(0, "x", "Parameter", f'shape="1,{WIDTH}" element_type="f32"', "", port(0, row))]
    edges: list[tuple[int, int, int, int]] = []
    last, last_port, number, offset = 0, 0, 1, 0
    while number < layers - 1:
        weight, product, bias, total, active = range(number, number + 5)
        texts.append(
            layer(
                weight,
                f"w{weight}",
                "Const",
                f'element_type="f32" shape="{WIDTH}, {WIDTH}" offset="{offset}" size="{4 * WIDTH * WIDTH}"',
                "",
                port(0, square),
            )
        )
        offset += 4 * WIDTH * WIDTH
        texts.append(
            layer(
                product,
                f"mm{product}",
                "MatMul",
                'transpose_a="false" transpose_b="true"',
                port(0, row) + port(1, square),
                port(2, row),
            )
        )
        texts.append(
            layer(
                bias,
                f"b{bias}",
                "Const",
                f'element_type="f32" shape="1, {WIDTH}" offset="{offset}" size="{4 * WIDTH}"',
                "",
                port(0, row),
            )
        )
        offset += 4 * WIDTH
        texts.append(
            layer(
                total,
                f"add{total}",
                "Add",
                'auto_broadcast="numpy"',
                port(0, row) + port(1, row),
                port(2, row),
            )
        )
        texts.append(layer(active, f"relu{active}", "ReLU", "", port(0, row), port(1, row)))
        edges += [
            (last, last_port, product, 0),
            (weight, 0, product, 1),
            (product, 2, total, 0),
            (bias, 0, total, 1),
            (total, 2, active, 0),
        ]
        last, last_port, number = active, 1, number + 5
    texts.append(layer(number, "y", "Result", "", port(0, row), ""))
    edges.append((last, last_port, number, 0))
    wires = "".join(
        f'\t\t<edge from-layer="{a}" from-port="{b}" to-layer="{c}" to-port="{d}" />\n'
        for a, b, c, d in edges
    )
    file = folder / f"chain{layers}.xml"
    file.write_text(
        f'<?xml version="1.0"?>\n<net name="chain" version="11">\n\t<layers>\n{"".join(texts)}\t</layers>\n'
        f"\t<edges>\n{wires}\t</edges>\n\t<rt_info />\n</net>\n"
    )
    np.random.default_rng(0).standard_normal(offset // 4, dtype=np.float32).tofile(file.with_suffix(".bin"))
    return file


def least(works: Mapping[str, Callable[[], object]], times: int) -> dict[str, float]:
    """The least of several timings of each, in seconds, taken in turns."""
    found = dict.fromkeys(works, float("inf"))
    for _ in range(times):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            found[name] = min(found[name], time.perf_counter() - start)
    return found


def process(*command: str) -> tuple[float, float]:
    """Seconds and peak megabytes of a whole process, the least of five; Python finds its modules compiled, as
    an installed program does.
    """
    given = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    given["PYTHONPYCACHEPREFIX"] = str(Path(tempfile.gettempdir()) / "irops-benchmark-bytecode")
    script = (
        "import resource, subprocess, sys, time; start = time.perf_counter(); code ="
        " subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode; spent = time.perf_counter() -"
        " start; print(code, spent, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)"
    )
    rows = []
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-c", script, *command], capture_output=True, text=True, check=True, env=given
        )
        code, seconds, peak = done.stdout.split()
        if code != "0":
            raise RuntimeError(f"{' '.join(command)} ended with status {code}")
        rows.append((float(seconds), float(peak)))
    return min(r[0] for r in rows), min(r[1] for r in rows)


def measure(file: Path, times: int) -> dict[str, float]:
    import openvino

    import irops

    core = openvino.Core()
    figures = least(
        {
            "openvino read_model": lambda: core.read_model(file),
            "irops.read": lambda: irops.read(file),
            "irops.check": lambda: irops.check(file),
        },
        times,
    )
    if not irops.check(file).ok:
        raise RuntimeError("the generated model has findings")
    figures["process openvino"], figures["memory openvino"] = process(
        sys.executable, "-c", f"import openvino; openvino.Core().read_model({str(file)!r})"
    )
    figures["process irops check"], figures["memory irops check"] = process(
        sys.executable, "-m", "irops", "check", str(file)
    )
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--layers", type=int, nargs="*", default=[5_000, 50_000])
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    everything = {}
    with tempfile.TemporaryDirectory() as folder:
        for layers in args.layers:
            figures = everything[layers] = measure(
                generate(Path(folder), layers), 5 if layers <= 10_000 else 2
            )
            print(f"{layers} layers")
            for name, value in figures.items():
                unit = "MB" if name.startswith("memory") else "s"
                peer = figures[
                    {
                        "irops": "openvino read_model",
                        "process": "process openvino",
                        "memory": "memory openvino",
                    }.get(name.split()[0].split(".")[0], "openvino read_model")
                ]
                print(f"  {name:24} {value:9.3f} {unit:3} {value / peer:6.2f} x OpenVINO")
    if args.json:
        args.json.write_text(json.dumps(everything, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
