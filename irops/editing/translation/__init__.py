"""Models of one dialect as models of another: OpenVINO's and ONNX's. See docs/translation.md."""
