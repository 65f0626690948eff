"""Everything that touches OpenGL."""
