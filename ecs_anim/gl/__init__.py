"""Drawing with OpenGL. Only this package calls OpenGL."""
