"""Meshes and crowds on the GPU: vertex buffers, instance rows, palettes and morph weights."""
