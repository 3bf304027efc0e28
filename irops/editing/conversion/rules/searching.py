"""SearchSorted: the number of smaller elements."""

from __future__ import annotations

import numpy as np

from irops.editing.conversion.steps import Form, step
from irops.editing.conversion.subject import Subject


@step("SearchSorted-15", "ReduceSum-1")
def search_sorted(subject: Subject) -> Form:
    """In a sorted sequence, the position of a value is the number of elements before it."""
    sequence, values = subject.input("sorted_sequence"), subject.input("values")
    rank = len(subject.sizes("sorted_sequence", "a comparison depends on it"))
    last, before_last = np.array([-1], np.int64), np.array([-2], np.int64)
    columns = subject.add("Unsqueeze-1", values, last, part="columns")
    rows = sequence if rank == 1 else subject.add("Unsqueeze-1", sequence, before_last, part="rows")
    comparison = "LessEqual-1" if subject.attributes["right_mode"] else "Less-1"
    is_before = subject.add(comparison, rows, columns, part="is_before")
    numbers = subject.add(
        "Convert-1", is_before, part="numbers", destination_type=subject.attributes["output_type"]
    )
    return Form([numbers, last], {"keep_dims": False})
