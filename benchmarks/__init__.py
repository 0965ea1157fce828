"""This project beside NumPy, numexpr, Numba, JAX, torch and torch.compile, in one run: `python -m benchmarks --help`."""
