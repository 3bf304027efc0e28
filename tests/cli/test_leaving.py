"""The process of a command ends at once, and nothing is lost by that."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow("watches processes end")

ROOT = Path(__file__).parents[2]
BROKEN = ROOT / "tests" / "rules" / "IR401.xml"
MAIN = "sys.argv = ['irops', *sys.argv[1:]]; from irops.cli.main import main; sys.exit(main())"


def process(*words: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def test_the_status_and_all_output_arrive() -> None:
    done = process("-m", "irops", "check", BROKEN)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith(f"1 error in {BROKEN}\n")
    assert process("-m", "irops", "explain", "typo").returncode == 2
    assert process("-m", "irops", "rules", "--output-format", "json").stdout.endswith("}\n")


def test_what_is_registered_for_the_end_is_called() -> None:
    code = f"import atexit, sys; atexit.register(print, 'the end'); {MAIN}"
    done = process("-c", code, "check", BROKEN)
    assert done.returncode == 1
    assert done.stdout.endswith("the end\n")


def test_python_ends_in_its_usual_way_while_another_thread_works() -> None:
    code = (
        "import sys, threading;"
        " threading.Thread(target=lambda: (threading.main_thread().join(), print('the thread'))).start();"
    )
    done = process("-c", code + MAIN, "explain", "IR202")
    assert done.returncode == 0
    assert done.stdout.endswith("the thread\n")


def test_a_profiler_sees_the_end() -> None:
    done = process("-m", "cProfile", "-m", "irops", "explain", "IR202")
    assert "function calls" in done.stdout


def test_a_reader_that_is_gone_is_no_error() -> None:
    command = f"{sys.executable} -m irops ops | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] in ("0", "141")
