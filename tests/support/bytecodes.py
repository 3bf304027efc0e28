"""What work costs, counted and not timed."""

import sys
from collections.abc import Callable


def bytecodes(work: Callable[[], object]) -> int:
    """The number of bytecodes that a call executes."""
    executed = 0

    def trace(frame, event, _):
        nonlocal executed
        frame.f_trace_opcodes = True
        executed += event == "opcode"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return executed
