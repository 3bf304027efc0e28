"""Commands about ops and rules print the same from the index as from the definitions, and import little."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from irops.cli import index, index_parts
from irops.cli.tables import show_table
from irops.diagnostics.printable import printable
from irops.files.cache.entries import clean, usage

Irops = Callable[..., Any]
ROOT = Path(__file__).parents[2]
CUSTOM = ROOT / "examples" / "my_reverse"
COMMANDS = [
    ("explain", "IR202"),
    ("explain", "IR4"),
    ("explain", "dangling-edge", "--output-format", "json"),
    ("explain", "ReverseSequence-1"),
    ("explain", "relu"),
    ("explain", "onnx:Relu-14"),
    ("explain", "Reverse-1:C1"),
    ("explain", "NonMaxSuppression", "--output-format", "json"),
    ("explain", "leakyrelu"),
    ("explain", "Relux"),
    ("explain", "IR4x"),
    ("explain", "Reverse-1:C99"),
    ("ops",),
    ("ops", "-q"),
    ("ops", "--dialect", "onnx"),
    ("ops", "--text", "batch normalization"),
    ("ops", "--attribute", "keep-dims", "--output-format", "json"),
    ("ops", "--opset", "8", "--category", "movement"),
    ("ops", "--undefined", "--dialect", "onnx"),
    ("ops", "--opset", "99"),
    ("ops", "--category", "typo"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_index_changes_no_output(
    words: tuple[str, ...], irops: Irops, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = irops(*words)
    with monkeypatch.context() as patch:
        patch.setattr(index_parts, "made", lambda *_: pytest.fail("a part of the index is made again"))
        again = irops(*words)
    monkeypatch.setenv("IROPS_DISABLE", "cache")
    assert first == again == irops(*words)


def test_the_index_is_made_anew_where_something_changed(
    irops: Irops, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("IROPS_CACHE_DIR", str(tmp_path))
    made: list[str] = []
    real = index_parts.made
    monkeypatch.setattr(index_parts, "made", lambda name, *rest: made.append(name) or real(name, *rest))
    tree = index.tree
    irops("explain", "IR202")
    irops("explain", "IR202")
    assert made == ["rules"]
    monkeypatch.setattr(index, "tree", lambda folder: [*tree(folder), "changed"])
    irops("explain", "IR202")
    assert made == ["rules"] * 2
    for files in (tmp_path / "index").rglob("?" * 64):
        files.write_bytes(b"damaged")
    irops("explain", "IR202")
    assert made == ["rules"] * 3
    assert usage(str(tmp_path / "index"))[0] == 2
    assert clean(str(tmp_path / "index"))[0] == 2


def test_custom_ops_are_listed_and_explained(irops: Irops) -> None:
    added = ("--definitions", CUSTOM)
    assert "MyReverse-extension" in irops("ops", "-q", *added).out.splitlines()
    assert "MyReverse-extension" in irops("ops", "-q", "--text", "my reverse", *added).out
    assert irops("explain", "MyReverse", *added).out.startswith("MyReverse-extension (")
    assert "did you mean MyReverse-extension" in irops("explain", "MyRevers", *added).err
    assert "MyReverse" not in irops("ops").out


def test_ops_of_plug_ins_are_listed(irops: Irops, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "my_ops"
    package.mkdir()
    for file in CUSTOM.glob("*"):
        if file.suffix == ".py" or file.name.startswith("MyReverse"):
            (package / file.name).write_bytes(file.read_bytes())
    (package / "__init__.py").write_text("")
    info = tmp_path / "my_ops-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-ops\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[irops.ops]\nmy_ops = my_ops\n")
    path = os.pathsep.join((str(ROOT), str(tmp_path)))
    done = subprocess.run(
        [sys.executable, "-m", "irops", "ops", "-q"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert "MyReverse-extension" in done.stdout.splitlines()


@pytest.mark.parametrize(
    "words", [("--help",), *(words for words in COMMANDS if words[0] in ("ops", "explain"))], ids=" ".join
)
def test_nothing_heavy_is_imported(words: tuple[str, ...], irops: Irops) -> None:
    irops(*words)  # makes the parts of the index that are missing
    code = (
        "import sys; from irops.cli.main import main; main(sys.argv[1:]);"
        " heavy = {'numpy', 'lxml', 'rich', 'networkx', 'irops.registry', 'irops.spec.definition',"
        " 'xml.etree.ElementTree'}; print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
        env={name: text for name, text in os.environ.items() if name != "COLUMNS"},  # tables do not fold
    )
    assert done.stdout.splitlines()[-1] == "[]"


ROWS = [("Abs-1", "arithmetic", "1-16", "|data|"), ("B", "", "1", "A longer text."), ("C", "x", "", "")]


@pytest.mark.parametrize("width", [None, 20, 41, 42, 43, 60])
@pytest.mark.parametrize(
    "caption", ["3 ops", "a caption that is longer than the table, so that it is folded"]
)
@pytest.mark.parametrize(
    "rows", [ROWS, ROWS[:1], [*ROWS, ("É", "本", "a\u0301", "x")], [("a\nb", "", "", "")]]
)
def test_a_plain_table_is_that_of_rich(
    rows: Any,
    caption: str,
    width: int | None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from irops.cli import tables

    if width is not None:
        monkeypatch.setenv("COLUMNS", str(width))
    names = ("op", "category", "opsets", "summary")
    show_table(names, rows, caption)
    plain = capsys.readouterr().out
    tables._show_folded([tuple(map(printable, row)) for row in (names, *rows)], printable(caption))
    assert plain == capsys.readouterr().out
