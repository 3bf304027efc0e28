"""Binds the functions of ops to their definitions by name.

A module of irops.ops (or of a user) marks its functions with @shape("ReverseSequence-1"), @kernel(...),
@values(...), @gradient(...); the registry gets them from here and checks their parameters against the XML:
inputs are positional, attributes keyword-only, **attributes are all that have no parameter of their own. In a
function of several versions of an op, a parameter with a default is one that not all of them have.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, TypeVar

from irops.diagnostics.diagnostic import DefinitionError, Diagnostic, Location
from irops.diagnostics.rules import rule
from irops.spec.definition import Definition
from irops.values.fact import holds_dims

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)


@dataclass(slots=True)
class Functions:
    """The functions of one op. gradients: by differentiated input; keyword_params: by role, the keyword
    parameters of each function.
    """

    shape: Function | None = None
    kernel: Function | None = None
    values: Function | None = None
    gradients: dict[str, Function] = field(default_factory=dict)
    keyword_params: dict[str, frozenset[str]] = field(default_factory=dict)

    def by_role(self) -> dict[str, Function]:
        """The defined functions by role: shape, kernel, values, gradient of data."""
        functions = {role: getattr(self, role) for role in ROLES if getattr(self, role) is not None}
        return functions | {f"gradient of {of}": function for of, function in self.gradients.items()}

    def fill(self, others: "Functions") -> None:
        """Copy functions that are missing from others."""
        for role in ROLES:
            if getattr(self, role) is None and getattr(others, role) is not None:
                setattr(self, role, getattr(others, role))
                self.keyword_params[role] = others.keyword_params[role]


ROLES = ("shape", "kernel", "values")
ONLY = ""
"""Stands for the only input that an op has a gradient of."""
BY_KERNEL = "is_computed_by_kernel"
"""The attribute of gradient functions that the kernel of the op can replace."""
BOUND: dict[str, dict[str, Functions]] = {}
"""By module, then by id: the bindings of a module apply only to definitions that name this module."""


def _bind(role: str, ids: tuple[str, ...]) -> Callable[[F], F]:
    def mark(function: F) -> F:
        for op in ids:
            setattr(BOUND.setdefault(function.__module__, {}).setdefault(op, Functions()), role, function)
        return function

    return mark


def shape(*ids: str) -> Callable[[F], F]:
    """Mark the shape function of ops: takes Facts of the inputs, returns a Shape or Fact per output.

    It raises Violation if a constraint is violated.
    """
    return _bind("shape", ids)


def kernel(*ids: str, widen: bool = False, moves: tuple[str, ...] = ()) -> Callable[[F], F]:
    """Mark the kernel of ops: takes arrays, returns an array per output.

    It raises Violation if a run-time constraint is violated. widen: compute floating types narrower than f32
    in f32, and round results once. moves: inputs whose elements it only moves, so that it is also the values
    function of the ops.
    """

    def mark(function: F) -> F:
        if moves:
            _bind("values", ids)(moving(function, *moves))
        _bind("kernel", ids)(_widened(function) if widen else function)
        return function

    return mark


def values(*ids: str) -> Callable[[F], F]:
    """Mark the function that computes partially known values: like a kernel, on arrays of Dims or numbers.

    An input that is omitted is None. It may return None if no element is known.
    """
    return _bind("values", ids)


def moving(kernel: Function, *moves: str) -> Function:
    """The values function of an op whose kernel only moves elements of some inputs, by name: what is known of
    them where all other inputs are known, otherwise None.
    """
    names = list(inspect.signature(kernel).parameters)
    moved = {names.index(name) for name in moves}

    @wraps(kernel)
    def moved_values(*inputs: Any, **attributes: Any) -> Any:
        if any(item is not None and holds_dims(item) for k, item in enumerate(inputs) if k not in moved):
            return None
        objects = (item.astype(object) if k in moved else item for k, item in enumerate(inputs))
        return kernel(*objects, **attributes)

    return moved_values


def gradient(*ids: str, of: str = ONLY, widen: bool = False, by_kernel: bool = False) -> Callable[[F], F]:
    """Mark the function that computes the gradient of an input; of: its name, if several inputs have one.

    The function takes the cotangent of every output as d_<output>, then the saved inputs and outputs that the
    definition lists; keyword-only, attributes and <input>_shape and <input>_type of any input. It returns an
    array of the type and shape of the input. For variadic inputs and outputs, all of these are tuples. widen:
    as for a kernel. by_kernel: the kernel of the op gives the same for these arguments, so that the kernel of
    a backend may compute it.
    """

    def mark(function: F) -> F:
        if by_kernel:
            setattr(function, BY_KERNEL, True)
        for op in ids:
            functions = BOUND.setdefault(function.__module__, {}).setdefault(op, Functions())
            functions.gradients[of] = _widened(function) if widen else function
        return function

    return mark


def _widened(function: Function) -> Function:
    import numpy as np

    def is_narrow_float(item: Any) -> bool:
        if not isinstance(item, np.ndarray) or item.dtype.metadata is not None:
            return False
        return item.dtype.itemsize < 4 and item.dtype.kind in "fV"  # V: the types of ml_dtypes

    @wraps(function)
    def widened(*inputs: Any, **attributes: Any) -> Any:
        floats = (item.dtype for item in inputs if is_narrow_float(item))
        narrows = [dtype for dtype in floats if dtype.name not in ("int4", "uint4", "int2", "uint2")]
        if not narrows:
            return function(*inputs, **attributes)
        kind = narrows[0]
        with np.errstate(over="ignore"):
            wide = (i.astype(np.float32) if is_narrow_float(i) and i.dtype == kind else i for i in inputs)
            result = function(*wide, **attributes)
            results = result if isinstance(result, tuple) else (result,)
            rounded = tuple(r.astype(kind) if r.dtype == np.float32 else r for r in results)
        return rounded if isinstance(result, tuple) else rounded[0]

    return widened


def definition_fault(
    name: str, message: str, file: str, line: int | None = None, notes: tuple[str, ...] = ()
) -> Diagnostic:
    """A finding on a definition, or on what belongs to it."""
    return Diagnostic(rule(name), message, Location(file, line), notes=notes)


def bound_to(definition: Definition, modules: Iterable[str]) -> list[Functions]:
    """The functions that each module binds to a definition."""
    return [BOUND[m][definition.file_id] for m in modules if definition.file_id in BOUND.get(m, ())]


def functions_of(
    definition: Definition, modules: Iterable[str], otherwise: Functions | None = None
) -> Functions:
    """The functions that modules bind to a definition, with checked parameters.

    otherwise: functions for the roles that the modules do not bind.
    Raises:  DefinitionError with both files if names differ, or there is no kernel for an op that is of no
        extension library
    """
    modules = tuple(modules)
    bound = bound_to(definition, modules)
    functions = Functions()
    for role in ROLES:
        setattr(functions, role, next((getattr(f, role) for f in bound if getattr(f, role)), None))
    faults = []
    for role in ("shape", "kernel", "values"):
        function = getattr(functions, role)
        if function is not None:
            wrong, functions.keyword_params[role] = _mismatch(function, definition, role)
            if wrong:
                faults.append(_mismatched(role, function, definition, wrong))
    if otherwise is not None:
        functions.fill(otherwise)
    faults.extend(bind_gradients(definition, bound, functions))
    if functions.kernel is None and not definition.library:
        message = f"{definition.id} has no kernel in {', '.join(modules)}, must have one"
        faults.append(definition_fault("missing-function", message, definition.path))
    if faults:
        raise DefinitionError(faults)
    return functions


def bind_gradients(
    definition: Definition, bound: Sequence[Functions], functions: Functions
) -> Iterator[Diagnostic]:
    """Add the gradient functions to functions, and report those that do not match the definition."""
    declared = definition.gradients
    found = (item for some in reversed(bound) for item in some.gradients.items())  # the first counts
    by_input = {of or next(iter(declared), of): function for of, function in found}
    for of in declared.keys() - by_input.keys():
        message = f"{definition.id} declares a gradient of {of}, but no function computes it"
        yield definition_fault("missing-function", message, definition.path)
    for of, function in by_input.items():
        wrong, keyword_params = _gradient_mismatch(function, definition, of)
        functions.gradients[of], functions.keyword_params[f"gradient of {of}"] = function, keyword_params
        if wrong:
            yield _mismatched("gradient", function, definition, wrong)


def _mismatched(role: str, function: Function, definition: Definition, wrong: str) -> Diagnostic:
    code, notes = inspect.unwrap(function).__code__, (f"the definition: {definition.path}",)
    message = f"{role} function {function.__name__} of {definition.id} {wrong}"
    return definition_fault("mismatched-function", message, code.co_filename, code.co_firstlineno, notes)


def _gradient_mismatch(function: Function, definition: Definition, of: str) -> tuple[str, frozenset[str]]:
    if of not in definition.gradients:
        message = f"computes the gradient of {of or 'no input'}, which the definition does not declare"
        return message, frozenset()
    parameters = list(inspect.signature(function).parameters.values())
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    expected = [*(f"d_{p.name}" for p in definition.outputs), *definition.gradients[of].saves]
    if names != expected:
        return f"takes ({', '.join(names)}), must take ({', '.join(expected)})", frozenset()
    keywords = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    about = {f"{p.name}_{what}" for p in definition.inputs for what in ("shape", "type")}
    unknown = keywords - {*(a.parameter for a in definition.attributes.values()), *about}
    if unknown:
        return f"takes {', '.join(sorted(unknown))}, which the definition does not name", frozenset()
    return "", frozenset(keywords)


def _mismatch(function: Function, definition: Definition, role: str) -> tuple[str, frozenset[str]]:
    parameters = list(inspect.signature(function).parameters.values())
    required = {p.name for p in parameters if p.default is p.empty or not _has_versions(function, role)}
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    variadic = [p.name for p in parameters if p.kind is p.VAR_POSITIONAL]
    keywords = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    expected = [p.name for p in definition.inputs]
    if variadic and definition.inputs and not definition.inputs[-1].variadic:
        return f"takes *{variadic[0]}, but no input of the definition is variadic", frozenset()
    inputs = names + variadic
    if inputs[: len(expected)] != expected or required.intersection(inputs[len(expected) :]):
        return f"takes the inputs ({', '.join(inputs)}), must take ({', '.join(expected)})", frozenset()
    attributes = {a.parameter for a in definition.attributes.values()}
    unknown = (keywords & required) - attributes - {*definition.bodies, *definition.later} - CONTEXT
    if unknown:
        return f"takes {', '.join(sorted(unknown))}, which the definition does not name", frozenset()
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)
    return "", frozenset(keywords | attributes if takes_all else keywords)


def _has_versions(function: Function, role: str) -> bool:
    """Whether a function is bound to several ops."""
    bound = BOUND.get(function.__module__, {}).values()
    return sum(getattr(functions, role) is function for functions in bound) > 1


CONTEXT = frozenset({"value", "variables", "result_type", "output_count"})
"""Keyword parameters that functions may take in addition to attributes.

value: a tensor from outside the graph (the weights, the caller); variables: those of a session, by
variable_id; result_type, only of values functions: the element type of the first output; output_count, only
of shape functions: the number of outputs that the layer declares.
"""
