"""Read IR files with the OpenVINO that is importable, and print of each why it is refused, "" if it is read.

Runs without irops in the environment of any release: paths come from standard input, one a line, and answers
go out as lines of JSON. A file that crashes the process has no answer.
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
            core.read_model(path)
            why = ""
        except Exception as error:
            why = str(error).strip() or type(error).__name__
        print(json.dumps([path, why]), flush=True)


if __name__ == "__main__":
    main()
