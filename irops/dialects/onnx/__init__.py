"""ONNX's dialect: reading and writing its models, and its opsets."""

from __future__ import annotations

from irops.dialects.onnx.dialect import Onnx

DIALECT = Onnx()
