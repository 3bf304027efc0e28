"""What irops computes once and keeps on disk: where, in what form, and what an entry depends on."""
