"""Runs tests on a mutant, in a copy of the working tree, in a process that is forked for it."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

COPIED = (
    "irops", "schemas", "examples", "tests", "docs", "pyproject.toml", "README.md", "CHANGELOG.md",
    "LICENSE",
)  # fmt: skip
MEMORY = 6 << 30
"""Bytes that a mutant may allocate; mapped files do not count."""
PASSED = (0, 5)
"""Exit codes of pytest: all tests pass; no test is selected."""
FAILED = (1, 2)
"""Exit codes of pytest: a test fails; a file of tests is not collected."""


def copy_tree(root: Path, target: Path) -> None:
    """Copy what the tests need."""
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, target / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
        else:
            shutil.copy(root / name, target / name)


def preload() -> None:
    """Import what all tests import, before processes are forked; nothing of irops itself."""
    for name in ("pytest", "hypothesis", "numpy", "ml_dtypes", "lxml.etree", "xml.etree.ElementTree"):
        __import__(name)


class Trial:
    """Tests of one tree.

    deselected: tests that fail without any mutant; timed_out: whether the last ones took too long.
    """

    def __init__(self, tree: Path, log: Path) -> None:
        self.tree, self.log = tree, log
        self.deselected: list[str] = []
        self._sound: set[str] = set()
        self.timed_out = False

    def compile(self, tests: Sequence[str]) -> None:
        """Import the tests once, so that the bytecode of all files is there before the first mutant."""
        if self._run(tests, 3600, "", "--collect-only", write_bytecode=True) not in PASSED:
            raise RuntimeError(f"the tests are not collected without a mutant:\n{self._output()[-3000:]}")

    def survives(self, file: str, text: str, tests: Sequence[str], seconds: float, marks: str) -> bool:
        """Whether all tests pass with another text of a file. A test that fails without it, too, is left out
        from then on.
        """
        while True:
            status = self._with(file, text, tests, seconds, marks)
            self.timed_out = status == -signal.SIGKILL
            if status in PASSED:
                return True
            failed = self._failed() if status in FAILED else []
            unsound = [test for test in failed if not self._is_sound(test)]
            if not unsound:
                return False
            self.deselected += unsound

    def _with(self, file: str, text: str, tests: Sequence[str], seconds: float, marks: str) -> int:
        path = self.tree / file
        original = path.read_text("utf-8")
        for cached in path.parent.glob(f"__pycache__/{path.stem}.*"):
            cached.unlink()  # a bytecode file is valid for a second of mutants of the same size
        path.write_text(text, "utf-8")
        try:
            return self._run(tests, seconds, marks, "-x")
        finally:
            path.write_text(original, "utf-8")

    def _is_sound(self, test: str) -> bool:
        """Whether a test, or the collection of a file of tests, passes without a mutant."""
        if test not in self._sound:
            options = ["--collect-only"] if test.endswith(".py") else []
            if self._run([test], 600, "", *options) not in PASSED:
                return False
            self._sound.add(test)
        return True

    def _failed(self) -> list[str]:
        lines = self._output().splitlines()
        return [
            line.split(" - ")[0].split(" ", 1)[1] for line in lines if line.startswith(("FAILED ", "ERROR "))
        ]

    def _output(self) -> str:
        return self.log.read_text("utf-8", "replace")

    def _run(
        self, tests: Sequence[str], seconds: float, marks: str, *options: str, write_bytecode: bool = False
    ) -> int:
        child = os.fork()
        if child == 0:
            status = 3
            try:
                status = self._in_child(tests, marks, options, write_bytecode)
            finally:
                os._exit(status)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return -signal.SIGKILL

    def _in_child(self, tests: Sequence[str], marks: str, given: Sequence[str], write_bytecode: bool) -> int:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        out = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(out, 1)
        os.dup2(out, 2)
        os.chdir(self.tree)
        os.environ["PYTHONPATH"] = str(self.tree)
        os.environ["HOME"] = str(self.log.parent)
        sys.path.insert(0, str(self.tree))
        sys.dont_write_bytecode = not write_bytecode
        if not write_bytecode:
            os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        import pytest

        plugins = ["-p", "no:cacheprovider", "-p", "profile_of_mutants"]
        options = ["-q", "-n0", "-m", marks, "--tb=line", *plugins, *given]
        for test in self.deselected:
            options += ["--ignore", test] if test.endswith(".py") else ["--deselect", test]
        sys.path.insert(0, str(self.tree / "tests" / "mutation"))
        return int(pytest.main([*options, *tests]))


def in_order(tree: Path, module: str, folders: Sequence[str]) -> list[list[str]]:
    """The test files of some folders: those that are named for a module, then the others. Two runs, since
    pytest imports all files before it runs any test.
    """
    stem = Path(module).stem
    files: list[Path] = []
    for folder in folders:
        path = tree / folder
        files += sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
    named = [file for file in files if stem in file.stem]
    others = [file for file in files if stem not in file.stem]
    return [[str(file.relative_to(tree)) for file in some] for some in (named, others) if some]


def revision(root: Path) -> str:
    """The commit that the tree is at."""
    done = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=root, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"
