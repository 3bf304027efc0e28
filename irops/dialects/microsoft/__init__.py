"""The ops that ONNX Runtime adds to ONNX: what its optimizers and quantizers write into models."""

from __future__ import annotations

from irops.dialects.onnx import OnnxDomain

DIALECT = OnnxDomain("microsoft", "com.microsoft")
