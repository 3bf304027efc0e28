"""Functions of ops of ONNX that are not the functions of an op of OpenVINO."""
