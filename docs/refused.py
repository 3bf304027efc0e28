"""Draws docs/refused.svg, the picture of the README: a model that OpenVINO refuses, and what irops says.

usage: python docs/refused.py, with OpenVINO installed
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

ROOT = Path(__file__).resolve().parent.parent
RIGHT, WRONG = 'shape="?,1,12,12" element_type="f32"', 'shape="?,1,12,12" element_type="FP32"'
READ = "import openvino; openvino.Core().read_model('model.xml')"
FRAME = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {terminal_width} {terminal_height}"
  font-family="monospace">
<style>text {{ font-size: {char_height}px; line-height: {line_height}px; white-space: pre }} {styles}</style>
<defs>{lines}</defs>
<rect width="{terminal_width}" height="{terminal_height}" rx="8" fill="#1c1c1c"/>
<g transform="translate(16, 10)">{backgrounds}{matrix}</g></svg>
"""


def broken_model(folder: Path) -> None:
    """Write a network of the examples with the name of a type as an older converter spelled it."""
    example = ROOT / "examples" / "digit_classifier"
    text = (example / "model.xml").read_text("utf-8")
    assert RIGHT in text
    (folder / "model.xml").write_text(text.replace(RIGHT, WRONG), "utf-8")
    shutil.copy(example / "model.bin", folder)


def output_of(folder: Path, *command: str) -> str:
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode, "the model is not refused"
    return done.stdout or done.stderr


def irops_says(folder: Path) -> str:
    return output_of(folder, "-m", "irops", "check", "model.xml").rstrip()


def openvino_says(folder: Path) -> str:
    """The message of the exception, without the traceback of Python."""
    text = output_of(folder, "-c", READ).rstrip()
    return text[text.index("RuntimeError") :]


def screen(folder: Path) -> str:
    """Both calls and what they print, as an SVG."""
    console = Console(record=True, width=118, file=io.StringIO())
    for call, says in ((f'python -c "{READ}"', openvino_says), ("irops check model.xml", irops_says)):
        console.print(Text(f"$ {call}", "bold bright_white"))
        console.print(Text(says(folder), "bright_red" if says is openvino_says else "white"))
        console.print()
    return console.export_svg(theme=MONOKAI, code_format=FRAME, unique_id="refused")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        broken_model(Path(name))
        (ROOT / "docs" / "refused.svg").write_text(screen(Path(name)), "utf-8")
