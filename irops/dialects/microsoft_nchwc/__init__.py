"""Convolution and pooling on blocks of channels, as ONNX Runtime's optimizer writes them into models."""

from __future__ import annotations

from irops.dialects.onnx import OnnxDomain

DIALECT = OnnxDomain("microsoft_nchwc", "com.microsoft.nchwc")
