"""The README: what it shows runs, from top to bottom, in a fresh checkout with what it installs."""

import os
import re
import subprocess
import sys
from html import unescape
from pathlib import Path

import pytest
from commands import process

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text("utf-8")
BLOCK = re.compile(r"^```(sh|console|python)\n(.*?)^```", re.DOTALL | re.MULTILINE)
MOST_LINES = 120


def test_it_is_short():
    assert len(README.splitlines()) <= MOST_LINES


def test_the_picture_shows_what_irops_says(tmp_path):
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import refused
    finally:
        sys.path.remove(str(ROOT / "docs"))
    refused.broken_model(tmp_path)
    picture = unescape((ROOT / "docs" / "refused.svg").read_text("utf-8")).replace("\xa0", " ")
    texts = [text.strip() for text in re.findall(r"<text[^>]*>(.*?)</text>", picture, re.DOTALL)]
    assert [line for line in refused.irops_says(tmp_path).splitlines() if line.strip() not in texts] == []


def script() -> str:
    """All blocks as one shell script, which prints a line before each command that shows its output."""
    parts = ["set -e"]
    for kind, text in BLOCK.findall(README):
        if kind == "sh":
            parts.append(text.replace("-m pytest -n 2", "-m pytest -n 0 tests/house/test_sizes.py"))
        elif kind == "python" and not text.startswith("@"):
            parts.append(f"python - <<'END'\n{text}END")
        elif kind == "console":
            for call in re.findall(r"^\$ (.*)$", text, re.MULTILINE):
                quiet = call.startswith(". ")
                parts.append(call if quiet else f"echo '$ {call}'; {call} || test $? = 1; echo '$ end'")
    return "\n".join(parts)


def shown_outputs() -> list[tuple[str, str]]:
    """The commands that show an output, and that output."""
    consoles = [text for kind, text in BLOCK.findall(README) if kind == "console"]
    parts = [part for text in consoles for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]]
    return [(call, shown) for call, _, shown in (part.partition("\n") for part in parts) if shown]


def pattern_of(shown: str) -> str:
    """Three dots stand for any lines; by how much a difference exceeds rounding depends on the processor."""
    lines = [".*" if line == "..." else re.escape(line) for line in shown.splitlines()]
    lines = [re.sub(r"[\d\\.]+e\\\+\d+", r"[\\d.]+e\\+\\d+", line) for line in lines]
    return "\n".join(lines).replace("\n.*", "(?:\n.*)?")


@pytest.mark.timeout(1200)
@pytest.mark.slow("installs irops in a fresh checkout")
def test_everything_runs_from_top_to_bottom(tmp_path):
    subprocess.run(["git", "clone", "-q", str(ROOT), str(tmp_path / "irops")], check=True)
    environment = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
    environment |= {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "COLUMNS": "300"}
    done = process("bash", "-c", script(), cwd=tmp_path / "irops", env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    for call, shown in shown_outputs():
        printed = done.stdout.partition(f"$ {call}\n")[2].partition("$ end\n")[0]
        assert re.fullmatch(pattern_of(shown), printed.rstrip("\n"), re.DOTALL), (call, printed)


@pytest.mark.slow("runs 18 commands")
def test_the_first_questions_are_answered(tmp_path):
    (tmp_path / "models").mkdir()
    for path in (ROOT / "examples" / "digit_classifier").iterdir():
        for name in (path.name, path.name.replace("model", "int8"), f"models/{path.name}"):
            (tmp_path / name).write_bytes(path.read_bytes())
    table = README.partition("| you ask |")[2].partition("\n\n")[0].replace("LAYER", "softmax")
    calls = re.findall(r"`irops (.*?)`", table)
    assert len(calls) > 15
    turned = ROOT / "examples" / "turned_rows" / "model.xml"
    for call in [f"convert {turned} --target onnx -o model.onnx", *calls]:
        done = process(sys.executable, "-P", "-m", "irops", *call.split(), cwd=tmp_path)
        assert done.returncode < 2, (call, done.stderr)
