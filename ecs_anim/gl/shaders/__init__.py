"""GLSL source files. Each file has one purpose. A file can include other files by name."""
