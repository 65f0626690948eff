"""OpenGL itself: contexts, programs, buffers, textures, targets, timers."""
