"""The hash behind every key: blake2b without `hashlib`, whose import brings in OpenSSL, 2 ms of a process's first call."""

try:
    from _blake2 import blake2b
except ImportError:  # another interpreter
    from hashlib import blake2b

__all__ = ["blake2b"]
