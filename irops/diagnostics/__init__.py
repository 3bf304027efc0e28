"""Diagnostics: the rules, the findings, and the formats in which they are reported.

Every part makes findings (`diagnostic`) of rules (`rules`, by bands of codes); a `report` holds those of a
model, and `formats` writes reports. Text of files is escaped (`printable`) before anybody sees it.
"""
