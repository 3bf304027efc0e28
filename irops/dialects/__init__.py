"""Dialects besides OpenVINO IR: reading, writing and building their models."""
