"""Assertions: that models and definitions are sound, and that models compute what is expected."""

import os
import warnings
from collections.abc import Iterable, Mapping

from irops.analysis.checks.run import check
from irops.analysis.model_analysis import AnyModel
from irops.backends.backend import Backend
from irops.conformance.kit import definition_warnings
from irops.debugging.compare.results import expectation
from irops.debugging.sources.source import Context
from irops.diagnostics.diagnostic import Rule
from irops.diagnostics.formats import render
from irops.diagnostics.printable import plural
from irops.diagnostics.report import Report
from irops.dialects.registry import Registry
from irops.files.limits import Limits
from irops.ir.numpy_files import load_all
from irops.runtime.session import Results, Session
from irops.values.element import Array

Arrays = Mapping[str, Array] | str | os.PathLike[str]
"""Arrays by name, or the .npz file that holds them."""


def irops_check(
    model: AnyModel,
    *,
    weights: str | os.PathLike[str] | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    rules: Iterable[Rule] = (),
    strict: bool = False,
    target: str | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Report:
    """Assert that irops finds no error in a model; the parameters are those of irops.check.

    strict: warnings fail too.
    Returns: the report, which may hold warnings
    Raises:  AssertionError with all findings, each with its line; and what irops.check raises
    """
    __tracebackhide__ = True
    report = check(
        model,
        weights,
        select=select,
        ignore=ignore,
        rules=rules,
        registry=registry,
        limits=limits,
        target=target,
    )
    if report.errors or (strict and report.warnings):
        raise AssertionError(f"irops finds {_counts(report)}\n\n{render([report], 'full')}")
    return report


def assert_definitions(*folders: str, modules: Iterable[str] = ()) -> None:
    """Assert that examples of definitions give their outputs, that counterexamples violate their constraint,
    and that functions cite only constraints that there are. A constraint without counterexample is a warning.

    folders, modules: as in irops.Registry
    Raises:  DefinitionError with all errors; ValueError if there is no definition
    """
    __tracebackhide__ = True
    registry = Registry(folders, modules, plugins=False)
    if not registry.extensions():
        raise ValueError(f"there is no definition in the folders {', '.join(folders)}")
    for warning in definition_warnings(registry):
        warnings.warn(str(warning), stacklevel=2)


def assert_same(
    model: AnyModel,
    inputs: Arrays,
    expected: Arrays,
    *,
    backends: str | Iterable[str | Backend] | None = None,
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Results:
    """Assert that a model computes the expected results from the inputs, but for rounding.

    inputs, expected: arrays by the name of an input or a result, of one of its tensors, or by its position;
    or the .npz file that holds them. Results that are not among the expected ones are not compared. The error
    bound of each result follows from its element type and, where results differ, from two further evaluations
    with other rounding errors; see docs/comparing.md.
    backends: what computes the results; the reference is used where they have no kernel
    Returns: the results
    Raises:  AssertionError with the verdict on every result; ValueError if nothing is expected; KeyError for
             an array that is neither input nor result; DiagnosticError for a model that cannot be read or
             evaluated
    """
    __tracebackhide__ = True
    session = Session(model, backends=backends, registry=registry, limits=limits)
    arrays, wanted = _arrays(inputs, limits), _arrays(expected, limits)
    if not wanted:
        raise ValueError("expected holds no array, so that there is nothing to compare")
    results = session.run(arrays)
    context = Context(session.analysis, session.signature.arrays(arrays))
    computed = {port.name: results[port.name] for port in session.signature.results}
    outcome = expectation(context, computed, wanted)
    if not outcome.ok:
        source = "the expected values" if isinstance(expected, Mapping) else os.fspath(expected)
        raise AssertionError("\n".join(outcome.lines(source)))
    return results


def _arrays(arrays: Arrays, limits: Limits | None) -> Mapping[str, Array]:
    if isinstance(arrays, Mapping):
        return arrays
    return load_all(os.fspath(arrays), limits or Limits())


def _counts(report: Report) -> str:
    counts = ((len(report.errors), "error"), (len(report.warnings), "warning"))
    return " and ".join(plural(count, word) for count, word in counts if count)
