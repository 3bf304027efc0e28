"""The attributes of a layer as OpenVINO has read them: read, validated and serialized in another process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory

Reading = dict[str, str] | str
"""The attributes of the first layer of a type as text, or why OpenVINO does not read the model."""
SECONDS = 60


def read_all(questions: Iterable[tuple[str, str, bytes]]) -> Iterator[Reading]:
    """For each type, text of a model and weights: the attributes of the layer of that type."""
    context = get_context("spawn")
    process = pipe = None
    for question in questions:
        if process is None:
            pipe, other = context.Pipe()
            process = context.Process(target=_serve, args=(other,), daemon=True)
            process.start()
            other.close()
        assert pipe is not None
        try:
            pipe.send(question)
            answer = pipe.recv() if pipe.poll(SECONDS) else "hang"
        except (EOFError, BrokenPipeError, ConnectionResetError):
            answer = "crash"
        yield answer
        if answer in ("crash", "hang"):
            process.kill()
            process.join()
            process = None
    if process is not None:
        process.kill()
        process.join()


def _serve(pipe: Connection) -> None:
    import openvino
    from lxml import etree

    core = openvino.Core()
    with TemporaryDirectory() as folder:
        model, written, packed = (Path(folder, name) for name in ("m.xml", "written.xml", "written.bin"))
        while True:
            try:
                kind, text, weights = pipe.recv()
            except EOFError:
                return
            try:
                model.write_text(text)
                model.with_suffix(".bin").write_bytes(weights)
                openvino.serialize(core.read_model(model), written, packed)
            except RuntimeError as error:
                pipe.send(str(error).strip().splitlines()[-1])
                continue
            layers = etree.parse(written).iter("layer")
            layer = next((one for one in layers if one.get("type").lower() == kind.lower()), None)
            data = None if layer is None else layer.find("data")
            pipe.send({} if data is None else dict(data.attrib))
