"""All checks over one model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from irops.analysis.checks import layers, ops, pairs, sinks, state
from irops.analysis.checks.cascading import without_cascading
from irops.analysis.checks.custom import custom_findings
from irops.analysis.checks.declared import ports_declare_what_is_inferred
from irops.analysis.checks.declared_bodies import bodies_fit_their_parameters
from irops.analysis.checks.interface import (
    inputs_and_outputs_keep_their_types,
    layouts_fit_inputs_and_outputs,
)
from irops.analysis.checks.most import within
from irops.analysis.checks.target import the_target_reads_the_model
from irops.analysis.checks.uncompiled import element_types_can_be_compiled
from irops.analysis.inferred import Inferred
from irops.analysis.model_analysis import ModelAnalysis
from irops.analysis.structure import ModelStructure
from irops.diagnostics.diagnostic import Diagnostic, ReadError
from irops.diagnostics.report import Report
from irops.diagnostics.rule import Rule
from irops.ir.collection import no_collection
from irops.ir.model import Model
from irops.ir.weights import constant_faults
from irops.limits import Clock, Limits, recursion_limit_for
from irops.limits import notes as limit_notes
from irops.reading import load
from irops.registry import Registry
from irops.spec.custom_rules import load_installed_rules
from irops.spec.releases import releases
from irops.urls import local_path, without_credentials

Check: TypeAlias = Callable[[ModelStructure], Iterator[Diagnostic]]
InferredCheck: TypeAlias = Callable[[ModelStructure, Inferred], Iterator[Diagnostic]]

CHECKS: tuple[Check, ...] = (
    layers.the_model_has_results,
    layers.every_layer_reaches_a_result,
    layers.layer_names_are_unique,
    layers.tensor_names_are_unique,
    state.variables_have_one_type_and_shape,
    state.assigned_variables_are_read,
    state.variables_are_read_before_they_are_assigned,
    pairs.first_assignments_follow_a_read,
    pairs.variables_are_read_and_assigned_once,
    sinks.nothing_uses_a_sink,
    ops.types_are_spelled_as_specified,
    ops.ops_need_no_extension_library,
    ops.bodies_are_those_of_the_op,
)
"""What needs no inference, beside the structural findings of the analysis."""
INFERRED_CHECKS: tuple[InferredCheck, ...] = (
    ports_declare_what_is_inferred,
    inputs_and_outputs_keep_their_types,
    layouts_fit_inputs_and_outputs,
    sinks.inputs_can_be_compiled,
    sinks.ranks_can_be_compiled,
    element_types_can_be_compiled,
    bodies_fit_their_parameters,
    ops.layers_declare_the_outputs_that_there_are,
)
"""What compares the file with what is inferred."""


def check(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    weights: str | os.PathLike[str] | None = None,
    *,
    text: bytes | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    rules: Iterable[Rule] = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
    target: str | None = None,
) -> Report:
    """Everything that is wrong with a model, or with a file, in document order.

    text: is checked in place of the file's content (an editor's, say); select, ignore: codes, beginnings of
    codes (IR2), or names of rules; all of them if none is selected; rules: custom rules, beside those of
    installed packages; target: a release of OpenVINO ("2023.3"), of which is reported what it does not read.
    Raises:  ValueError where select or ignore matches no rule, or target is no known release;
        DefinitionError for invalid custom rules
    """
    load_installed_rules()
    custom = tuple(rules)
    release = None if target is None else releases().named(target)
    report = _whole(model, weights, text, custom, registry, limits or Limits(), release)
    return report.narrowed(select, ignore, custom)


def _whole(
    model: Model | ModelAnalysis | str | os.PathLike[str],
    weights: str | os.PathLike[str] | None,
    text: bytes | None,
    custom: tuple[Rule, ...],
    registry: Registry | None,
    limits: Limits,
    target: str | None,
) -> Report:
    """The findings of all rules."""
    if isinstance(model, ModelAnalysis):
        return _report(model, (), custom, target=target)
    with no_collection(), recursion_limit_for(limits.depth):
        if isinstance(model, Model):
            return _report(ModelAnalysis(model, registry, limits), (), custom, target=target)
        # in a function of its own, so that the model is freed before the collector could traverse it
        return _of_file(os.fspath(model), weights, text, custom, registry, limits, target)


def _of_file(
    path: str,
    weights: str | os.PathLike[str] | None,
    text: bytes | None,
    custom: tuple[Rule, ...],
    registry: Registry | None,
    limits: Limits,
    target: str | None,
) -> Report:
    try:
        loaded, read_findings = load(path, weights, text=text, limits=limits)
    except ReadError as error:
        return Report.of(error.diagnostics, without_credentials(local_path(path)))
    analysis = ModelAnalysis(loaded, registry, limits, read_findings)
    return _report(analysis, read_findings, custom, without_credentials(local_path(path)), target)


def check_as_read(
    analysis: ModelAnalysis,
    read_findings: Iterable[Diagnostic],
    target: str | None = None,
) -> Report:
    """What check gives for a file whose text was loaded and analysed already.

    read_findings: what reading found, see reading.load; target: as in check
    """
    load_installed_rules()
    release = None if target is None else releases().named(target)
    return _report(analysis, read_findings, (), target=release)


def _report(
    analysis: ModelAnalysis,
    read_findings: Iterable[Diagnostic],
    custom: tuple[Rule, ...],
    path: str | None = None,
    target: str | None = None,
) -> Report:
    source = analysis.model.source
    if path is None and source is not None:
        path = source.path
    with no_collection(), recursion_limit_for(analysis.limits.depth):
        findings = [*read_findings, *_within_time(analysis, custom, target)]
    return Report.of(within(analysis.limits, without_cascading(findings)), path)


def _within_time(
    analysis: ModelAnalysis, custom: tuple[Rule, ...], target: str | None
) -> Iterator[Diagnostic]:
    """All findings, until the time is up."""
    clock = Clock(analysis.limits.seconds)
    for finding in findings_of(analysis, custom, target):
        yield finding
        if clock.expired:
            message = f"the time was up before all was checked; {analysis.limits.message('seconds')}"
            notes = limit_notes("checking-time-limit")
            yield analysis.finding("checking-time-limit", message, 0, analysis.root, notes=notes)
            return


def findings_of(
    analysis: ModelAnalysis, custom: tuple[Rule, ...] = (), target: str | None = None
) -> Iterator[Diagnostic]:
    """What is wrong with a model beyond its text: structure, weights, shapes and values."""
    yield from analysis.structural_findings
    for each in CHECKS:
        yield from each(analysis)
    if target is not None:
        yield from the_target_reads_the_model(analysis, target)
    weights = tuple(constant_faults(analysis.model))
    yield from weights
    inferred = analysis.infer()
    reported = {(finding.code, finding.location) for finding in weights}
    # a constant that inference could not read is reported once, by the check of the weights
    yield from (d for d in inferred.all_findings() if (d.code, d.location) not in reported)
    for check_inferred in INFERRED_CHECKS:
        yield from check_inferred(analysis, inferred)
    yield from custom_findings(analysis, inferred, custom)
