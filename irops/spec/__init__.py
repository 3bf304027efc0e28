"""Definitions: what each op is, said as data, and the functions that compute it.

XML files enter (`load`), Definitions leave; `binding` ties functions to their ids, `attributes` parses
values, `sharing` gives ops of other dialects the functions of an op of OpenVINO. `releases` holds the
tables of opsets and releases.
"""
