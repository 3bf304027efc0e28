"""The attributes of a layer as OpenVINO has read them: read, validated and serialized in another process."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from irops.work.worker import Process, ProcessDied

Reading = dict[str, str] | str
"""The attributes of the first layer of a type as text, or why OpenVINO does not read the model."""
SECONDS = 60


def read_all(questions: Iterable[tuple[str, str, bytes]]) -> Iterator[Reading]:
    """For each type, text of a model and weights: the attributes of the layer of that type."""
    with TemporaryDirectory() as folder, closing(Process(_reading, (folder,), SECONDS)) as reader:
        for question in questions:
            try:
                yield reader.ask(question)
            except ProcessDied:
                yield "a crash, or no answer"


def _reading(folder: str) -> Callable[[tuple[str, str, bytes]], Reading]:
    import openvino
    from lxml import etree

    core = openvino.Core()
    model, written, packed = (Path(folder, name) for name in ("m.xml", "written.xml", "written.bin"))

    def answer(question: tuple[str, str, bytes]) -> Reading:
        kind, text, weights = question
        try:
            model.write_text(text)
            model.with_suffix(".bin").write_bytes(weights)
            openvino.serialize(core.read_model(model), written, packed)
        except RuntimeError as error:
            return str(error).strip().splitlines()[-1]
        layers = etree.parse(written).iter("layer")
        layer = next((one for one in layers if one.get("type").lower() == kind.lower()), None)
        data = None if layer is None else layer.find("data")
        return {} if data is None else dict(data.attrib)

    return answer
