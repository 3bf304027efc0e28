"""The process that runs a runtime. Its requests are ("runtime", name), then ("ask", request)."""

from __future__ import annotations

from irops.conformance.odd_inputs.odd_input import Reply, Request
from irops.conformance.odd_inputs.runtimes import RUNTIMES
from irops.processes.worker import serve


class Worker:
    """The runtime that the first request names."""

    def __init__(self) -> None:
        self._name = ""

    def answer(self, request: tuple[str, str | Request]) -> Reply | None:
        """The runtime's reply to one request."""
        kind, content = request
        if kind == "runtime":
            assert isinstance(content, str)
            self._name = content
            return None
        assert isinstance(content, Request)
        return RUNTIMES[self._name].reply(content)


if __name__ == "__main__":
    serve(Worker().answer)
