"""Pages: their Python runs as it stands, a page at a time; their commands are run, and print what the page
shows; excerpts are excerpts of the code.
"""

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from commands import output_of, python_process, session
from tables import table

ROOT = Path(__file__).resolve().parents[2]
HERE = {**os.environ, "COLUMNS": "80", "PYTHONPATH": str(ROOT)}
TEXTS = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", ROOT / "examples" / "README.md")
}
NEEDS = table(__file__, "needs")
"""Libraries that pages need."""
ELSEWHERE = ("docs/conformance.md", "docs/writing-an-op.md")
"""Pages whose Python tests/conformance/test_conformance_page.py runs, and a test for a new op below."""
SLOW = pytest.mark.slow("runs the code and the commands of long pages")
LONG = ("docs/comparing.md", "docs/survey.md")
SESSIONS = ("comparing", "conversion", "graphs", "onnx", "reducing", "remote", "survey", "why")
"""Pages whose blocks marked as console are sessions: commands after $, then what they print."""


def snippets(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", TEXTS[page], re.DOTALL)


def sessions(page: str):
    for block in re.findall(r"```console\n(.*?)```", TEXTS[page], re.DOTALL):
        yield from session(block)


def with_python():
    pages = [page for page in TEXTS if snippets(page) and page not in ELSEWHERE]
    return [pytest.param(page, marks=SLOW) if page in LONG else page for page in pages]


@pytest.mark.parametrize("page", with_python())
def test_the_snippets_of_a_page_run_and_its_commands_print_what_it_shows(page, tmp_path, monkeypatch):
    name = Path(page).stem
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason="the page needs a library that is not here")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for copy in ("model.xml", "reversing.xml"):
        shutil.copy(ROOT / "examples" / "reversing" / "model.xml", tmp_path / copy)
    code = "\n".join(b for b in snippets(page) if not b.startswith("@") and "BackendTest" not in b)
    python_process("-c", code, check=True, cwd=tmp_path, env=HERE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    if name in SESSIONS:
        for command, shown in sessions(page):
            printed = output_of(command)
            # how many tries a reduction takes depends on how the processor rounds
            assert re.sub(r"\d+ tries", "tries", printed) == re.sub(r"\d+ tries", "tries", shown), command


def plain(code: str) -> str:
    """Python without comments, and with one blank wherever it has blanks."""
    return " ".join(re.sub(r"^\s*#.*$", "", code, flags=re.MULTILINE).split())


def test_excerpts_are_excerpts_of_the_code() -> None:
    files = [*(ROOT / "irops" / "ops").rglob("*.py"), *(ROOT / "examples").rglob("*.py")]
    code = "\n".join(plain(path.read_text("utf-8")) for path in files)
    excerpts = [b for page in TEXTS for b in snippets(page) if b.startswith("@") and "def " in b]
    assert excerpts
    assert [excerpt for excerpt in excerpts if plain(excerpt) not in code] == []


@SLOW
def test_the_tests_on_the_page_pass_for_a_new_op(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "defines the op" in output_of("irops new MyOp --category movement --output my_ops")
    code = next(block for block in snippets("docs/writing-an-op.md") if "assert_definitions" in block)
    (tmp_path / "test_my_op.py").write_text(code)
    words = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_my_op.py")
    done = python_process(*words, cwd=tmp_path, env=HERE)
    assert "2 passed" in done.stdout, done.stdout


@SLOW
def test_the_commands_of_the_examples_work(tmp_path):
    blocks = re.findall(r"```sh\n(.*?)```", TEXTS["examples/README.md"], re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("irops ")]
    assert len(lines) == 9
    shutil.copytree(ROOT / "examples", tmp_path / "examples")  # commands may write where they are
    for line in lines:
        command = line.partition("#")[0]
        done = python_process("-m", *shlex.split(command), cwd=tmp_path)
        assert done.returncode == (1 if "broken" in command else 0), (line, done.stdout, done.stderr)
        assert "internal error" not in done.stderr
