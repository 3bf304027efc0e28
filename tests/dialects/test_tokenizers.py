"""Tokenizers in IR: the ops of openvino-tokenizers are known, and compared with what the library does.

tokenizers/observe.py made the observations; it needs the library, these tests do not.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from invoking import fact_of
from tables import table

import irops
from irops.analysis.invocation import Invocation, OpFault
from irops.analysis.model_analysis import ModelAnalysis
from irops.cli.main import main
from irops.dialects.registry import Registry, default_registry
from irops.dialects.tokenizers import DIALECT
from irops.document.site import Site

FILES = Path(__file__).parent / "tokenizers"
MODELS = sorted(FILES.glob("*.xml"), key=lambda path: path.name)
OBSERVED = json.loads((FILES / "observed.json").read_text())
FLAGS = {
    "BytesToChars": "5", "CaseFold": "3", "CharsMapNormalization": "3", "NormalizeUnicode": "3",
    "RegexNormalization": "3", "RegexSplit": "5", "SpecialTokensSplit": "5",
}  # fmt: skip
"""The inputs without which the kernel of the library fails."""
STRICTER = {
    **dict.fromkeys(FLAGS.items(), "the kernel of the library fails"),
    ("EqualStr", "2"): "the kernel of the library fails",
    ("RaggedToDense", "3"): "a string is no length",
    ("RaggedToDense", "5"): "a string is no choice",
    ("Truncate", "fewer"): "the kernel reads an input that is not there",
    ("UnigramTokenizer", "fewer"): "the kernel reads an input that is not there",
    ("WordpieceTokenizer", "fewer"): "the kernel reads an input that is not there",
}
"""What irops refuses and the library does not when it reads the file, by op and input, and why. Besides:
inputs that an op does not read, which no converter writes.
"""
LAXER = {
    ("BPETokenizer", "17"), ("RaggedToSparse", "0"), ("RaggedToSparse", "1"), ("Truncate", "3"),
    ("Truncate", "6"), ("VocabDecoder", "0"), ("VocabEncoder", "6"),
}  # fmt: skip
"""Inputs of unknown rank or size that the library refuses: it asks whether shapes are known to be equal."""
WIDER = {("ContribStringJoin", 0), ("ContribStringJoin", 1), ("RegexSplit", 5), ("SpecialTokensSplit", 5)}
"""Outputs for which the library declares shapes that its kernels do not give."""


def inferred(op, attributes, inputs):
    """The outputs that irops infers; None where it reports a fault."""
    try:
        return Invocation(default_registry().op(f"tokenizers:{op}"), attributes).infer(
            list(map(fact_of, inputs))
        )
    except OpFault:
        return None


def trials(example):
    """The inputs that the library was given, which of them is another, and what came of it."""
    inputs = example["inputs"]
    yield inputs, "", example["outputs"]
    yield inputs[:-1], "fewer", example["fewer"]
    yield [*inputs, "i32[?]"], "more", example["more"]
    for change, outputs in example["varied"].items():
        place, _, text = change.partition(":")
        changed = [text if index == int(place) else old for index, old in enumerate(inputs)]
        yield changed, place, outputs


def is_stricter(op, changed):
    return changed == "more" or (op, changed) in STRICTER


@pytest.mark.parametrize("op", OBSERVED)
def test_an_op_is_inferred_as_the_library_does(op):
    for example in OBSERVED[op]:
        for inputs, changed, outputs in trials(example):
            expected = example["outputs"] if outputs == "=" else outputs
            found = inferred(op, example["attributes"], inputs)
            if found is None:
                assert expected is None or is_stricter(op, changed), (inputs, expected)
            elif expected is None:
                assert (op, changed) in LAXER, (inputs, [str(fact) for fact in found])
            else:
                wider = {index for index in range(len(found)) if (op, index) in WIDER}
                types = [text.partition("[")[0] for text in expected]
                assert [fact.element_type.name for fact in found] == types, inputs
                exact = [str(fact) for index, fact in enumerate(found) if index not in wider]
                assert exact == [text for index, text in enumerate(expected) if index not in wider], inputs


def test_all_ops_of_the_library_are_defined_and_observed():
    assert len(OBSERVED) == 33
    assert {f"tokenizers:{op}" for op in OBSERVED} == set(DIALECT.ids())


def test_most_trials_are_refused_or_inferred_as_the_library_does():
    every = [trial for examples in OBSERVED.values() for example in examples for trial in trials(example)]
    assert len(every) > 2500
    assert sum(outputs is None for _, _, outputs in every) > 900


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_tokenizer_has_one_warning_which_names_the_library(path):
    (finding,) = irops.check(path)
    assert (finding.code, finding.severity.value) == ("IR307", "warning")
    assert "openvino-tokenizers" in finding.message
    assert finding.notes == (
        "import openvino_tokenizers before creating an openvino.Core, or use Core.add_extension",
    )


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_all_outputs_are_inferred_as_openvino_does_with_the_library(path):
    expected = json.loads(path.with_suffix(".json").read_text())
    facts = ModelAnalysis(irops.read(path)).infer().layers.values()
    found = {
        known.layer.name: [f"{f.element_type}{f.shape.unnamed()}" for f in known.outputs] for known in facts
    }
    assert {name: found[name] for name in expected} == expected
    assert len(expected) > 8


def test_the_names_of_many_ops_are_cut_short():
    (finding,) = irops.check(FILES / "wordpiece_tokenizer.xml")
    assert finding.message.endswith("RegexSplit, WordpieceTokenizer and 3 more")


def test_the_size_of_the_batch_reaches_the_outputs():
    model = irops.read(FILES / "wordpiece_tokenizer.xml")
    facts = irops.infer(model, {model.graph.layers[0].name: "4"})
    dense = next(layer for layer in model.graph.layers if layer.type == "RaggedToDense")
    assert [str(facts[dense.id, output].shape) for output in (0, 1)] == ["[4,?]", "[4,?]"]


def broken(tmp_path, old, new, name="wordpiece_tokenizer"):
    text = (FILES / f"{name}.xml").read_text()
    assert text.count(old) >= 1
    path = tmp_path / f"{name}.xml"
    path.write_text(text.replace(old, new, 1))
    path.with_suffix(".bin").write_bytes((FILES / f"{name}.bin").read_bytes())
    return irops.check(path)


def errors_of(report):
    return [f"{finding.code} {finding.message}" for finding in report.errors]


@pytest.mark.parametrize(("old", "new", "code", "part"), table(__file__, "a_fault_of_a_layer_is_reported"))
def test_a_fault_of_a_layer_is_reported(tmp_path, old, new, code, part):
    found = errors_of(broken(tmp_path, old.replace("'", '"'), new.replace("'", '"')))
    assert any(message.startswith(code) and part in message for message in found), found


@pytest.mark.parametrize(
    ("type", "version", "meant"), table(__file__, "a_type_or_version_that_is_not_quite_right_is_suggested")
)
def test_a_type_or_version_that_is_not_quite_right_is_suggested(type, version, meant):
    found = default_registry().resolve(type, version)
    assert found.rule == "unknown-op"
    assert found.notes == (f"openvino-tokenizers has the op {meant}, spelled exactly so",)


def test_an_input_that_no_edge_feeds_is_reported(tmp_path):
    edge = '<edge from-layer="0" from-port="0" to-layer="7" to-port="0" />'
    assert errors_of(broken(tmp_path, edge, ""))


def test_a_run_reports_each_op_that_only_the_library_computes():
    with pytest.raises(irops.EvaluationError) as raised:
        irops.run(FILES / "byte_level_bpe_detokenizer.xml", [np.zeros((1, 3), np.int64)])
    found = [(finding.code, finding.message) for finding in raised.value.diagnostics]
    assert found == [
        ("IR604", f"irops cannot compute tokenizers:{op}: only openvino-tokenizers has a kernel for it")
        for op in ("VocabDecoder", "FuzeRagged", "UTF8Validate")
    ]


def test_a_call_reports_that_there_is_no_kernel():
    with pytest.raises(
        irops.EvaluationError, match="IR604 no backend can compute tokenizers:NumericToString"
    ):
        irops.call("tokenizers:NumericToString", np.zeros(3, np.float32))


def test_translation_names_the_library():
    with pytest.raises(irops.DiagnosticError) as raised:
        irops.translate(irops.read(FILES / "byte_level_bpe_detokenizer.xml"), "onnx")
    assert any("extension library openvino-tokenizers" in d.message for d in raised.value.diagnostics)


def test_the_definition_of_a_user_comes_first(tmp_path):
    """It may have a kernel, and then the model runs."""
    (tmp_path / "FuzeRagged-extension.xml").write_text(
        (Path(irops.__file__).parent.parent / "schemas" / "tokenizers" / "FuzeRagged.xml")
        .read_text()
        .replace('dialect="tokenizers" library="openvino-tokenizers"', 'version="extension" module="fuze"')
        .replace("<source>", "<source>mine, after ")
    )
    (tmp_path / "fuze.py").write_text(
        "from irops.spec.binding import kernel\n\n\n"
        '@kernel("FuzeRagged-extension")\n'
        "def fuze(ragged_begins, ragged_ends, begins, ends):\n"
        "    return begins[ragged_begins], ends[ragged_ends - 1]\n"
    )
    registry = Registry(folders=tmp_path)
    op = registry.resolve("FuzeRagged", "extension")
    assert op.id == "FuzeRagged-extension"
    assert op.functions.kernel is not None
    report = irops.check(FILES / "byte_level_bpe_detokenizer.xml", registry=registry)
    assert [finding.code for finding in report] == ["IR307"]
    assert "FuzeRagged" not in report.warnings[0].message


def test_layers_are_recognised_by_type_and_version():
    assert DIALECT.id_of("MyReverse", "extension") is None
    assert DIALECT.id_of("RegexSplit", "opset1") is None
    assert DIALECT.id_of("NumericToString", "openvino_tokenizers") == "tokenizers:NumericToString"


def test_the_ops_are_listed_apart_from_those_of_openvino():
    registry = default_registry()
    assert not any("Tokenizer" in op for op in registry.ids())
    assert len(registry.ids("tokenizers")) == 33


@pytest.fixture(scope="module")
def pages():
    return dict(Site(format="markdown").pages())


@pytest.mark.slow("writes the documentation")
def test_the_table_of_ops_has_them_with_their_library(pages):
    index = pages["ops/index.md"]
    assert "245 op versions" in index
    rows = [line for line in index.splitlines() if line.endswith("| openvino-tokenizers |  |")]
    assert sum("(tokenizers-" in row for row in rows) == len(rows) == 33


@pytest.mark.slow("writes the documentation")
def test_a_page_names_the_library_and_shows_inferred_outputs(pages):
    page = pages["ops/tokenizers-RaggedToDense.md"]
    assert "only with the extension library openvino-tokenizers" in page
    assert "-> output: i32[2,?]" in page
    assert "irops.call" not in page


def test_a_type_alone_is_suggested_with_its_dialect(capsys):
    assert main(["explain", "RegexSplit"]) == 2
    assert "did you mean tokenizers:RegexSplit?" in capsys.readouterr().err


def test_explain_names_the_library(capsys):
    assert main(["explain", "tokenizers:RegexSplit"]) == 0
    assert "only with the extension library openvino-tokenizers" in " ".join(capsys.readouterr().out.split())
