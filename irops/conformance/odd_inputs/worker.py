"""The process that runs a runtime. Requests: ("runtime", name), then ("ask", request). What libraries print
goes to the error stream.
"""

from __future__ import annotations

import os
import pickle

from irops.conformance.odd_inputs.odd_input import Reply
from irops.conformance.odd_inputs.runtimes import RUNTIMES
from irops.process_lifetime import end_with_parent


def main() -> None:
    end_with_parent(os.getppid())
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
            answer = RUNTIMES[name].reply(
                what
            )  # freeing corrupt memory should crash before the answer is sent
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
