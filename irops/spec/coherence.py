"""Whether a definition's sentences, its code and its counterexamples agree about which constraints
there are.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from typing import Any

from irops.spec.binding import Functions
from irops.spec.cases import counterexamples
from irops.spec.definition import Definition

_ID = re.compile(r"C[1-9][0-9]*")
OPS = "irops.ops."
"""Functions of these modules are called by those of other dialects, too."""


def cited_constraints(definition: Definition, functions: Functions) -> set[str]:
    """The numbers of constraints that an op's functions, the functions of its module that they call, and its
    stock rules name.
    """
    cited = {word for port in definition.outputs for word in port.shape if _ID.fullmatch(word)}
    for role in ("shape", "kernel", "values"):
        function = getattr(functions, role)
        if function is not None:
            cited |= _named_in(inspect.unwrap(function), set())
    return cited


def _named_in(function: Callable[..., Any], seen: set[Any]) -> set[str]:
    """Constraint numbers in a function's code and in that of functions of ops that it calls by name."""
    code = getattr(function, "__code__", None)
    if code is None or code in seen:
        return set()
    seen.add(code)
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(function)))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _ID.fullmatch(node.value):
            found.add(node.value)
        elif isinstance(node, ast.Name):
            called = _lookup(function, node.id)
            if inspect.isfunction(called) and (called.__module__ or "").startswith(
                ((function.__module__ or "?").rsplit(".", 2)[0], OPS)
            ):
                found |= _named_in(inspect.unwrap(called), seen)
    return found


def _lookup(function: Callable[..., Any], name: str) -> Any:
    closure = inspect.getclosurevars(function).nonlocals if function.__code__.co_freevars else {}
    return closure.get(name, getattr(function, "__globals__", {}).get(name))


def incoherences(definition: Definition, functions: Functions) -> list[str]:
    """What does not agree: sentences without code, code without sentence, sentences that no counterexample
    breaks.

    Functions that another dialect's op shares may cite more than can be broken there.
    """
    stated, cited = set(definition.constraints), cited_constraints(definition, functions)
    broken = {case.violates for case in counterexamples(definition)}
    return [
        *(f"{definition.id}:{c} is stated and no code cites it" for c in sorted(stated - cited)),
        *(
            f"{definition.id}:{c} is cited by code and not stated"
            for c in sorted(cited - stated)
            if definition.dialect == "openvino"
        ),
        *(f"{definition.id}:{c} is broken by no counterexample" for c in sorted(stated - broken)),
    ]
