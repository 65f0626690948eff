"""Meshes and crowds on their way to the GPU."""
