"""irops: the executable specification of OpenVINO IR.

    model = irops.read("model.xml")            # and irops.write(model, "copy.xml")
    report = irops.check(model)                # every problem, with its place in the file
    facts = irops.infer(model)                 # element type, shape and value of every tensor
    results = irops.run(model, {"x": array})   # or irops.Session(model).run({"x": array})
    y = irops.call("Relu-1", array)            # one op
    grads = irops.vjp(model, inputs, cotangents)
    graph = irops.Graph("name")                # builds a model; irops.Graph(model) changes one
    part = irops.extract(model, inputs=["conv_1"], outputs=["relu_9"])
    delta = irops.diff(a, b)                   # what differs between two models
    layers = irops.compare(model, inputs, a="reference", b="openvino")    # which layer is wrong
    chain = irops.why(model, "relu", axis=1)   # where a size of a layer comes from
    small = irops.reduce(model, inputs, oracle)  # the smallest model that still fails
    image = irops.draw(model)                  # a picture, which notebooks show
    older = irops.convert(model, target="2023.0")    # what that release of OpenVINO reads
    other = irops.translate(model, to=dialect)
    table = irops.survey("models/", output="report")     # many models, and what is wrong with each

The names in __all__ are public; docs/versioning.md says what that promises. They are imported when first
used, so that importing irops costs next to nothing.
"""

from sys import modules

__version__ = "0.1.0"

_STUB = __spec__.loader.get_data(__file__.removesuffix("c") + "i").decode()
_HOMES = {line.split()[3]: line.split()[1] for line in _STUB.split("\n") if line.startswith("from ")}
"""The module that defines each public name."""
__all__ = sorted(_HOMES)  # noqa: PLE0605


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'irops' has no attribute {name!r}", name=name, obj=modules[__name__])
    from importlib import import_module

    from irops.environment import naming_arguments

    value = getattr(import_module(_HOMES[name]), name)
    if not isinstance(value, type):
        value = naming_arguments(value)
        value.__module__ = __name__  # where pickle finds it
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
