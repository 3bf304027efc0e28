"""The defaults in the definitions, compared with what OpenVINO reads where an attribute is left out."""

import math
from collections import Counter

import pytest
from libraries import needs
from reader_defaults import CASES, measure, models_without, stored

import irops
from irops.dialects.registry import default_registry
from irops.spec.attributes import DomainError, default_of, parse
from irops.spec.definition import Attribute

MEASURED = stored()
EXPLAINED = {
    ("Broadcast-1", "mode"): "OpenVINO ignores it where there is no axes_mapping, and reads numpy",
    ("LSTMCell-1", "weights_format"): "OpenVINO reads ifco and uses fico, whatever the attribute is",
    ("MVN-2", "reduction_axes"): "the empty list means the axes that across_channels names",
    ("ROIPooling-2", "output_roi"): "OpenVINO writes it with the value of pooled_h and pooled_w",
    ("ROIPooling-2", "output_size"): "OpenVINO writes it with the value of pooled_h and pooled_w",
}
"""Attributes whose reading differs from the definition without effect, and why."""
CASE = [(op, name) for op, attributes in MEASURED.items() for name in attributes]


def _value(attribute: Attribute, text: str) -> object:
    try:
        return parse(attribute, text)
    except DomainError:
        return None


def _same(attribute: Attribute, text: str) -> bool:
    """Whether a text that OpenVINO reads is the default of the definition. A list of 0 (of paddings) may
    have one number for each axis.
    """
    value, default = _value(attribute, text), default_of(attribute)
    if isinstance(value, tuple) and isinstance(default or (), tuple) and not any(value):
        return not any(default or ())
    if isinstance(value, float) and isinstance(default, float):
        return math.isclose(value, default, rel_tol=1e-6)
    return value == default


def disagreement(op: str, name: str) -> str:
    """How the default of a definition differs from what OpenVINO reads, or ''."""
    attribute = default_registry().op(op).definition.attributes[name]
    left = MEASURED[op][name]
    texts = [text for text in left.read if text is not None]
    if attribute.reader_requires and not left.refused:
        return "OpenVINO reads a layer without it, although the definition says that it does not"
    if attribute.reader_requires == "yes" and texts:
        return f"OpenVINO reads {texts}, although the definition says that it refuses the layer"
    if attribute.reader_requires or (not texts and attribute.reader_default is None):
        return ""
    if attribute.required and attribute.reader_default is None:
        # what is no value of the attribute, or depends on the layer, cannot be stated
        return f"OpenVINO reads {texts}" if len(texts) == 1 and _stated(attribute, texts[0]) else ""
    wrong = [text for text in texts if not _same(attribute, text)]
    return f"OpenVINO reads {wrong}, the default is {default_of(attribute)!r}" if wrong else ""


def _stated(attribute: Attribute, text: str) -> bool:
    """Whether a text could be a reader-default: a value in the domain, and no list of one per axis."""
    return _value(attribute, text) is not None and attribute.type not in ("ints", "axes")


@pytest.mark.parametrize("op", MEASURED)
def test_the_defaults_are_what_openvino_reads(op):
    found = {(op, name): wrong for name in MEASURED[op] if (wrong := disagreement(op, name))}
    assert found.keys() == {place for place in EXPLAINED if place[0] == op}, found


def test_every_attribute_is_measured():
    registry = default_registry()
    expected = {
        (op, name)
        for op in registry.ids()
        for name in registry.op(op).definition.attributes
        if registry.op(op).definition.dialect == "openvino"
    }
    assert expected - set(CASE) == set()
    assert set(CASE) <= expected


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    """Of each op and attribute: rules and severities found in each model that lacks the attribute."""
    folder = tmp_path_factory.mktemp("without")
    found = {}
    for model in models_without(CASES):
        if not model.attribute:
            continue
        path = folder / "m.xml"
        path.write_text(model.text)
        path.with_suffix(".bin").write_bytes(model.weights)
        findings = irops.check(str(path)).diagnostics
        kinds = {(d.code, str(d.severity.value)) for d in findings}
        found.setdefault((model.op.id, model.attribute), []).append(kinds)
    return found


@pytest.mark.slow("OpenVINO reads many models")
def test_a_model_that_openvino_refuses_without_the_attribute_has_an_error(reported):
    silent = []
    for op, name in CASE:
        left = MEASURED[op][name]
        if left.refused and not left.read:
            models = reported[op, name]
            silent += [(op, name) for kinds in models if "error" not in {severity for _, severity in kinds}]
    assert Counter(silent) == {}


@pytest.mark.slow("checks many models")
def test_a_model_that_means_two_things_without_the_attribute_has_a_warning(reported):
    silent = []
    for op, name in CASE:
        attribute = default_registry().op(op).definition.attributes[name]
        texts = [text for text in MEASURED[op][name].read if text is not None]
        if attribute.default is None or attribute.required or attribute.reader_requires:
            continue
        if (op, name) in EXPLAINED:
            continue
        specified = parse(attribute, attribute.default)
        if any(not _same(attribute, t) or specified != default_of(attribute) for t in texts):
            silent += [(op, name) for kinds in reported[op, name] if ("IR313", "warning") not in kinds]
    assert silent == []


@pytest.mark.slow("OpenVINO reads many models")
@needs("openvino")
def test_openvino_still_reads_what_is_stored():
    measured = measure(cases=1)
    for op, attributes in measured.items():
        for name, left in attributes.items():
            known = MEASURED[op][name]
            assert set(left.read) <= set(known.read), (op, name)
            assert known.refused or not left.refused, (op, name)
