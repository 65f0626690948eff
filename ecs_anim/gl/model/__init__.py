"""Meshes and crowds in the form that the GPU needs."""
