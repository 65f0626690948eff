"""GLSL sources, one purpose for each file. Files include shared parts with their names."""
