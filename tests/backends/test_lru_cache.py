"""What is kept for the next time is bounded."""

from __future__ import annotations

from irops.backends.lru_cache import LruCache


def test_what_was_made_is_made_once():
    kept, value = LruCache(2), []
    for _ in range(3):
        kept.get("a", lambda: value.append(1) or "value")
    assert value == [1]


def test_what_was_not_asked_for_the_longest_goes_first():
    kept = LruCache(2)
    for key in ("a", "b", "a", "c"):
        kept.get(key, lambda key=key: key.upper())
    assert len(kept) == 2
    assert kept.get("a", lambda: "made anew") == "A"
    assert kept.get("b", lambda: "made anew") == "made anew"
