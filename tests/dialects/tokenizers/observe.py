"""Observe what openvino-tokenizers accepts and infers: the truth that irops' definitions are compared with.

    env/bin/python tests/dialects/tokenizers/observe.py > tests/dialects/tokenizers/observed.json

in an environment with openvino-tokenizers. Each example of each definition is built with the library's own
factory; then again with another element type, another shape, fewer or more inputs. Recorded are the outputs,
or null where the library refuses the inputs, or "=" where the outputs are those of the example.
"""

import json
import logging
import sys
from pathlib import Path
from xml.etree import ElementTree

import openvino
import openvino_tokenizers

logging.disable(logging.CRITICAL)
DEFINITIONS = Path(__file__).parents[3] / "schemas" / "tokenizers"
TYPES = ("i32", "i64", "u8", "f32", "boolean", "string")
SHAPES = ("[]", "[1]", "[?]", "[3,2]", "[...]")
FACTORY = openvino_tokenizers._get_factory()


def outputs_of(op: str, inputs: list[str], attributes: dict[str, object]) -> list[str] | None:
    """The outputs for inputs such as i32[2,?]; None where they are refused."""
    parameters = []
    for text in inputs:
        kind, _, shape = text.partition("[")
        partial = openvino.PartialShape(f"[{shape}")
        parameters.append(openvino.op.Parameter(getattr(openvino.Type, kind), partial).output(0))
    try:
        node = FACTORY.create(op, parameters, attributes)
    except Exception:  # of several kinds that have no common base
        return None
    return [f"{output.element_type.get_type_name()}{output.partial_shape}" for output in node.outputs()]


def values_of(definition: ElementTree.Element, texts: dict[str, str]) -> dict[str, object]:
    """Attribute values, in the types that the factory of nodes takes."""
    types = {attribute.get("name"): attribute.get("type") for attribute in definition.iter("attribute")}
    parsers = {"bool": lambda text: text == "true", "int": int, "float": float}
    return {name: parsers.get(types[name], str)(text) for name, text in texts.items()}


def example_of(definition: ElementTree.Element, example: ElementTree.Element) -> dict[str, object]:
    data = example.find("data")
    texts = {} if data is None else dict(data.attrib)
    inputs = [
        f"{tensor.get('type')}[{tensor.get('shape')}]"
        for tensor in example.findall("tensor")
        if tensor.get("output") != "yes"
    ]
    op, attributes = definition.get("type"), values_of(definition, texts)
    expected = outputs_of(op, inputs, attributes)

    def outcome(changed: list[str]) -> list[str] | str | None:
        found = outputs_of(op, changed, attributes)
        return "=" if found == expected else found

    varied = {}
    for place, text in enumerate(inputs):
        kind, _, shape = text.partition("[")
        for other in (*(f"{t}[{shape}" for t in TYPES), *(f"{kind}{s}" for s in SHAPES)):
            if other != text:
                varied[f"{place}:{other}"] = outcome([*inputs[:place], other, *inputs[place + 1 :]])
    fewer_or_more = {"fewer": outcome(inputs[:-1]), "more": outcome([*inputs, "i32[?]"])}
    return {"attributes": texts, "inputs": inputs, "outputs": expected, **fewer_or_more, "varied": varied}


def main() -> None:
    observed = {}
    for path in sorted(DEFINITIONS.glob("*.xml")):
        definition = ElementTree.parse(path).getroot()
        examples = definition.findall("example")
        observed[definition.get("type")] = [example_of(definition, example) for example in examples]
    lines = [f" {json.dumps(op)}: {json.dumps(found)}" for op, found in observed.items()]
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
