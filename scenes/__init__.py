"""Scene files, their schema, and the loader that builds a world from a scene."""
