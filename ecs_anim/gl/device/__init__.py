"""Wrappers of OpenGL objects: contexts, programs, buffers, textures, render targets, timers."""
