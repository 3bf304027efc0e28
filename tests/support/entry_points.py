"""Calls every function and every command that takes a model, and collects what is neither a result nor one of
the documented errors.
"""

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import irops
from irops.analysis.checks.declared import fixed_text
from irops.analysis.made_up import made_up_inputs
from irops.analysis.model_analysis import analyse
from irops.cli.main import main

SMALL = irops.Limits(tensor_bytes=32 << 20, iterations=100, run_seconds=2, seconds=5)
STATUSES = {
    "check": (0, 1),
    "infer": (0, 1),
    "inspect": (0, 1),
    "run": (0, 1, 2),  # 2: an input cannot be made up, which is about --fill
    "diff": (0, 1),
    "extract": (0, 1, 2),  # 2: there is no layer of the name, which is about --around
    "convert": (0, 1),
}
"""The exit codes that each command documents for a file."""
EXAMPLE = Path(__file__).parents[2] / "examples" / "bidirectional_encoder" / "model.xml"
MAX_OUTPUT = 30 << 20
"""Bytes that a command may print: a thousand findings, with all texts as long as they may be, and notes."""
RAW = tuple(chr(code) for code in (*range(9), *range(11, 32), 0x7F, 0x9B, 0x202E, 0x2028))
"""Characters that control a terminal or the direction of text."""


def functions(path: Path) -> dict[str, Callable[[], object]]:
    """The public functions, applied to a file."""
    copy = path.with_name("copy.xml")
    return {
        "check": lambda: irops.check(path),
        "infer": lambda: irops.infer(path),
        "run": lambda: _run(path),
        "translate": lambda: [irops.translate(path, to=name) for name in ("onnx", "openvino")],
        "write": lambda: irops.write(irops.read(path), copy),
        "fix": lambda: fixed_text(path.read_bytes(), lambda text: irops.check(path, text=text)),
        "repr": lambda: [repr(item) for item in (irops.check(path), irops.infer(path), irops.read(path))],
    }


def _run(path: Path) -> object:
    analysis = analyse(irops.read(path), limits=SMALL)
    inputs = [filled.array for filled in made_up_inputs(analysis, "ones", limits=SMALL)]
    return irops.run(analysis, inputs, backends="reference")


def raw_errors(path: Path) -> Iterator[tuple[str, BaseException]]:
    """The functions that raise, or warn of, what none of them documents."""
    for name, call in functions(path).items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", ResourceWarning)
                call()
        except (irops.DiagnosticError, MemoryError):
            continue
        except ValueError as error:
            if name != "write":  # of text that XML cannot represent
                yield name, error
        except (Exception, RecursionError) as error:
            yield name, error


def command_faults(path: Path, output: Path) -> Iterator[tuple[str, str]]:
    """The commands that do not end with a documented exit code, and with a bounded text to read."""
    for words in command_lines(path, output):
        status, out, err = call(*words)
        line = " ".join(map(str, words[:4]))
        if status not in STATUSES[words[0]]:
            yield line, f"exit code {status}: {err[:500]}"
        if "internal error" in err or "Traceback" in err:
            yield line, err[:500]
        if len(out) + len(err) > MAX_OUTPUT:
            yield line, f"{len(out) + len(err)} bytes"
        if status != 0 and "--diff" not in words and not (out.strip() or err.strip()):
            yield line, "says nothing"
        if any(character in out or character in err for character in RAW):
            yield line, "prints control characters"


def command_lines(path: Path, output: Path) -> Iterator[tuple[Any, ...]]:
    for form in ("full", "concise", "json", "sarif", "github"):
        yield "check", path, "--output-format", form
    yield "check", path, "--diff"
    for form in ("full", "json"):
        yield "infer", path, "--output-format", form
        yield "inspect", path, "--output-format", form
        yield "diff", path, path, "--output-format", form
    yield "diff", path, EXAMPLE
    yield "extract", path, "--around", "n1", "-o", output / "part.xml"
    limits = ("--limit", "tensor_bytes=33554432", "--limit", "iterations=100", "--limit", "run_seconds=2")
    save = ("--save-outputs", output / "out.npz")
    yield "run", path, "--fill", "ones", "--source", "reference", "--keep", "all", *limits, *save
    yield "convert", path, "--target", "2023.0", "-o", output / "old.xml"
    yield "convert", path, "--target", "onnx", "-o", output / "copy.onnx"
    yield "convert", path, "--target", "openvino", "-o", output / "copy.xml"


def call(*words: Any) -> tuple[int, str, str]:
    """A command in this process: its exit code, and what it prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(word) for word in words])
    return status, out.getvalue(), err.getvalue()
