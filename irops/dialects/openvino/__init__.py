"""OpenVINO's dialect: files of IR, and the opsets that their layers name."""

from irops.dialects.openvino.dialect import OpenVINODialect

DIALECT = OpenVINODialect()
