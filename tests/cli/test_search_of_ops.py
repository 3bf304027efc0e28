"""Ops are found by the names that people call them by, and by attribute."""

import pytest

import irops as package
from irops.dialects.registry import default_registry

USUAL = {
    "batch normalization": "BatchNormInference-5",
    "batch-normalization": "BatchNormInference-5",
    "BatchNorm2d": "BatchNormInference-5",
    "deconvolution": "ConvolutionBackpropData-1",
    "ConvTranspose": "ConvolutionBackpropData-1",
    "conv2d": "Convolution-1",
    "depthwise convolution": "GroupConvolution-1",
    "non-maximum suppression": "NonMaxSuppression-9",
    "NMS": "NonMaxSuppression-9",
    "rectified": "ReLU-1",
    "rectified linear unit": "ReLU-1",
    "leaky relu": "PReLU-1",
    "SiLU": "Swish-4",
    "layer norm": "MVN-6",
    "LayerNorm": "MVN-6",
    "Where": "Select-1",
    "permute": "Transpose-1",
    "flip": "Reverse-1",
    "reverse sequence": "ReverseSequence-1",
    "resize": "Interpolate-11",
    "upsample": "Interpolate-11",
    "cast": "Convert-1",
    "expand_dims": "Unsqueeze-1",
    "flatten": "Reshape-1",
    "im2col": "ExtractImagePatches-3",
    "pixel shuffle": "DepthToSpace-1",
    "argmax": "TopK-11",
    "Gemm": "MatMul-1",
    "fully connected": "MatMul-1",
    "attention": "ScaledDotProductAttention-13",
    "fft": "DFT-7",
    "GRU": "GRUSequence-5",
    "clip": "Clamp-1",
    "arange": "Range-4",
    "average pooling": "AvgPool-16",
    "embedding": "Gather-8",
    "Pow": "Power-1",
    "quantization": "FakeQuantize-1",
}


@pytest.mark.parametrize("words", USUAL)
def test_an_op_is_found_by_its_usual_name(words, irops):
    result = irops("ops", "--quiet", "--text", words)
    assert USUAL[words] in result.out.split()[:12]


def test_ops_named_so_come_before_ops_that_mention_the_words(irops):
    found = irops("ops", "--quiet", "--text", "sort").out.split()
    assert found.index("TopK-11") < found.index("Unique-10")
    assert irops("ops", "--quiet", "--text", "reverse sequence").out.split()[0] == "ReverseSequence-1"


def test_ops_are_found_by_attribute(irops):
    found = irops("ops", "--quiet", "--attribute", "keep_dims").out.split()
    assert {op.rpartition("-")[0] for op in found} == {
        f"Reduce{kind}"
        for kind in ("L1", "L2", "LogicalAnd", "LogicalOr", "Max", "Mean", "Min", "Prod", "Sum")
    }
    assert irops("ops", "--quiet", "--attribute", "KEEP-DIMS").out.split() == found
    assert "AvgPool-16" in irops("ops", "--quiet", "--attribute", "exclude_pad").out.split()
    assert irops("ops", "--attribute", "nothing").out == "0 ops\n"


@pytest.mark.parametrize(
    ("name", "op"), [("LeakyRelu", "PReLU-1"), ("LayerNormalization", "MVN-6"), ("conv2d", "Convolution-1")]
)
def test_an_op_that_has_another_name_is_suggested(name, op, irops):
    result = irops("explain", name)
    assert result.status == 2
    assert op in result.err.partition("did you mean")[2]


def test_explain_and_json_give_the_other_names(irops):
    assert "Also called: batch normalization, " in irops("explain", "BatchNormInference-5").out


def test_keywords_are_names_and_each_is_given_once():
    for definition in package.definitions():
        keywords = [word.lower() for word in definition.keywords]
        assert len(set(keywords)) == len(keywords), definition.id
        assert all(0 < len(word) <= 60 for word in keywords), definition.id
        assert definition.type not in definition.keywords, definition.id


def test_all_versions_of_an_op_have_the_same_keywords():
    registry = default_registry()
    for op in registry.ids():
        newest = registry.definition(op.rpartition("-")[0])
        assert registry.op(op).definition.keywords == newest.keywords
