"""GLSL source files. Each file has one purpose. A file includes shared files by their names."""
