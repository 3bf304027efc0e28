"""Read IR files of one Elu with the OpenVINO that is importable, and print of each the number that it has for
alpha, or "refused".

Runs without irops in the environment of any release, as worker.py.
"""

from __future__ import annotations

import json
import sys


def main() -> None:
    try:
        from openvino import Core
    except ImportError:  # 2023.0
        from openvino.runtime import Core
    core = Core()
    for line in sys.stdin:
        path = line.rstrip("\n")
        try:
            ops = core.read_model(path).get_ops()
            (alpha,) = (op.get_attributes()["alpha"] for op in ops if op.get_type_name() == "Elu")
            answer = repr(float(alpha))
        except Exception:
            answer = "refused"
        print(json.dumps([path, answer]), flush=True)


if __name__ == "__main__":
    main()
