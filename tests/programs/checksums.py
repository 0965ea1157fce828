"""Whole numbers: checksums, sieves, bits, hashes - wrapping and shifting as NumPy's integers do."""

import numpy as np

from tests.programs.table import Program, integers


def crc16(data, poly=0x8408):
    """A cyclic checksum, bit by bit."""
    crc = 0xFFFF
    for byte in data:
        current = 0xFF & byte
        for _ in range(8):
            if (crc & 0x0001) ^ (current & 0x0001):
                crc = (crc >> 1) ^ poly
            else:
                crc >>= 1
            current >>= 1
    crc = ~crc & 0xFFFF
    return (crc << 8) | ((crc >> 8) & 0xFF)


def crc32_table(poly):
    """The table of a byte-wise checksum, all entries at once."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        low = (table & np.uint32(1)).astype(bool)
        table >>= np.uint32(1)
        table[low] ^= np.uint32(poly)
    return table


def crc32(data, table):
    crc = np.uint32(0xFFFFFFFF)
    for byte in data:
        crc = table[(crc ^ byte) & np.uint32(0xFF)] ^ (crc >> np.uint32(8))
    return crc ^ np.uint32(0xFFFFFFFF)


def adler32(data):
    """Two sums of bytes, of which one weighs the places."""
    n = data.size
    a = (1 + data.sum(dtype=np.int64)) % 65521
    b = (n + (data.astype(np.int64) * np.arange(n, 0, -1)).sum()) % 65521
    return (b << 16) | a


def fletcher(words):
    low = high = np.uint64(0)
    for word in words:
        low = (low + word) % np.uint64(65535)
        high = (high + low) % np.uint64(65535)
    return (high << np.uint64(16)) | low


def xorshift(states, rounds=3):
    """Many generators at once, in place; their last numbers as floats."""
    for _ in range(rounds):
        states ^= states << np.uint64(13)
        states ^= states >> np.uint64(7)
        states ^= states << np.uint64(17)
    return (states >> np.uint64(11)) * (1.0 / (1 << 53))


def popcount(words):
    """How many bits are set, by sums of neighbours."""
    v = words - ((words >> 1) & 0x5555555555555555)
    v = (v & 0x3333333333333333) + ((v >> 2) & 0x3333333333333333)
    v = (v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (v * 0x0101010101010101) >> 56


def morton(x, y):
    """Bits of two numbers in turn."""

    def parted(v):
        v = v.astype(np.uint32) & 0x0000FFFF
        v = (v | (v << 8)) & 0x00FF00FF
        v = (v | (v << 4)) & 0x0F0F0F0F
        v = (v | (v << 2)) & 0x33333333
        return (v | (v << 1)) & 0x55555555

    return parted(x) | (parted(y) << 1)


def sieve(n):
    prime = np.ones(n + 1, dtype=bool)
    prime[:2] = False
    for k in range(2, int(n**0.5) + 1):
        if prime[k]:
            prime[k * k :: k] = False
    return np.flatnonzero(prime)


def greatest_divisor(a, b):
    """Euclid's algorithm for arrays, until all remainders are zero."""
    a, b = a.copy(), b.copy()
    while b.any():
        more = b != 0
        rest = np.where(more, a % np.where(more, b, 1), 0)
        a = np.where(more, b, a)
        b = rest
    return a


def collatz(numbers, rounds=12):
    """Steps of the 3n + 1 map that do not begin at 1."""
    n, steps = numbers.copy(), np.zeros_like(numbers)
    for _ in range(rounds):
        going = n > 1
        n = np.where(going, np.where(n % 2 == 0, n // 2, 3 * n + 1), n)
        steps += going
    return n, steps


def digits(numbers, base=10, count=6):
    """Digits of each number, the last in front, and their sum with signs in turn."""
    out = np.empty((count, *numbers.shape), dtype=numbers.dtype)
    rest = numbers
    for k in range(count):
        rest, out[k] = np.divmod(rest, base)
    return out, (out[::2].sum(0) - out[1::2].sum(0)) % 11


def base64_words(data):
    """Three bytes become four numbers of six bits."""
    triples = data.reshape(-1, 3).astype(np.uint32)
    word = triples[:, 0] << 16 | triples[:, 1] << 8 | triples[:, 2]
    return np.stack([(word >> shift) & 63 for shift in (18, 12, 6, 0)], axis=1).astype(np.uint8).reshape(-1)


def wrapped(a, b):
    """Arithmetic of bytes, which wraps."""
    return a * b, a - b, (a + b) // 2, a << 1, ~a, -b, a % np.maximum(b, 1)


def rank_of(permutation):
    """A permutation's inverse and the number of its inversions."""
    inverse = np.empty_like(permutation)
    inverse[permutation] = np.arange(len(permutation))
    later = permutation[:, None] > permutation[None, :]
    return inverse, np.triu(later, 1).sum()


bytes_of = lambda n: integers(n, high=256, dtype=np.uint8)

ROWS = [
    Program(crc16, lambda n: (integers(n, high=256),), 8, 500),
    Program(crc32_table, lambda n: (0xEDB88320,), 1, 1, versions=1),
    Program(crc32, lambda n: (integers(n, high=256, dtype=np.uint32), integers(256, high=1 << 32, dtype=np.uint32)), 8, 2000),
    Program(adler32, lambda n: (bytes_of(n),), 32, 100_000),
    Program(fletcher, lambda n: (integers(n, high=65536, dtype=np.uint64),), 8, 2000),
    Program(xorshift, lambda n: (integers(n, low=1, high=1 << 60, dtype=np.uint64),), 32, 50_000),
    Program(popcount, lambda n: (integers(n, high=1 << 62),), 32, 100_000),
    Program(morton, lambda n: (integers(n, high=65536), integers(n, high=65536, seed=1)), 32, 100_000),
    Program(sieve, lambda n: (n,), 30, 20_000),
    Program(greatest_divisor, lambda n: (integers(n, low=1, high=9999), integers(n, high=9999, seed=1)), 32, 50_000),
    Program(collatz, lambda n: (integers(n, low=1, high=1000),), 32, 50_000),
    Program(digits, lambda n: (integers(n, high=1_000_000),), 32, 50_000),
    Program(base64_words, lambda n: (bytes_of(3 * n),), 16, 50_000),
    Program(wrapped, lambda n: (bytes_of(n), bytes_of(n)[::-1]), 32, 100_000),
    Program(rank_of, lambda n: (np.random.default_rng(n).permutation(n),), 16, 500),
]  # fmt: skip
