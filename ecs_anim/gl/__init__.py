"""All code of the package that calls OpenGL."""
