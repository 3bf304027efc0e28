"""The functions of ops, tied to their definitions by name.

A module of irops.ops (or of a user) marks its functions with @shape("ReverseSequence-1"), @kernel(...),
@values(...), @gradient(...);
the registry takes them from here and holds their parameters to the XML: inputs are positional, attributes
    keyword-only.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

from irops.diagnostics.diagnostic import DefinitionError, Diagnostic, Location
from irops.diagnostics.rules import rule
from irops.spec.definition import Definition

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)


@dataclass(slots=True)
class Functions:
    """What Python holds of one op. gradients: by the input that they are of."""

    shape: Function | None = None
    kernel: Function | None = None
    values: Function | None = None
    gradients: dict[str, Function] = field(default_factory=dict)
    keyword_params: dict[str, frozenset[str] | None] = field(
        default_factory=dict
    )  # keyword parameters of each; None: all

    def by_role(self) -> dict[str, Function]:
        """Those that there are, by what they do: shape, kernel, values, gradient of data."""
        found = {role: getattr(self, role) for role in ROLES if getattr(self, role) is not None}
        return found | {f"gradient of {of}": function for of, function in self.gradients.items()}

    def fill(self, others: Functions) -> None:
        """Take what is missing from others."""
        for role in ROLES:
            if getattr(self, role) is None and getattr(others, role) is not None:
                setattr(self, role, getattr(others, role))
                self.keyword_params[role] = others.keyword_params[role]


ROLES = ("shape", "kernel", "values")
ONLY = ""
"""Stands for the one input that an op has a gradient of."""
BOUND: dict[str, dict[str, Functions]] = {}
"""By module, then by id: what a module binds holds for the definitions that name this module, and no others.
"""


def _bind(role: str, ids: tuple[str, ...]) -> Callable[[F], F]:
    def mark(function: F) -> F:
        for op in ids:
            setattr(BOUND.setdefault(function.__module__, {}).setdefault(op, Functions()), role, function)
        return function

    return mark


def shape(*ids: str) -> Callable[[F], F]:
    """Mark the function that infers: Facts of the inputs in, a Shape (or Fact) per output out. Raises
    Violation.
    """
    return _bind("shape", ids)


def kernel(*ids: str, widen: bool = False) -> Callable[[F], F]:
    """Mark the function that computes: arrays in, an array per output out. Raises Violation for requirements
    of run time.

    widen: floating types narrower than f32 are computed in f32, and results rounded once.
    """
    if not widen:
        return _bind("kernel", ids)

    def mark(function: F) -> F:
        _bind("kernel", ids)(_widened(function))
        return function

    return mark


def values(*ids: str) -> Callable[[F], F]:
    """Mark the function that knows values in part: like a kernel, on arrays of Dims (or of numbers) with
    integers in them.

    None as an input: not given. May return None where nothing is known.
    """
    return _bind("values", ids)


def gradient(*ids: str, of: str = ONLY, widen: bool = False) -> Callable[[F], F]:
    """Mark the function that takes the gradient of the outputs back to an input; of: which, where several
    have one.

    It takes the gradient of every output as d_<output> (a tuple, of a variadic one), then what the definition
    says is saved, by name; keyword-only, attributes and <input>_shape and <input>_type of any input (tuples,
    of a variadic one),
    which cost nothing to keep. It gives an array of the input's type and shape (a tuple, of a variadic one).
    widen: as of a kernel.
    """

    def mark(function: F) -> F:
        for op in ids:
            functions = BOUND.setdefault(function.__module__, {}).setdefault(op, Functions())
            functions.gradients[of] = _widened(function) if widen else function
        return function

    return mark


def _widened(function: Function) -> Function:
    import numpy as np

    def narrow(item: Any) -> bool:
        return (
            isinstance(item, np.ndarray)
            and item.dtype.itemsize < 4
            and item.dtype.kind in "fV"
            and item.dtype.metadata is None
        )

    @wraps(function)
    def widened(*inputs: Any, **attributes: Any) -> Any:
        narrows = [
            item.dtype
            for item in inputs
            if narrow(item) and item.dtype.name not in ("int4", "uint4", "int2", "uint2")
        ]
        if not narrows:
            return function(*inputs, **attributes)
        kind = narrows[0]
        with np.errstate(over="ignore"):
            result = function(
                *(i.astype(np.float32) if narrow(i) and i.dtype == kind else i for i in inputs), **attributes
            )
            back = tuple(
                r.astype(kind) if r.dtype == np.float32 else r
                for r in (result if isinstance(result, tuple) else (result,))
            )
        return back if isinstance(result, tuple) else back[0]

    return widened


def bound_to(definition: Definition, modules: Iterable[str]) -> list[Functions]:
    """What each of some modules binds to a definition."""
    return [BOUND[m][definition.file_id] for m in modules if definition.file_id in BOUND.get(m, ())]


def functions_of(
    definition: Definition, modules: Iterable[str], otherwise: Functions | None = None
) -> Functions:
    """The functions that modules bind to a definition, their parameters held to it; otherwise: those to take
    where they bind none.

    Raises:  DefinitionError naming both files where names differ
    """
    modules = tuple(modules)
    found = bound_to(definition, modules)
    functions = Functions()
    for role in ROLES:
        setattr(functions, role, next((getattr(f, role) for f in found if getattr(f, role)), None))
    faults = []
    for role in ("shape", "kernel", "values"):
        function = getattr(functions, role)
        if function is not None:
            wrong, functions.keyword_params[role] = _mismatch(function, definition)
            if wrong:
                code = inspect.unwrap(function).__code__
                faults.append(
                    Diagnostic(
                        rule("mismatched-function"),
                        f"{role} function {function.__name__} of {definition.id} {wrong}",
                        Location(code.co_filename, code.co_firstlineno),
                        notes=(f"the definition: {definition.path}",),
                    )
                )
    if otherwise is not None:
        functions.fill(otherwise)
    faults.extend(bind_gradients(definition, found, functions))
    if functions.kernel is None:
        faults.append(
            Diagnostic(
                rule("missing-function"),
                f"{definition.id} has no kernel in {', '.join(modules)}",
                Location(definition.path),
            )
        )
    if faults:
        raise DefinitionError(faults)
    return functions


def bind_gradients(
    definition: Definition, found: Sequence[Functions], functions: Functions
) -> Iterator[Diagnostic]:
    """Give the definition's gradients their functions; tells where one lacks the other, or names differ."""
    stated = definition.gradients
    bound = {
        of or next(iter(stated), of): function
        for some in reversed(found)
        for of, function in some.gradients.items()
    }
    for of in stated.keys() - bound.keys():
        yield Diagnostic(
            rule("missing-function"),
            f"{definition.id} states a gradient of {of}, and no function computes it",
            Location(definition.path),
        )
    for of, function in bound.items():
        wrong, taken = (
            (f"is of {of or 'no input'}, of which the definition states no gradient", None)
            if of not in stated
            else _gradient_mismatch(function, definition, of)
        )
        functions.gradients[of], functions.keyword_params[f"gradient of {of}"] = function, taken
        if wrong:
            code = inspect.unwrap(function).__code__
            yield Diagnostic(
                rule("mismatched-function"),
                f"gradient function {function.__name__} of {definition.id} {wrong}",
                Location(code.co_filename, code.co_firstlineno),
                notes=(f"the definition: {definition.path}",),
            )


