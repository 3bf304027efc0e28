"""Convert models between OpenVINO and ONNX operators. See docs/translation.md."""
