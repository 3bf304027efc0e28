"""32-bit pseudo-random numbers: Philox (Salmon et al., 2011) and the Mersenne Twister (Matsumoto and
Nishimura, 1998).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.uint32]
LOW, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
KEY_STEPS = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10


def philox(key: int, counter: int, count: int) -> Bits:
    """The first `count` numbers of Philox 4x32-10. Each group of four numbers has a 128-bit counter: the low
    64 bits are the number of the group, from 0 on, the high 64 bits are `counter`.
    """
    groups = np.arange(-(-count // 4), dtype=np.uint64)
    a, b = groups & LOW, groups >> HALF
    c, d = (np.full_like(groups, part) for part in (counter & 0xFFFFFFFF, counter >> 32 & 0xFFFFFFFF))
    keys = [key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF]
    for _ in range(ROUNDS):
        first, second = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, b = second >> HALF ^ b ^ np.uint64(keys[0]), second & LOW
        c, d = first >> HALF ^ d ^ np.uint64(keys[1]), first & LOW
        keys = [(part + step) & 0xFFFFFFFF for part, step in zip(keys, KEY_STEPS)]
    return np.stack([a, b, c, d], axis=1).astype(np.uint32).reshape(-1)[:count]


def mersenne_twister(seed: int, count: int) -> Bits:
    """The first `count` numbers of the Mersenne Twister 19937, initialized from the low 32 bits of a seed."""
    twister = np.random.MT19937()
    twister._legacy_seeding(seed & 0xFFFFFFFF)
    return np.asarray(twister.random_raw(count), np.uint32)


def mersenne_twister_of(seeds: tuple[int, ...], count: int) -> Bits:
    """The same, initialized from several 32-bit seeds as std::seed_seq of the C++ standard library does."""
    twister = np.random.MT19937()
    twister.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.array(_seed_sequence(seeds), np.uint32), "pos": STATE_WORDS},
    }
    return np.asarray(twister.random_raw(count), np.uint32)


STATE_WORDS = 624
SEED_SEQUENCE_DISTANCE = 11
"""The distance between the two words that each step of std::seed_seq changes, if at least 623 are made."""


def _seed_sequence(seeds: tuple[int, ...]) -> list[int]:
    """The 624 words of 32 bits that std::seed_seq makes from seeds."""
    size, words = STATE_WORDS, [0x8B8B8B8B] * STATE_WORDS
    near = (size - SEED_SEQUENCE_DISTANCE) // 2
    far, seed_words = near + SEED_SEQUENCE_DISTANCE, [seed & 0xFFFFFFFF for seed in seeds]
    for k in range(size):
        mixed = words[k] ^ words[(k + near) % size] ^ words[k - 1]
        first = 1664525 * (mixed ^ mixed >> 27) & 0xFFFFFFFF
        added = len(seed_words) if k == 0 else k + (seed_words[k - 1] if k <= len(seed_words) else 0)
        second = first + added & 0xFFFFFFFF
        words[(k + near) % size] = words[(k + near) % size] + first & 0xFFFFFFFF
        words[(k + far) % size] = words[(k + far) % size] + second & 0xFFFFFFFF
        words[k] = second
    for k in range(size):
        mixed = words[k] + words[(k + near) % size] + words[k - 1] & 0xFFFFFFFF
        first = 1566083941 * (mixed ^ mixed >> 27) & 0xFFFFFFFF
        second = first - k & 0xFFFFFFFF
        words[(k + near) % size] ^= first
        words[(k + far) % size] ^= second
        words[k] = second
    return words