def _gradient_mismatch(
    function: Function, definition: Definition, of: str
) -> tuple[str, frozenset[str] | None]:
    parameters = list(inspect.signature(function).parameters.values())
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    wanted = [*(f"d_{p.name}" for p in definition.outputs), *definition.gradients[of].saves]
    if names != wanted:
        return f"takes ({', '.join(names)}), by the definition it takes ({', '.join(wanted)})", None
    keywords = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    about = {f"{p.name}_{what}" for p in definition.inputs for what in ("shape", "type")}
    unknown = keywords - {*(a.parameter for a in definition.attributes.values()), *about}
    if unknown:
        return f"takes {', '.join(sorted(unknown))}, which the definition does not name", None
    return "", frozenset(keywords)


def _mismatch(function: Function, definition: Definition) -> tuple[str, frozenset[str] | None]:
    parameters = list(inspect.signature(function).parameters.values())
    positional = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    spread = [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]
    keywords = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    everything = any(p.kind is p.VAR_KEYWORD for p in parameters)
    names = [p.name for p in positional] + spread
    wanted = [p.name for p in definition.inputs]
    if spread and definition.inputs and not definition.inputs[-1].variadic:
        return f"takes *{spread[0]}, but no input of the definition is variadic", None
    if names != wanted:
        return f"takes the inputs ({', '.join(names)}), the definition names ({', '.join(wanted)})", None
    unknown = keywords - {
        *(a.parameter for a in definition.attributes.values()),
        *definition.bodies,
        *definition.later,
        *CONTEXT,
    }
    if unknown:
        return f"takes {', '.join(sorted(unknown))}, which the definition does not name", None
    return "", None if everything else frozenset(keywords)


CONTEXT = frozenset({"value", "variables", "result_type", "output_count"})
"""Keyword parameters that functions may take beside attributes.

value: a tensor from outside the graph (the weights, the caller); variables: a session's, by variable_id;
    result_type, of values
functions alone: the element type of the first output; output_count, of shape functions alone: how many
    outputs the layer declares.
"""
