"""Custom rules of a team: how layers are named, and which shapes inputs have."""

import irops


def names_have_no_spaces(model, _facts):
    for _, layer in model.walk():
        if " " in layer.name:
            yield layer, f"the name {layer.name!r} has a space, must have none"


def batches_are_dynamic(model, facts):
    for layer in model.layers:
        if layer.type == "Parameter":
            shape = facts[layer.id, 0].shape
            if shape.rank and shape[0].known:
                yield layer, f"input {layer.name!r} has the batch size {shape[0]}, must be dynamic"


RULES = (
    irops.Rule(
        "TEAM001",
        "space-in-name",
        irops.Severity.ERROR,
        "the name of a layer has a space",
        "Our deployment scripts split names at spaces. Name the module in the exporter.",
        names_have_no_spaces,
    ),
    irops.Rule(
        "TEAM002",
        "static-batch",
        irops.Severity.WARNING,
        "an input has a static batch size",
        "Models are served with batches of any size. Export with a dynamic first axis.",
        batches_are_dynamic,
    ),
)
