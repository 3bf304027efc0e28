"""Classical machine learning in models of ONNX: trees, linear models, encoders of features."""

from __future__ import annotations

from irops.dialects.onnx import OnnxDomain

DIALECT = OnnxDomain("onnx_ml", "ai.onnx.ml")
