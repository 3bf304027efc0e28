"""All checks over one model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from irops.analysis.checks import bodies, edges, layers, ops, state
from irops.analysis.checks.cascading import without_cascading
from irops.analysis.checks.context import Context
from irops.analysis.checks.declared import ports_declare_what_is_inferred
from irops.analysis.checks.interface import inputs_and_outputs_keep_their_types
from irops.analysis.checks.most import within
from irops.diagnostics.diagnostic import Diagnostic, ReadError
from irops.diagnostics.report import Report
from irops.ir.collection import no_collection
from irops.ir.model import Model
from irops.limits import Clock, Limits, room_for
from irops.limits import notes as limit_notes

if TYPE_CHECKING:
    from irops.registry import Registry

Check: TypeAlias = Callable[[Context], Iterator[Diagnostic]]


def weights_hold_the_constants(context: Context) -> Iterator[Diagnostic]:
    from irops.ir.weights import constant_faults

    yield from constant_faults(context.model)


def layers_keep_to_their_definitions(context: Context) -> Iterator[Diagnostic]:
    """Types, attributes, shapes: all that inference finds, but for what the checks of graph (IR2) and weights
    (IR5) tell better.
    """
    from irops.analysis.engine import Inference

    inference = Inference(context.model, context.registry, context.limits)
    inference.wirings.update((id(scope.graph), scope.wiring) for scope in context.scopes)
    facts = inference.graph(context.model.graph, {})
    yield from (d for d in facts.all_found() if not d.code.startswith(("IR2", "IR5")))
    yield from ports_declare_what_is_inferred(context, facts)
    yield from inputs_and_outputs_keep_their_types(context, facts)
    yield from ops.layers_declare_the_outputs_that_there_are(context, facts)


CHECKS: tuple[Check, ...] = (
    edges.edges_end_at_layers,
    edges.edges_meet_ports,
    edges.no_input_has_two_edges,
    edges.every_input_port_is_fed,
    edges.there_are_no_cycles,
    layers.the_model_has_results,
    layers.every_layer_reaches_a_result,
    layers.layer_names_are_unique,
    layers.tensor_names_are_unique,
    bodies.mappings_name_parameters_and_results,
    bodies.mappings_meet_ports,
    bodies.no_parameter_is_mapped_twice,
    bodies.every_parameter_is_mapped,
    bodies.no_output_is_mapped_twice,
    bodies.back_edges_lead_from_results_to_parameters,
    bodies.purposes_are_known,
    bodies.slices_are_not_empty,
    bodies.every_loop_has_a_condition,
    state.variables_have_one_type_and_shape,
    state.assigned_variables_are_read,
    ops.types_are_spelled_as_specified,
    ops.bodies_are_those_of_the_op,
    weights_hold_the_constants,
    layers_keep_to_their_definitions,
)


def check(
    model: Model | str | os.PathLike[str],
    weights: str | os.PathLike[str] | None = None,
    *,
    text: bytes | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    registry: Registry | None = None,
    limits: Limits | None = None,
) -> Report:
    """Everything that is wrong with a model, or with a file, in document order.

    text: what is checked in place of the file's content, an editor's, say; select, ignore: codes, beginnings
        of codes (IR2), or
    names of rules; all of them if none is selected.
    Raises:  ValueError where select or ignore means no rule
    """
    path, limits = None if isinstance(model, Model) else os.fspath(model), limits or Limits()
    told: Sequence[Diagnostic] = ()
    try:
        if isinstance(model, Model):
            checked = model
        else:
            from irops.reading import load

            checked, told = load(model, weights, text=text, limits=limits)
    except ReadError as error:
        return Report.of(error.diagnostics, path).narrowed(select, ignore)
    if path is None and checked.source is not None:
        path = checked.source.path
    with no_collection(), room_for(limits.depth):
        found = [*told, *_found(Context(checked, registry, told, limits))]
    return Report.of(within(limits, without_cascading(found)), path).narrowed(select, ignore)


def _found(context: Context) -> Iterator[Diagnostic]:
    clock = Clock(context.limits.seconds)
    for each in CHECKS:
        for diagnostic in each(context):
            yield diagnostic
            if clock.late:
                break
        if clock.late:
            yield context.finding(
                "checking-time-limit",
                f"the time was up before all was checked; {context.limits.said('seconds')}",
                0,
                context.scopes[0],
                notes=limit_notes("checking-time-limit"),
            )
            return
