"""Write a trial as a self-contained program that reproduces the failure of the backend."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from irops.backends.one_op import MOVING
from irops.conformance.client import CHANGED, WRONG_OUT
from irops.conformance.trial import LAYOUTS, WRITEABLE, Expected, Trial, TrialInput, fits
from irops.conformance.verdict import CaseVerdict
from irops.invocation import Invocation
from irops.values.arrays import array_literal, literal
from irops.values.element import CODED, Array, element_type_of
from irops.verdicts.metrics import TOLERANCES

WIDTH = 120
IMPORTS = {
    "base64.": "import base64",
    "zlib.": "import zlib",
    "suppress(": "from contextlib import suppress",
    "ml_dtypes.": "import ml_dtypes",
    "np.": "import numpy as np",
    "irops.": "import irops",
    "chain(": "from irops.backends.catalogue import chain",
    "default_registry(": "from irops.registry import default_registry",
    "element_type(": "from irops.values.element import element_type",
    "Violation)": "from irops.values.violation import Violation",
}
"""The import that a program needs if it contains a text."""


def snippet(trial: Trial, expected: Expected, verdict: CaseVerdict, backend: str) -> str:
    """The program. Invalid inputs are passed to the kernel directly, since irops.call would refuse them."""
    names = _names(trial)
    present = [name for name, trial_input in zip(names, trial.inputs) if trial_input is not None]
    lines = [
        line
        for name, trial_input in zip(names, trial.inputs)
        if trial_input is not None
        for line in _array(name, trial_input)
    ]
    arguments = ", ".join([name if name in present else "None" for name in names])
    if expected.violated is not None:
        lines += _refusal(trial, expected.violated, backend, arguments)
    elif verdict.fault == CHANGED:
        lines += [
            f"before = [{', '.join(f'{name}.tolist()' for name in present)}]",
            f'{_call(trial, arguments)}["{backend}"])',
            f"assert [{', '.join(f'{name}.tolist()' for name in present)}] == before",
        ]
    elif verdict.fault == WRONG_OUT:
        lines += _filling(trial, expected, backend, arguments)
    else:
        lines += _comparison(trial, expected, backend, arguments)
    text = "\n".join(lines)
    return "\n".join((*(line for word, line in IMPORTS.items() if word in text), "", text))


def _names(trial: Trial) -> list[str]:
    """The names of the inputs in the definition; those of a variadic input are numbered."""
    ports = trial.op.definition.inputs
    last = len(ports) - 1
    return [
        f"{ports[last].name}_{k - last}" if k >= last and ports[last].variadic else ports[k].name
        for k in range(len(trial.inputs))
    ]


def _array(name: str, trial_input: TrialInput) -> Iterator[str]:
    array, kind = trial_input.array, element_type_of(trial_input.array)
    yield from _wrapped(f"{name} = {array_literal(array)}")
    if fits(array, trial_input.layout) and trial_input.layout != "plain":
        yield re.sub(r"\bx\b", name, LAYOUTS[trial_input.layout].statement)
    if kind.name in CODED:
        yield f'{name} = irops.tagged({name}, element_type("{kind.name}"))'


def _wrapped(line: str) -> list[str]:
    """Wrap a long line of numbers; lines with strings are not wrapped."""
    if len(line) <= WIDTH or "'" in line or '"' in line:
        return [line]
    return textwrap.wrap(
        line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def _call(trial: Trial, arguments: str) -> str:
    """The call of irops.call, up to the argument backends."""
    values = Invocation(trial.op, trial.attributes).attributes
    attributes = {trial.op.definition.attributes[name].parameter: values[name] for name in trial.attributes}
    return f'irops.call("{trial.op.id}", {arguments}{_keywords(attributes)}, backends='


def _comparison(trial: Trial, expected: Expected, backend: str, arguments: str) -> list[str]:
    call = _call(trial, arguments)
    lines = [f'ours = {call}["{backend}"])', f'expected = {call}["reference"])']
    if len(expected.outputs) == 1:
        return [*lines, *_assertions(trial, expected.outputs[0], "ours", "expected")]
    for k, output in enumerate(expected.outputs):
        lines += _assertions(trial, output, f"ours[{k}]", f"expected[{k}]")
    return lines


def _assertions(trial: Trial, output: Array | None, ours: str, expected: str) -> list[str]:
    """Assertions that compare two arrays: bit for bit, unless the op computes floating-point numbers."""
    if output is None:
        return []
    kind = element_type_of(output)
    same = f"assert {ours}.dtype == {expected}.dtype and {ours}.shape == {expected}.shape"
    if kind.floating and trial.op.definition.category not in MOVING and kind.name in TOLERANCES:
        relative, absolute = TOLERANCES[kind.name]
        return [
            same,
            (
                f"np.testing.assert_allclose({ours}.astype(float), {expected}.astype(float), rtol={relative},"
                f" atol={absolute})"
            ),
        ]
    bits = "tobytes" if kind.bits >= 8 else "tolist"
    return [same, f"assert {ours}.{bits}() == {expected}.{bits}(), ({ours}, {expected})"]


def _refusal(trial: Trial, violated: str, backend: str, arguments: str) -> list[str]:
    """Code that succeeds only if the kernel raises a Violation."""
    return [
        *_kernel(trial, backend),
        "with suppress(Violation):",
        f"    result = kernel({arguments}{_kernel_keywords(trial)})",
        f'    raise AssertionError(f"{violated} is violated, but there is a result: {{result}}")',
    ]


def _filling(trial: Trial, expected: Expected, backend: str, arguments: str) -> list[str]:
    """Code that succeeds only if the kernel fills the array `out` like the reference."""
    layout, output = (
        next(trial_input for trial_input in trial.inputs if trial_input is not None).layout,
        expected.outputs[0],
    )
    statement = (
        LAYOUTS[layout].statement
        if layout in WRITEABLE and output is not None and fits(output, layout)
        else ""
    )
    return [
        f'expected = {_call(trial, arguments)}["reference"])',
        "out = np.zeros_like(expected)",
        *([re.sub(r"\bx\b", "out", statement)] if statement else []),
        *_kernel(trial, backend),
        f"kernel({arguments}{_kernel_keywords(trial)}, out=out)",
        *_assertions(trial, output, "out", "expected"),
    ]


def _kernel(trial: Trial, backend: str) -> list[str]:
    return [
        f'(backend,) = chain(["{backend}"])',
        f'kernel = backend.kernel(default_registry().op("{trial.op.id}"))',
    ]


def _kernel_keywords(trial: Trial) -> str:
    """The attributes as keyword arguments of a kernel."""
    return _keywords(Invocation(trial.op, trial.attributes).keywords("kernel", trial.arrays))


def _keywords(attributes: dict[str, Any]) -> str:
    return "".join([f", {name}={literal(value)}" for name, value in sorted(attributes.items())])
