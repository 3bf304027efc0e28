"""Which checks are done again when their process ends, without an editor."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from irops.server.language_server import Checks, Document
from irops.server.records import Checked, ServerOptions
from irops.server.text import Text
from irops.work.worker import ProcessDied

ANSWER = Checked(seconds=7.0)


class Worker:
    """Stands for the worker process: what happens at each request, in order."""

    def __init__(self, *events: Callable[[], Any]) -> None:
        self.events = list(events)

    def ask(self, _: tuple[Any, ...]) -> Any:
        return self.events.pop(0)()

    def interrupt(self) -> None:
        pass


def died() -> None:
    raise ProcessDied("the process ended by SIGKILL", "")


async def checked(checks: Checks, worker: Worker) -> Checked:
    """The result of a check of an open model by a worker."""
    results: list[Checked] = []

    async def publish(_document: Document, _text: Text, result: Checked) -> None:
        results.append(result)

    checks._publish, checks._worker = publish, worker
    document = Document("file:///model.xml", "<net/>", 1)
    checks.changed(document, at_once=True)
    await checks.current(document, 60)
    checks.stop()
    (result,) = results
    return result


@pytest.fixture
def checks() -> Checks:
    return Checks(ServerOptions(), lambda *_: None)


def test_a_process_that_ended_before_the_check_is_started_again(checks: Checks):
    assert asyncio.run(checked(checks, Worker(died, lambda: ANSWER))) == ANSWER


def test_a_process_that_fails_twice_is_reported(checks: Checks):
    result = asyncio.run(checked(checks, Worker(died, died)))
    (finding,) = result.findings
    assert finding.message == "the process that checks the text failed: the process ended by SIGKILL"


def test_a_check_that_is_interrupted_is_done_again_however_often(checks: Checks):
    def interrupted() -> None:
        checks._interrupt()
        died()

    worker = Worker(died, interrupted, interrupted, lambda: ANSWER)
    assert asyncio.run(checked(checks, worker)) == ANSWER
