"""irops: the executable specification of OpenVINO IR."""
