"""How long many small files take to be checked by two processes, in times of one: python
tests/benchmarks/many_files.py.

Each round checks the same generated files with -j 1 and with -j 2. Prints the ratios of
the wall times, which mean something only on a machine that does nothing else, and of the CPU times. --json
FILE writes them.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from frame import keep, options_of

MODEL = """<?xml version="1.0"?>
<net name="small" version="11"><layers>
<layer id="0" name="x{n}" type="Parameter" version="opset1"><data shape="1,{n}" element_type="f32"/><output>
<port id="0" precision="FP32"><dim>1</dim><dim>{n}</dim></port></output></layer>
<layer id="1" name="y{n}" type="ReLU" version="opset1"><input><port id="0" precision="FP32"><dim>1</dim>
<dim>{n}</dim></port></input>
<output><port id="1" precision="FP32"><dim>1</dim><dim>{n}</dim></port></output></layer>
<layer id="2" name="z{n}" type="Result" version="opset1"><input><port id="0" precision="FP32"><dim>1</dim>
<dim>{n}</dim></port></input></layer></layers>
<edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
<edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>
"""


def times(folder: Path, processes: int) -> tuple[float, float]:
    """The wall time and the CPU time of a check of a folder."""
    command = [sys.executable, "-m", "irops", "check", "-q", "-j", str(processes), str(folder)]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = options_of(__doc__, rounds=3)
    parser.add_argument("--files", type=int, default=10_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        for n in range(1, args.files + 1):
            Path(place, f"m{n:06}.xml").write_text(MODEL.format(n=n))
        rounds = [(times(Path(place), 1), times(Path(place), 2)) for _ in range(args.rounds)]
    ratios = {
        what: min(two[k] for _, two in rounds) / min(one[k] for one, _ in rounds)
        for k, what in enumerate(("wall", "cpu"))
    }
    print(f"{args.files} files, -j 2 / -j 1: wall {ratios['wall']:.2f}, CPU {ratios['cpu']:.2f}")
    keep(ratios, args.json)


if __name__ == "__main__":
    main()
