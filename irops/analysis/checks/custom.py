"""Runs the checks of custom rules, after those of irops; spec/custom_rules.py loads them."""

from __future__ import annotations

import traceback
from collections.abc import Iterable, Iterator
from typing import Any

from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.diagnostics.diagnostic import Diagnostic, Location
from irops.diagnostics.rule import Rule
from irops.diagnostics.rules import custom_rules, rule
from irops.ir.model import Layer
from irops.spec.custom_rules import error_text


def custom_findings(
    analysis: ModelAnalysis, inferred: Inferred, more: Iterable[Rule] = ()
) -> Iterator[Diagnostic]:
    """What the checks of custom rules find in a model. more: rules beside those that were added."""
    chosen = [one for one in dict.fromkeys((*custom_rules(), *more)) if one.check is not None]
    if not chosen:
        return
    paths = {id(layer): path for path, layer in analysis.model.walk()}
    for one in chosen:
        assert one.check is not None
        try:
            for layer, message in one.check(analysis.model, inferred):
                yield Diagnostic(one, str(message), _place(analysis, layer, paths))
        except Exception as error:
            message = f"the check of {one.code} failed: {error_text(error)}"
            yield Diagnostic(rule("failed-rule"), message, _code_place(one, error))


def _place(analysis: ModelAnalysis, layer: Any, paths: dict[int, tuple[str, ...]]) -> Location:
    if layer is None:
        return analysis.model.location()
    if not isinstance(layer, Layer):
        raise TypeError(f"it gave {layer!r} in place of a layer of the model, or None")
    return analysis.model.location(layer, paths.get(id(layer), ()))


def _code_place(failed: Rule, error: Exception) -> Location:
    """The line of the check that failed, or called what failed."""
    code = getattr(failed.check, "__code__", None)
    file = None if code is None else code.co_filename
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return Location(file, lines[-1] if lines else getattr(code, "co_firstlineno", None))
