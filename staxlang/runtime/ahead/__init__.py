"""Ahead of time: kernels to a shared library or object files with a C header, without Python inside."""
