"""Classes for OpenGL objects: contexts, shader programs, buffers, textures, render targets and timers."""
