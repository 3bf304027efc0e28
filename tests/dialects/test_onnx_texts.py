"""What irops reads of ONNX models, reports of them, and writes: as it is stored."""

import pytest
from libraries import Late, needs
from stored import check_stored
from tables import table

import irops
from irops.cli.main import main
from irops.dialects.onnx.read import loads
from irops.ir.weights import constant

pytestmark = needs("onnx")
onnx, text_format = Late("onnx"), Late("google.protobuf.text_format")


def described(model):
    """A line for each layer and each edge."""
    yield f"{model.name} {model.opsets} {model.extra}"
    for layer in model.layers:
        inputs = [f"{port.dims}{' absent' * port.absent}" for port in layer.inputs]
        outputs = [f"{port.precision} {port.dims} {port.names}" for port in layer.outputs]
        value = constant(model, layer) if layer.is_constant and layer.data else None
        rest = "" if value is None else f" = {value.dtype} {value.tolist()}"
        named = f"{layer.id} {layer.name!r} {layer.type} {layer.version} {layer.kind.name}"
        yield f"{named} {layer.data} {layer.extra} {inputs} -> {outputs} {layer.output_names}{rest}"
    yield "; ".join(f"{e.from_layer}:{e.from_port} {e.to_layer}:{e.to_port}" for e in model.graph.edges)


@pytest.mark.parametrize("row", table(__file__, "models"), ids=lambda row: row["about"])
def test_models_are_read_as_stored(row, tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.chdir(tmp_path)
    data = text_format.Parse(row["text"], onnx.ModelProto()).SerializeToString()
    (tmp_path / "model.onnx").write_bytes(data)
    status = main(["check", "model.onnx", "--ignore", "IR208"])
    parts = [f"irops check: {status}", *capsys.readouterr()]
    try:
        parts += described(loads(data)[0])
        irops.write(irops.read("model.onnx"), "again.onnx")
        again = onnx.load("again.onnx")
        again.ClearField("producer_version")
        parts.append(text_format.MessageToString(again))
    except irops.DiagnosticError as error:
        parts.append(f"{type(error).__name__}: {len(error.diagnostics)}, {error.diagnostics[0]}")
    check_stored(__file__, row["about"], "\n".join(parts))
