"""Compiled inner loops (numba); each has a wrapper that checks shapes and a plain numpy oracle in the tests."""
