"""Ops are found by the names that people call them by, and by attribute."""

import pytest

import irops as package
from irops.dialects.registry import default_registry

USUAL = {
    "BatchNormInference-5": "batch normalization, batch-normalization, BatchNorm2d",
    "ConvolutionBackpropData-1": "deconvolution, ConvTranspose",
    "Convolution-1": "conv2d",
    "GroupConvolution-1": "depthwise convolution",
    "NonMaxSuppression-9": "non-maximum suppression, NMS",
    "ReLU-1": "rectified, rectified linear unit",
    "PReLU-1": "leaky relu",
    "Swish-4": "SiLU",
    "MVN-6": "layer norm, LayerNorm",
    "Select-1": "Where",
    "Transpose-1": "permute",
    "Reverse-1": "flip",
    "ReverseSequence-1": "reverse sequence",
    "Interpolate-11": "resize, upsample",
    "Convert-1": "cast",
    "Unsqueeze-1": "expand_dims",
    "Reshape-1": "flatten",
    "ExtractImagePatches-3": "im2col",
    "DepthToSpace-1": "pixel shuffle",
    "TopK-11": "argmax",
    "MatMul-1": "Gemm, fully connected",
    "ScaledDotProductAttention-13": "attention",
    "DFT-7": "fft",
    "GRUSequence-5": "GRU",
    "Clamp-1": "clip",
    "Range-4": "arange",
    "AvgPool-16": "average pooling",
    "Gather-8": "embedding",
    "Power-1": "Pow",
    "FakeQuantize-1": "quantization",
}


@pytest.mark.parametrize("op", USUAL)
def test_an_op_is_found_by_its_usual_names(op, irops):
    for words in USUAL[op].split(", "):
        assert op in irops("ops", "--quiet", "--text", words).out.split()[:12], words


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
