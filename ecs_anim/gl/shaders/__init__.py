"""GLSL sources. A file has one purpose and includes shared files by name."""
