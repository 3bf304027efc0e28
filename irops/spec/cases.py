"""Examples and counterexamples of a definition, parsed on demand; whether they and its constraints agree."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from irops.spec.binding import Functions
from irops.spec.definition import Definition, ExampleCase, Tensor
from irops.values.element import STRING, Array, ElementType, element_type, tagged
from irops.values.shape import Shape


def examples(definition: Definition) -> tuple[ExampleCase, ...]:
    """The examples, with their tensors."""
    return tuple(_case(e) for e in definition.cases_source.findall("example"))


def counterexamples(definition: Definition) -> tuple[ExampleCase, ...]:
    """The counterexamples, whose inputs violate one constraint each."""
    return tuple(_case(e) for e in definition.cases_source.findall("counterexample"))


def _case(element: Any) -> ExampleCase:
    from lxml import etree

    data, net = element.find("data"), element.find("net")
    return ExampleCase(
        name=element.get("name"),
        attributes={} if data is None else dict(data.attrib),
        tensors=tuple(_tensor(t) for t in element.findall("tensor")),
        net=None if net is None else etree.tostring(net, with_tail=False),
        tolerance=float(element.get("tolerance", 1e-5)),
        violates=element.get("violates"),
        line=element.sourceline,
    )


def _tensor(element: Any) -> Tensor:
    kind = element_type(element.get("type"), foreign=True)
    shape = Shape.parse(element.get("shape"))
    known = element.get("known", "yes") == "yes" and shape.static
    value = value_of(element.text or "", kind, shape.to_tuple()) if known else None
    return Tensor(element.get("name"), kind, shape, value, element.get("output") == "yes")


def value_of(text: str, kind: ElementType, shape: tuple[int, ...]) -> Array:
    """Parse elements separated by whitespace: numbers, strings quoted with ', or true and false."""
    if kind is STRING:
        import shlex

        out = np.empty(shape, dtype=object)
        out.ravel()[:] = shlex.split(text)
        return out
    words = text.split()
    if kind.name == "boolean":
        return np.array(
            [{"true": True, "false": False, "1": True, "0": False}[w.lower()] for w in words], bool
        ).reshape(shape)
    if kind.integral or kind.kind == "lookup":
        wide = np.array([int(w) for w in words], dtype=np.uint64 if kind.name == "u64" else np.int64)
        return tagged(wide.astype(kind.dtype), kind).reshape(shape)
    if kind.kind == "complex":
        return np.array([complex(w) for w in words], kind.dtype).reshape(shape)
    return np.array([float(w) for w in words], dtype=np.float64).astype(kind.dtype).reshape(shape)


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
