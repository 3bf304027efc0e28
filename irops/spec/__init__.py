"""Definitions: what each op is, said as data, and the functions that compute it."""
