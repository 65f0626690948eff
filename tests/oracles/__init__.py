"""Readable forms that kernels and readers are compared with."""
