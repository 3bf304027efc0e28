"""The derivatives of OpenVINO's ops, by families of ops."""
