"""The process in which a runtime is asked: ("runtime", name), then ("ask", question). What libraries print
goes to the error stream.
"""

from __future__ import annotations

import os
import pickle

from irops.conformance.odd_inputs.odd import Reply
from irops.conformance.odd_inputs.runtimes import RUNTIMES


def main() -> None:
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    name = ""
    while True:
        try:
            kind, what = pickle.load(requests)
        except EOFError:
            return
        answer: Reply | None = None
        if kind == "runtime":
            name = what
        else:
            answer = RUNTIMES[name].reply(what)  # what it frees wrongly crashes before the answer is out
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
