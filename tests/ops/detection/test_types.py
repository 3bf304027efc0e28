"""Inputs of different element types, which OpenVINO takes: the output has the type of the first."""

import numpy as np
import pytest

import irops
from irops.values.element import element_type

F32 = np.float32
MAPS, REGION = np.ones((1, 4, 3, 3), F32), F32([[0, 0, 0, 2, 2]])
POOLED = {"output_dim": 1, "group_size": 2, "spatial_scale": 1.0}
CHOSEN = {"base_size": 4, "feat_stride": 4, "min_size": 0, "ratio": [1.0], "scale": [1.0]}
CHOSEN |= {"pre_nms_topn": 9, "post_nms_topn": 1, "nms_thresh": 0.5}
DECODED = {"keep_top_k": [1], "nms_threshold": 0.5, "variance_encoded_in_target": True, "normalized": True}
CASES = {
    "PSROIPooling-1": ((MAPS, REGION), POOLED | {"mode": "average"}),
    "DeformablePSROIPooling-1": ((MAPS, REGION, np.zeros((1, 2, 1, 1), F32)), POOLED),
    "Proposal-4": ((np.ones((1, 2, 1, 1), F32), np.zeros((1, 4, 1, 1), F32), F32([8, 8, 1])), CHOSEN),
    "DetectionOutput-8": ((np.zeros((1, 4), F32), np.ones((1, 2), F32), F32([[[0, 0, 1, 1]]])), DECODED),
}
BOXES = {"PSROIPooling-1": 1, "DeformablePSROIPooling-1": 1, "Proposal-4": 2, "DetectionOutput-8": 2}


@pytest.mark.parametrize("op", CASES)
@pytest.mark.parametrize(
    ("kind", "of_boxes"), [("f32", "f16"), ("f16", "f32"), ("bf16", "f64"), ("f64", "bf16")]
)
def test_the_output_has_the_type_of_the_first_input(op, kind, of_boxes):
    inputs, attributes = CASES[op]
    given = [
        array.astype(element_type(of_boxes if place == BOXES[op] else kind).dtype)
        for place, array in enumerate(inputs)
    ]
    found = irops.call(op, *given, **attributes)
    exact = irops.call(op, *inputs, **attributes)
    for one, other in zip(*((each if isinstance(each, tuple) else (each,)) for each in (found, exact))):
        assert one.dtype == given[0].dtype
        np.testing.assert_allclose(one.astype(np.float64), other, rtol=1e-2)
