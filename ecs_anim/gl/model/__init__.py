"""Meshes and crowds in the data formats of the GPU."""
