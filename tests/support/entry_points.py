"""Calls every function and every command that takes a model, and collects what is neither a result nor one of
the documented errors.
"""

import contextlib
import inspect
import io
import itertools
import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tables import table

import irops
from irops.analysis.checks.declared import fixed_text
from irops.analysis.model_analysis import ModelAnalysis, analyse
from irops.analysis.synthetic import synthetic_inputs
from irops.cli.main import main

SMALL = irops.Limits(tensor_bytes=32 << 20, iterations=100, run_seconds=2, seconds=5)
STATUSES = table(__file__, "statuses")
"""The exit codes that each command documents for a file."""
EXAMPLE = Path(__file__).parents[2] / "examples" / "bidirectional_encoder" / "model.xml"
MAX_OUTPUT = 30 << 20
"""Bytes that a command may print: a thousand findings, with all texts as long as they may be, and notes."""
RAW = tuple(chr(code) for code in (*range(9), *range(11, 32), 0x7F, 0x9B, 0x202E, 0x2028))
"""Characters that control a terminal or the direction of text."""


def functions(path: Path) -> dict[str, Callable[[], object]]:
    """The public functions of a model, applied to a file."""
    copy = path.with_name("copy.xml")
    return {
        "check": lambda: irops.check(path),
        "compare": lambda: irops.compare(*_with_inputs(path), b="reference"),
        "convert": lambda: [irops.convert(path, target) for target in ("2023.0", "newest")],
        "diff": lambda: [
            repr(irops.diff(*pair)) for pair in ((path, path), (path, EXAMPLE), (EXAMPLE, path))
        ],
        "draw": lambda: irops.draw(path)._repr_svg_(),
        "extract": lambda: [irops.extract(path, around=layer) for layer in _layers(path)],
        "Graph": lambda: irops.Graph(irops.read(path)).model(),
        "infer": lambda: irops.infer(path),
        "read": lambda: irops.read(path),
        "reduce": lambda: irops.reduce(path, rule="IR401", tries=2),
        "run": lambda: irops.run(*_with_inputs(path), backends="reference"),
        "Session": lambda: irops.Session(path),
        "translate": lambda: [irops.translate(path, to=name) for name in ("onnx", "openvino")],
        "vjp": lambda: irops.vjp(*_with_inputs(path), dict),
        "why": lambda: [repr(irops.why(path, layer)) for layer in _layers(path)],
        "write": lambda: irops.write(irops.read(path), copy),
        "fix": lambda: fixed_text(path.read_bytes(), lambda text: irops.check(path, text=text)),
        "repr": lambda: [repr(item) for item in (irops.check(path), irops.infer(path), irops.read(path))],
    }


def _layers(path: Path) -> list[str | int]:
    return [layer.id for layer in irops.read(path).graph.layers[:2]]


def _with_inputs(path: Path) -> tuple[ModelAnalysis, list[Any]]:
    analysis = analyse(irops.read(path), limits=SMALL)
    return analysis, [filled.array for filled in synthetic_inputs(analysis, "ones", limits=SMALL)]


DOCUMENTED = {"write": ValueError, "reduce": ValueError, "why": IndexError}
"""What functions raise beside a DiagnosticError: for text that XML cannot represent, for no output."""


def wrong_calls(name: str, folder: Path) -> Iterator[tuple[str, object, Callable[[], object]]]:
    """Calls of a public function with one argument of another type: the parameter and the argument."""
    model, inputs = irops.read(EXAMPLE), EXAMPLE.with_name("inputs.npz")
    values, layer = dict(np.load(inputs)), "Constant_6"
    sound: dict[str, tuple[Any, ...]] = {
        "Graph": (model,),
        "call": ("Relu-1", np.ones(2)),
        "compare": (EXAMPLE, values, "reference", "reference"),
        "convert": (EXAMPLE, "2023.0"),
        "definition": ("Relu-1",),
        "diff": (EXAMPLE, EXAMPLE),
        "extract": (EXAMPLE, None, [layer]),
        "reduce": (EXAMPLE, values, lambda *_: False),
        "run": (EXAMPLE, values),
        "survey": (folder / "none.xml",),
        "tagged": (np.zeros(2, np.uint8), "u4"),
        "translate": (EXAMPLE, "onnx"),
        "vjp": (EXAMPLE, values, np.ones(1)),
        "why": (EXAMPLE, layer),
        "write": (model, folder / "m.xml"),
    }
    function = getattr(irops, name)
    parameters = inspect.signature(function).parameters
    arguments = inspect.signature(function).bind_partial(*sound.get(name, (EXAMPLE,)[: len(parameters)]))
    for parameter, value in itertools.product(parameters.values(), (*WRONG, folder)):
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            changed = {**arguments.arguments, parameter.name: value}
            bound = inspect.signature(function).bind_partial()
            bound.arguments.update({key: changed[key] for key in parameters if key in changed})
            yield parameter.name, value, partial(function, *bound.args, **bound.kwargs)


NUMBERS = (3, -1, 2.5, math.nan, 10**400)
WRONG = (*NUMBERS, None, b"x", [1], {1: 2}, "a\0b", "\ud800", "/no/such.xml", "/dev/zero", np.zeros(2))


def raw_errors(path: Path) -> Iterator[tuple[str, BaseException]]:
    """The functions that raise, or warn of, what none of them documents."""
    for name, call in functions(path).items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", ResourceWarning)
                call()
        except (irops.DiagnosticError, MemoryError, DOCUMENTED.get(name, MemoryError)):
            continue
        except Exception as error:
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
    for form in ("full", "concise", "json", "sarif", "github", "gitlab"):
        yield "check", path, "--output-format", form
    for line in table(__file__, "command_lines"):
        names = {"MODEL": path, "EXAMPLE": EXAMPLE}
        words = (names.get(word, word) for word in line.split())
        yield tuple(str(word).replace("OUT/", f"{output}/") for word in words)


def call(*words: Any) -> tuple[int, str, str]:
    """A command in this process: its exit code, and what it prints."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(word) for word in words])
    return status, out.getvalue(), err.getvalue()
