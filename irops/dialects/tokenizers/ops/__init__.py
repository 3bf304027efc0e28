"""Shape functions of the ops of openvino-tokenizers; those without one have stock rules only."""
