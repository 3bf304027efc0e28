"""Port maps and back edges tie a body to the ports of its layer."""

from __future__ import annotations

from collections.abc import Iterator

from irops.analysis.checks.context import Context
from irops.diagnostics.diagnostic import Diagnostic
from irops.ir.model import Body, LayerKind, PortMapping

PURPOSES = {"input": "current_iteration", "output": "execution_condition"}


def mappings_name_parameters_and_results(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        for side, mapping in _mappings(body):
            wanted = "Parameter" if side == "input" else "Result"
            found = inside.unfit(mapping.internal_layer_id, wanted)
            if found is not None:
                message = (
                    f"an {side} of the port map of {layer} means layer {mapping.internal_layer_id} of its"
                    f" {body.name}, {found}; it must be a {wanted} there"
                )
                yield context.finding(
                    "mapping-to-no-layer",
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
                    f"the layer has {len(layer.inputs)} input{'s' * (len(layer.inputs) != 1)}, counted from 0"
                    if side == "input"
                    else "an output has a number of 0 or more"
                )
                message = f"an {side} of the port map of {layer} means its port {number}; {has}"
                yield context.finding(
                    "mapping-to-no-port",
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
                    f"two inputs of the port map of {layer} feed {parameter} of its {body.name}; a Parameter"
                    " takes one"
                )
                yield context.finding(
                    "doubly-mapped-parameter",
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
            continue  # a mapping that goes astray may be the one that is missed
        for parameter in body.graph.layers:
            if parameter.kind is LayerKind.PARAMETER and parameter.id not in mapped:
                message = (
                    f"no input of the port map of {layer} feeds {parameter} of its {body.name}; "
                    "every Parameter of a body takes its value from one"
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
                    f"two outputs of the port map of {layer} give its port {mapping.external_port_id} from"
                    f" its {body.name}; an output takes one"
                )
                yield context.finding(
                    "doubly-mapped-output",
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
                ("begins", edge.from_layer, "Result"),
                ("ends", edge.to_layer, "Parameter"),
            ):
                found = inside.unfit(number, wanted)
                if found is not None:
                    message = (
                        f"a back edge of {layer} {verb} at layer {number} of its {body.name}, {found}; it"
                        f" must be a {wanted}"
                    )
                    note = (
                        'OpenVINO refuses the file with "unordered_map::at"'
                        if wanted == "Result"
                        else "OpenVINO drops this back edge without a word"
                    )
                    yield context.finding("dangling-back-edge", message, edge.at, scope, layer, notes=(note,))


def purposes_are_known(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        for side, mapping in _mappings(body):
            is_loop = layer.type.lower() == "loop"
            if mapping.purpose is not None and not (is_loop and mapping.purpose == PURPOSES[side]):
                allowed = f"{PURPOSES[side]} is the only one" if is_loop else "only a Loop has purposes"
                message = (
                    f'an {side} of the port map of {layer} has the purpose "{mapping.purpose}"; {allowed}'
                )
                yield context.finding(
                    "unknown-purpose",
                    message,
                    mapping.at,
                    scope,
                    layer,
                    notes=("OpenVINO takes the entry as one without a purpose",),
                )


def slices_are_not_empty(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        for side, mapping in _mappings(body):
            if mapping.axis is None:
                continue
            what = f"an {side} of the port map of {layer} has"
            if mapping.stride == 0:
                message = f"{what} the stride 0; it must move on, by a positive or a negative number"
                note = "OpenVINO reads the file, and refuses the model when it compiles it"
            elif mapping.part_size < 1:
                message = f"{what} the part_size {mapping.part_size}; it must be at least 1"
                note = "OpenVINO divides by it unchecked: 0 ends the process"
            else:
                continue
            yield context.finding("empty-slice", message, mapping.at, scope, layer, notes=(note,))


def every_loop_has_a_condition(context: Context) -> Iterator[Diagnostic]:
    for inside in context.bodies:
        scope, layer, body = inside.scope, inside.layer, inside.body
        conditions = [mapping for mapping in body.outputs if mapping.purpose == PURPOSES["output"]]
        if layer.type.lower() == "loop" and not conditions and scope.path not in context.partially_read:
            message = (
                f'no output of the port map of {layer} has the purpose "execution_condition"; a Loop must'
                " have one"
            )
            yield context.finding(
                "missing-condition", message, layer.at, scope, layer, notes=("OpenVINO refuses the file",)
            )


def _mappings(body: Body) -> Iterator[tuple[str, PortMapping]]:
    yield from (("input", mapping) for mapping in body.inputs)
    yield from (("output", mapping) for mapping in body.outputs)
