"""ExperimentalDetectronTopKROIs: select the regions with the highest probabilities."""

from __future__ import annotations

import numpy as np

from irops.spec.binding import kernel, shape
from irops.values.dim import unify
from irops.values.element import Array
from irops.values.fact import Fact
from irops.values.shape import Shape


@shape("ExperimentalDetectronTopKROIs-6")
def top_rois_shape(rois: Fact, probabilities: Fact, *, max_rois: int) -> Shape:
    unify(rois.shape[1], 4, "C1")
    unify(rois.shape[0], probabilities.shape[0], "C2")
    return Shape.of(max_rois, 4)


@kernel("ExperimentalDetectronTopKROIs-6", widen=True)
def top_rois(rois: Array, probabilities: Array, *, max_rois: int) -> Array:
    order = np.argsort(-probabilities, kind="stable")[:max_rois]
    return np.pad(rois[order], ((0, max_rois - len(order)), (0, 0)))
