"""Building and changing models: models enter, models leave, and the old ones stay as they were.

`graph` is irops.Graph; `extraction` takes parts, `diff` compares two models, `conversion` changes op
versions for a release, `translation` the dialect. `dialects` builds graphs that have no files of their own.
"""
