"""Work in other processes, which may crash, hang or use too much memory."""
