"""Examines a built site: its links, and its pages in a browser."""
