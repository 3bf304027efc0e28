"""Pairs of versions of which the newer, with some attributes fixed, means what the older does."""

from __future__ import annotations

from irops.editing.conversion.steps import versions
from irops.values.element import I64

versions("Broadcast-1", "Broadcast-3")
versions("DeformableConvolution-1", "DeformableConvolution-8", bilinear_interpolation_pad=False)
versions("Gather-1", "Gather-7", batch_dims=0)
versions("Gelu-2", "Gelu-7", approximation_mode="erf")
versions("MulticlassNms-8", "MulticlassNms-9")
versions("NonMaxSuppression-1", "NonMaxSuppression-3", output_type=I64)
versions("NonMaxSuppression-5", "NonMaxSuppression-9")
versions("OneHot-1", "OneHot-16", negative_indices_mode="ignore_negative")
versions("PriorBox-1", "PriorBox-8", min_max_aspect_ratios_order=True)
versions("ROIAlign-3", "ROIAlign-9", aligned_mode="asymmetric")
versions("ScatterNDUpdate-4", "ScatterNDUpdate-15", reduction="none")
versions("ShapeOf-1", "ShapeOf-3", output_type=I64)
versions("SoftMax-1", "SoftMax-8")
versions("TopK-1", "TopK-3")
versions("TopK-3", "TopK-11", stable=False)
