"""Pages from definitions: what `irops docs` writes."""
