"""Functions of the ops of the domain ai.onnx.ml."""
