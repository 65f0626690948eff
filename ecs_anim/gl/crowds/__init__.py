"""Crowds that the GPU poses."""
