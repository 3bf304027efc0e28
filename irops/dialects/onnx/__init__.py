"""ONNX models: reading, writing, and irops as a backend of ONNX's own tests."""
