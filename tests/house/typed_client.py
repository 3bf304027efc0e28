"""A program that uses irops as its users do: mypy --strict checks that the public names have their types."""

from pathlib import Path
from typing import assert_type

import numpy as np

import irops


def main(path: Path) -> None:
    model = irops.read(path)
    assert_type(model, irops.Model)
    report = irops.check(model, limits=irops.Limits(findings=10))
    assert_type(report.errors, tuple[irops.Diagnostic, ...])
    session = irops.Session(model, registry=irops.Registry(folders=["my_ops"]))
    results = session.run({"x": np.zeros(3, np.float32)})
    print(results["y"].sum(), irops.infer(model, {"x": "1..4,?"})["y", 0].shape.rank)
    irops.write(irops.translate(model, to="onnx"), "copy.onnx")
    assert_type(irops.definition("Concat-1").id, str)
    try:
        irops.run(path, {"x": [1.0]})
    except irops.EvaluationError as error:
        assert_type(error.diagnostics, tuple[irops.Diagnostic, ...])
    irops.misspelled  # type: ignore[attr-defined] # noqa: B018 (unused ignores are errors: names are typed)
