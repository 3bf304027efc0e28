"""Compare a model of 3 GB of weights and print the peak of memory beside the mapped weights. In minutes.

python tests/debugging/long_memory.py FOLDER --b openvino:CPU
"""

from __future__ import annotations

import argparse
import os
import re
import threading
from pathlib import Path

import numpy as np

import irops

ROWS, COLUMNS, LAYERS = 4096, 8192, 24


def written(folder):
    """The files of the model, written once: XML by hand, since its weights fit in no memory."""
    folder.mkdir(parents=True, exist_ok=True)
    path, size = folder / "large.xml", ROWS * COLUMNS * 4
    layers = ['<layer id="0" name="x" type="Parameter" version="opset1">'
              f'<data shape="1,{ROWS}" element_type="f32"/><output><port id="0" precision="FP32">'
              f"<dim>1</dim><dim>{ROWS}</dim></port></output></layer>"]  # fmt: skip
    edges = []
    for number in range(LAYERS):
        inner, outer = (ROWS, COLUMNS) if number % 2 == 0 else (COLUMNS, ROWS)
        constant, product, source = 2 * number + 1, 2 * number + 2, 2 * number
        layers.append(
            f'<layer id="{constant}" name="w{number}" type="Const" version="opset1"><data element_type="f32"'
            f' shape="{inner},{outer}" offset="{number * size}" size="{size}"/><output><port id="0"'
            f' precision="FP32"><dim>{inner}</dim><dim>{outer}</dim></port></output></layer>'
            f'<layer id="{product}" name="p{number}" type="MatMul" version="opset1"><data transpose_a="false"'
            f' transpose_b="false"/><input><port id="0"/><port id="1"/></input><output><port id="2"'
            f' precision="FP32"><dim>1</dim><dim>{outer}</dim></port></output></layer>'
        )
        edges.append(
            f'<edge from-layer="{source}" from-port="{2 if source else 0}" to-layer="{product}" to-port="0"/>'
            f'<edge from-layer="{constant}" from-port="0" to-layer="{product}" to-port="1"/>'
        )
    last = 2 * LAYERS
    result = f'<layer id="{last + 1}" name="y" type="Result" version="opset1">'
    layers.append(f'{result}<input><port id="0"/></input></layer>')
    edges.append(f'<edge from-layer="{last}" from-port="2" to-layer="{last + 1}" to-port="0"/>')
    content = f"<layers>{''.join(layers)}</layers><edges>{''.join(edges)}</edges>"
    path.write_text(f'<net name="large" version="11">{content}</net>')
    with path.with_suffix(".bin").open("wb") as file:
        file.truncate(LAYERS * size)
        for number in range(LAYERS):
            file.seek(number * size)
            file.write(np.random.default_rng(number).standard_normal(ROWS).astype(np.float32).tobytes())
    return path


def anonymous_bytes(process):
    """The memory of a process that is of no file, in bytes; 0 if it has ended."""
    try:
        return int(re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{process}/status").read_text())[1]) << 10
    except (OSError, TypeError):
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--b", default="reference")
    args = parser.parse_args()
    model = irops.read(written(args.folder))
    peak, ended = [0], threading.Event()

    def watch():
        while not ended.wait(0.05):
            peak[0] = max(peak[0], anonymous_bytes(os.getpid()))

    watching = threading.Thread(target=watch)
    watching.start()
    x = np.random.default_rng(0).standard_normal((1, ROWS)).astype(np.float32)
    found = irops.compare(model, {"x": x}, b=args.b, mode="isolated")
    ended.set()
    watching.join()
    print(found)
    print(f"peak of anonymous memory: {peak[0] / (1 << 20):,.0f} MiB")


if __name__ == "__main__":
    main()
