"""Convert models between OpenVINO and ONNX operators. See docs/conversion.md."""
