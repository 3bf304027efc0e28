"""Files that are not local, by fsspec (extra irops[remote]), which is imported when a URL is met."""
