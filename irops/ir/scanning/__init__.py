"""Reads files in canonical form, which is the form that OpenVINO writes, without an XML parser."""
