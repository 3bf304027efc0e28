"""Text of files reaches a stream, a page or a report through an escape: mypy refuses all other ways."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import irops

ROOT = Path(__file__).parents[2]
PACKAGE = Path(irops.__file__).parent
USES = Path(__file__).with_name("typed_texts.py")
SINKS = ("cli/streams.py", "server/start.py", "cli/completion.py")
"""What writes to a stream. The messages of the server name addresses, which no file holds; completion scripts
have words that a pattern admits.
"""


def test_mypy_refuses_text_that_no_escape_made_and_accepts_all_other(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context", str(USES)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    refused = {int(line) for line in re.findall(rf"^.*{USES.name}:(\d+): error", done.stdout, re.MULTILINE)}
    lines = USES.read_text().splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if "# WRONG" in line}
    assert len(wrong) > 30, "the file has lost its uses"
    assert {n: lines[n - 1] for n in wrong ^ refused} == {}, done.stdout + done.stderr


def test_nothing_prints_but_the_sinks_that_take_escaped_text() -> None:
    found = {
        f"{name}:{node.lineno}: {ast.unparse(node)[:80]}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if (name := path.relative_to(PACKAGE).as_posix()) not in SINKS
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and _prints(ast.unparse(node.func), ast.unparse(node))
    }
    assert found == set()


def _prints(function: str, call: str) -> bool:
    to_a_stream = re.match(
        r"((sys\.)?(stdout|stderr|out)|.*console\b.*)\.(write|writelines|print)$", function
    )
    to_json = function == "json.dump" and re.search(r"std(out|err)", call)
    return bool(function == "print" or to_a_stream or to_json)


def test_reports_are_written_by_the_function_that_takes_escaped_text() -> None:
    """Files of models, arrays and caches hold bytes; other text is encoded by one function."""
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and re.search(r"\.(write|writelines|write_text|write_bytes)$", ast.unparse(node.func))
        and re.search(r"\.encode\(|write_text\(", ast.unparse(node))
    }
    assert found == set(HOLDING_NO_REPORT)


DEFINITIONS = {"document/formulas.py", "document/views.py"}
"""What escapes formulas and texts of definitions, which are trusted."""
HOLDING_NO_REPORT = {
    "ir/write.py": "models",
    "debugging/weights_in_place.py": "models",
    "debugging/reduce/case_files.py": "a program, in which repr() quotes texts",
    "cli/new.py": "a definition and functions, made of a name that was matched",
    "document/site.py": "pages of definitions, and a mark of irops' own",
    "document/graph_stub.py": "a stub, made of definitions",
    "server/pages.py": "a page of a definition",
}


def test_only_the_escapes_of_a_medium_make_its_text() -> None:
    """cast and Any would pass text by mypy."""
    media = "Printable|Markup|Markdown|Cells|Dot|Json|Commands|Code|OwnText|Escaped"
    found = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line in path.read_text().splitlines()
        if re.search(rf"cast\(\W*({media})\b", line)
    ]
    assert found == []


def test_markup_is_escaped_in_one_place() -> None:
    importing = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        and node.module in ("html", "xml.sax.saxutils")
        and {alias.name for alias in node.names} & {"escape", "quoteattr"}
    }
    assert importing == {"diagnostics/printable.py"} | DEFINITIONS
