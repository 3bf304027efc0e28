"""The Python of the pages runs as it stands, a page at a time, and excerpts are excerpts of the code."""

import importlib.util
import os
import re
import shutil
from pathlib import Path

import pytest
from commands import python_process

pytestmark = pytest.mark.slow("runs the code of all pages")

ROOT = Path(__file__).resolve().parents[2]
SESSIONS = ("comparing", "graphs", "onnx", "reducing", "remote", "survey")
ELSEWHERE = {
    **{f"docs/{name}.md": "test_pages.py runs it with its sessions" for name in SESSIONS},
    "docs/conformance.md": "test_snippets.py of tests/conformance registers the backend that it shows",
    "docs/writing-an-op.md": "test_pages.py runs its tests for a new op",
}
"""Pages whose snippets need more than a folder with a model, and where they are tested."""
NEEDS = {"docs/conversion.md": "onnx", "docs/graiphic.md": "onnx"}


def snippets(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)


PAGES = {
    path.relative_to(ROOT).as_posix(): snippets(path)
    for path in (*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", ROOT / "examples" / "README.md")
    if snippets(path)
}


@pytest.mark.parametrize("page", sorted(set(PAGES) - set(ELSEWHERE)))
def test_the_snippets_of_a_page_run(page: str, tmp_path: Path) -> None:
    if page in NEEDS:
        pytest.importorskip(NEEDS[page])
    if page == "docs/tokenizers.md" and importlib.util.find_spec("openvino_tokenizers") is None:
        pytest.skip("its page needs openvino_tokenizers, which the tests do not bring")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for name in ("model.xml", "reversing.xml"):
        shutil.copy(ROOT / "examples" / "reversing" / "model.xml", tmp_path / name)
    code = "\n".join(block for block in PAGES[page] if not block.startswith("@"))
    done = python_process("-c", code, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert done.returncode == 0, done.stderr


def test_pages_whose_snippets_are_tested_elsewhere_have_some() -> None:
    assert set(ELSEWHERE) <= set(PAGES)


def plain(code: str) -> str:
    """Python without comments, and with one blank wherever it has blanks."""
    return " ".join(re.sub(r"^\s*#.*$", "", code, flags=re.MULTILINE).split())


def test_excerpts_are_excerpts_of_the_code() -> None:
    files = [*(ROOT / "irops" / "ops").rglob("*.py"), *(ROOT / "examples").rglob("*.py")]
    code = "\n".join(plain(path.read_text("utf-8")) for path in files)
    excerpts = [b for blocks in PAGES.values() for b in blocks if b.startswith("@") and "def " in b]
    assert excerpts
    assert [excerpt for excerpt in excerpts if plain(excerpt) not in code] == []
