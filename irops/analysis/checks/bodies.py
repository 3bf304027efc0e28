"""Checks of port maps and back edges, which connect a body to the ports of its layer."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.checks.context import Context
from irops.diagnostics.diagnostic import Diagnostic
from irops.ir.model import Body, PortMapping

PURPOSES = {"input": "current_iteration", "output": "execution_condition"}


def mappings_name_parameters_and_results(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        for side, mapping in _mappings(body):
            wanted = "Parameter" if side == "input" else "Result"
            found = inside.unfit(mapping.internal_layer_id, wanted)
            if found is not None:
                message = (
                    f"an {side} of the port map of {layer} refers to layer {mapping.internal_layer_id} of its"
                    f" {body.name}, {found}, must refer to a {wanted}"
                )
                yield context.finding(
                    "unknown-internal-layer",
                    message,
                    mapping.at,
                    scope,
                    layer,
                    notes=('OpenVINO refuses the file with "unordered_map::at"',),
                )


def mappings_meet_ports(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        for side, mapping in _mappings(body):
            number = mapping.external_port_id
            if mapping.purpose == PURPOSES[side] and number == -1:
                continue
            if number < 0 or (side == "input" and number >= len(layer.inputs)):
                has = (
                    f"must refer to one of its {len(layer.inputs)} input{'s' * (len(layer.inputs) != 1)},"
                    " counted from 0"
                    if side == "input"
                    else "must refer to an output, 0 or greater"
                )
                message = f"an {side} of the port map of {layer} refers to its port {number}, {has}"
                yield context.finding(
                    "unknown-external-port",
                    message,
                    mapping.at,
                    scope,
                    layer,
                    notes=('OpenVINO refuses the file with "vector::_M_range_check"',),
                )


def no_parameter_is_mapped_twice(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        seen: set[int] = set()
        for mapping in body.inputs:
            if mapping.internal_layer_id in seen:
                parameter = inside.layers.get(mapping.internal_layer_id, f"layer {mapping.internal_layer_id}")
                message = (
                    f"two inputs of the port map of {layer} feed {parameter} of its {body.name}, must be one"
                )
                yield context.finding(
                    "duplicate-parameter-mapping",
                    message,
                    mapping.at,
                    scope,
                    layer,
                    notes=("OpenVINO keeps one of them",),
                )
            seen.add(mapping.internal_layer_id)


def every_parameter_is_mapped(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        mapped = {mapping.internal_layer_id for mapping in body.inputs}
        astray = any(inside.unfit(number, "Parameter") for number in mapped)
        if astray or len(mapped) < len(body.inputs) or scope.path in context.partially_read:
            continue  # an invalid mapping may be the missing one
        for parameter in body.graph.layers:
            if parameter.type.lower() == "parameter" and parameter.id not in mapped:
                message = (
                    f"no input of the port map of {layer} feeds {parameter} of its {body.name}, must be one"
                )
                yield context.finding(
                    "unmapped-parameter",
                    message,
                    parameter.at,
                    scope,
                    layer,
                    notes=('OpenVINO: "Number of inputs must be the same as number of input descriptions"',),
                )


def no_output_is_mapped_twice(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        seen: set[int] = set()
        for mapping in body.outputs:
            if mapping.external_port_id in seen and mapping.external_port_id >= 0:
                message = (
                    f"two outputs of the port map of {layer} produce its port {mapping.external_port_id} from"
                    f" its {body.name}, must be one"
                )
                yield context.finding(
                    "duplicate-output-mapping",
                    message,
                    mapping.at,
                    scope,
                    layer,
                    notes=("OpenVINO keeps the first of them",),
                )
            seen.add(mapping.external_port_id)


def back_edges_lead_from_results_to_parameters(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        for edge in body.back_edges:
            for verb, number, wanted in (
                ("starts", edge.from_layer, "Result"),
                ("ends", edge.to_layer, "Parameter"),
            ):
                found = inside.unfit(number, wanted)
                if found is not None:
                    message = (
                        f"a back edge of {layer} {verb} at layer {number} of its {body.name}, {found}, must"
                        f" be a {wanted}"
                    )
                    note = (
                        'OpenVINO refuses the file with "unordered_map::at"'
                        if wanted == "Result"
                        else "OpenVINO silently drops this back edge"
                    )
                    yield context.finding("dangling-back-edge", message, edge.at, scope, layer, notes=(note,))


def purposes_are_known(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        for side, mapping in _mappings(body):
            is_loop = layer.type.lower() == "loop"
            if mapping.purpose is not None and not (is_loop and mapping.purpose == PURPOSES[side]):
                allowed = f"must have {PURPOSES[side]} or none" if is_loop else "must have none outside Loop"
                message = (
                    f'an {side} of the port map of {layer} has the purpose "{mapping.purpose}", {allowed}'
                )
                yield context.finding(
                    "unknown-purpose",
                    message,
                    mapping.at,
                    scope,
                    layer,
                    notes=("OpenVINO treats the entry as one without a purpose",),
                )


def slices_are_not_empty(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        for side, mapping in _mappings(body):
            if mapping.axis is None:
                continue
            what = f"an {side} of the port map of {layer} has"
            if mapping.stride == 0:
                message = f"{what} the stride 0, must be positive or negative"
                note = "OpenVINO reads the file, and refuses the model when it compiles it"
            elif mapping.part_size < 1:
                message = f"{what} the part_size {mapping.part_size}, must be at least 1"
                note = "OpenVINO divides by it without a check: 0 ends the process"
            else:
                continue
            yield context.finding("invalid-slice", message, mapping.at, scope, layer, notes=(note,))


def every_loop_has_a_condition(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        conditions = [mapping for mapping in body.outputs if mapping.purpose == PURPOSES["output"]]
        if layer.type.lower() == "loop" and not conditions and scope.path not in context.partially_read:
            message = (
                f'no output of the port map of {layer} has the purpose "execution_condition", must be one'
            )
            yield context.finding(
                "missing-condition", message, layer.at, scope, layer, notes=("OpenVINO refuses the file",)
            )


def _mappings(body: Body) -> Iterator[tuple[str, PortMapping]]:
    yield from (("input", mapping) for mapping in body.inputs)
    yield from (("output", mapping) for mapping in body.outputs)
