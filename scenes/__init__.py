"""Scene files, their schema, and the loader that turns one into a world."""
