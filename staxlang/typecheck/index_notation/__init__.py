"""Index notation: tensors by their subscripts, evaluated for one point whose indices are sizes with ranges."""
