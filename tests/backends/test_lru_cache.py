"""What is kept for the next time is bounded."""

from threading import Thread

import pytest

from irops.backends.one_op import LruCache


def test_what_was_not_asked_for_the_longest_goes_first():
    kept, made = LruCache(2), []
    for key in ("a", "b", "a", "c"):
        assert kept.find(key) == (key.upper() if key in made else None)
        kept.get(key, lambda key=key: made.append(key) or key.upper())
    assert (len(kept), made) == (2, ["a", "b", "c"])
    assert kept.get("a", lambda: "made anew") == "A"
    assert kept.get("b", lambda: "made anew") == "made anew"


def test_a_value_is_replaced_under_its_key_without_dropping_another():
    kept = LruCache(2)
    for key, value in (("a", 1), ("b", 2), ("b", 3)):
        kept.put(key, value)
    assert [kept.find(key) for key in "ab"] == [1, 3]
    assert len(kept) == 2


def test_a_value_that_cannot_be_made_is_not_kept():
    kept = LruCache(2)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            kept.get("a", lambda: 1 / 0)
    assert len(kept) == 0
    assert kept.get("a", lambda: "made") == "made"


def test_threads_share_a_cache():
    kept, found = LruCache(3), []

    def ask(first):
        for k in range(500):
            key = (first + k) % 5
            found.append(kept.get(key, lambda key=key: [key]) == [key])

    threads = [Thread(target=ask, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert (len(found), all(found), len(kept)) == (2000, True, 3)
