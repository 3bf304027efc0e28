"""Checks that the constraints of a definition, its code and its counterexamples agree."""

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
    """The ids of constraints that the functions of an op, the functions that these call, and its shape rules
    cite.
    """
    cited = {word for port in definition.outputs for word in port.shape if _ID.fullmatch(word)}
    for role in ("shape", "kernel", "values"):
        function = getattr(functions, role)
        if function is not None:
            cited |= _named_in(inspect.unwrap(function), set())
    return cited


def _named_in(function: Callable[..., Any], seen: set[Any]) -> set[str]:
    """Constraint ids in the code of a function, and of functions of ops that it calls by name."""
    code = getattr(function, "__code__", None)
    if code is None or code in seen:
        return set()
    seen.add(code)
    tree = ast.parse(inspect.cleandoc("\n" + inspect.getsource(function)))
    ids: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _ID.fullmatch(node.value):
            ids.add(node.value)
        elif isinstance(node, ast.Name):
            called = _lookup(function, node.id)
            if inspect.isfunction(called) and (called.__module__ or "").startswith(
                ((function.__module__ or "?").rsplit(".", 2)[0], OPS)
            ):
                ids |= _named_in(inspect.unwrap(called), seen)
    return ids


def _lookup(function: Callable[..., Any], name: str) -> Any:
    closure = inspect.getclosurevars(function).nonlocals if function.__code__.co_freevars else {}
    return closure.get(name, getattr(function, "__globals__", {}).get(name))


def incoherences(definition: Definition, functions: Functions) -> list[str]:
    """Constraints that no code cites or no counterexample violates, and citations of unknown constraints.

    Functions shared by an op of another dialect may cite constraints that cannot be violated there.
    """
    defined, cited = set(definition.constraints), cited_constraints(definition, functions)
    violated = {case.violates for case in counterexamples(definition)}
    return [
        *(f"{definition.id}:{c} is defined, but no code cites it" for c in sorted(defined - cited)),
        *(
            f"{definition.id}:{c} is cited by code, but not defined"
            for c in sorted(cited - defined)
            if definition.dialect == "openvino"
        ),
        *(f"{definition.id}:{c} is violated by no counterexample" for c in sorted(defined - violated)),
    ]
