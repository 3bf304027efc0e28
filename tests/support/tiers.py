"""Laws that are tried with few random cases in the fast tier, and with many in the slow one."""

import pytest


def random_cases(*, few: int, many: int) -> pytest.MarkDecorator:
    """Call a test with case_count, the number of random cases to try."""
    slow = pytest.mark.slow("many random cases")
    return pytest.mark.parametrize(
        "case_count", [pytest.param(few, id="few"), pytest.param(many, id="many", marks=slow)]
    )
