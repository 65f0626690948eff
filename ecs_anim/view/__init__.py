"""Cameras, view frustums, lights and label passes. This package does not use OpenGL."""
