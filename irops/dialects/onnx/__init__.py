"""ONNX's dialect: reading and writing its models, and its opsets."""

from irops.dialects.onnx.dialect import Onnx

DIALECT = Onnx()
