"""GLSL sources, one purpose a file; shared parts are included by name."""
