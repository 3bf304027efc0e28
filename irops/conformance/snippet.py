"""A trial as a program that can be pasted: it fails as the backend did."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from irops.backends.requirements import MOVING
from irops.conformance.judge import CHANGED, WRONG_OUT
from irops.conformance.layouts import LAYOUTS, WRITEABLE, fits
from irops.conformance.literals import array_literal, literal
from irops.conformance.trial import Given, Trial, Truth
from irops.conformance.verdict import Verdict
from irops.invocation import Invocation
from irops.runtime.verify import TOLERANCES
from irops.values.element import CODED, Array, element_type_of

WIDTH = 120
IMPORTS = {
    "base64.": "import base64",
    "zlib.": "import zlib",
    "suppress(": "from contextlib import suppress",
    "ml_dtypes.": "import ml_dtypes",
    "np.": "import numpy as np",
    "irops.": "import irops",
    "chain(": "from irops.backends.backend import chain",
    "default_registry(": "from irops.registry import default_registry",
    "element_type(": "from irops.values.element import element_type",
    "Violation)": "from irops.values.violation import Violation",
}
"""What a program that holds a word has to import."""


def snippet(trial: Trial, truth: Truth, verdict: Verdict, backend: str) -> str:
    """The program. What must be refused goes to the kernel itself: irops.call would refuse it before."""
    names = _names(trial)
    given = [name for name, item in zip(names, trial.inputs) if item is not None]
    lines = [
        line for name, item in zip(names, trial.inputs) if item is not None for line in _array(name, item)
    ]
    arguments = ", ".join([name if name in given else "None" for name in names])
    if truth.broken is not None:
        lines += _refusal(trial, truth.broken, backend, arguments)
    elif verdict.fault == CHANGED:
        lines += [
            f"before = [{', '.join(f'{name}.tolist()' for name in given)}]",
            f'{_call(trial, arguments)}["{backend}"])',
            f"assert [{', '.join(f'{name}.tolist()' for name in given)}] == before",
        ]
    elif verdict.fault == WRONG_OUT:
        lines += _filling(trial, truth, backend, arguments)
    else:
        lines += _comparison(trial, truth, backend, arguments)
    text = "\n".join(lines)
    return "\n".join((*(line for word, line in IMPORTS.items() if word in text), "", text))


def _names(trial: Trial) -> list[str]:
    """Inputs by their names in the definition, those of a variadic one numbered."""
    ports = trial.op.definition.inputs
    last = len(ports) - 1
    return [
        f"{ports[last].name}_{k - last}" if k >= last and ports[last].variadic else ports[k].name
        for k in range(len(trial.inputs))
    ]


def _array(name: str, given: Given) -> Iterator[str]:
    array, kind = given.array, element_type_of(given.array)
    yield from _wrapped(f"{name} = {array_literal(array)}")
    if fits(array, given.layout) and given.layout != "plain":
        yield re.sub(r"\bx\b", name, LAYOUTS[given.layout].statement)
    if kind.name in CODED:
        yield f'{name} = irops.tagged({name}, element_type("{kind.name}"))'


def _wrapped(line: str) -> list[str]:
    """Numbers in several lines where one will not hold them; texts are left whole."""
    if len(line) <= WIDTH or "'" in line or '"' in line:
        return [line]
    return textwrap.wrap(
        line, WIDTH, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )


def _call(trial: Trial, arguments: str) -> str:
    """A call up to its backends."""
    values = Invocation(trial.op, trial.attributes).attributes
    attributes = {trial.op.definition.attributes[name].parameter: values[name] for name in trial.attributes}
    return f'irops.call("{trial.op.id}", {arguments}{_keywords(attributes)}, backends='


def _comparison(trial: Trial, truth: Truth, backend: str, arguments: str) -> list[str]:
    call = _call(trial, arguments)
    lines = [f'ours = {call}["{backend}"])', f'truth = {call}["reference"])']
    if len(truth.outputs) == 1:
        return [*lines, *_assertions(trial, truth.outputs[0], "ours", "truth")]
    for k, output in enumerate(truth.outputs):
        lines += _assertions(trial, output, f"ours[{k}]", f"truth[{k}]")
    return lines


def _assertions(trial: Trial, output: Array | None, ours: str, truth: str) -> list[str]:
    """How the two are compared: by bits, unless the op computes floating-point numbers."""
    if output is None:
        return []
    kind = element_type_of(output)
    same = f"assert {ours}.dtype == {truth}.dtype and {ours}.shape == {truth}.shape"
    if kind.floating and trial.op.definition.category not in MOVING and kind.name in TOLERANCES:
        relative, absolute = TOLERANCES[kind.name]
        return [
            same,
            (
                f"np.testing.assert_allclose({ours}.astype(float), {truth}.astype(float), rtol={relative},"
                f" atol={absolute})"
            ),
        ]
    bits = "tobytes" if kind.bits >= 8 else "tolist"
    return [same, f"assert {ours}.{bits}() == {truth}.{bits}(), ({ours}, {truth})"]


def _refusal(trial: Trial, broken: str, backend: str, arguments: str) -> list[str]:
    """A program that ends well only if the kernel raises a Violation."""
    return [
        *_kernel(trial, backend),
        "with suppress(Violation):",
        f"    result = kernel({arguments}{_direct(trial)})",
        f'    raise AssertionError(f"{broken} is broken, and there is a result: {{result}}")',
    ]


def _filling(trial: Trial, truth: Truth, backend: str, arguments: str) -> list[str]:
    """A program that ends well only if the kernel fills an array as the reference would."""
    layout, output = next(given for given in trial.inputs if given is not None).layout, truth.outputs[0]
    statement = (
        LAYOUTS[layout].statement
        if layout in WRITEABLE and output is not None and fits(output, layout)
        else ""
    )
    return [
        f'truth = {_call(trial, arguments)}["reference"])',
        "out = np.zeros_like(truth)",
        *([re.sub(r"\bx\b", "out", statement)] if statement else []),
        *_kernel(trial, backend),
        f"kernel({arguments}{_direct(trial)}, out=out)",
        *_assertions(trial, output, "out", "truth"),
    ]


def _kernel(trial: Trial, backend: str) -> list[str]:
    return [
        f'(backend,) = chain(["{backend}"])',
        f'kernel = backend.kernel(default_registry().op("{trial.op.id}"))',
    ]


def _direct(trial: Trial) -> str:
    """The attributes as a kernel gets them."""
    return _keywords(Invocation(trial.op, trial.attributes).keywords("kernel", trial.arrays))


def _keywords(attributes: dict[str, Any]) -> str:
    return "".join([f", {name}={literal(value)}" for name, value in sorted(attributes.items())])
