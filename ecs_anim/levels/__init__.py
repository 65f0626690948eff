"""Levels of detail for far actors: meshes, geometric errors, and bounding spheres for all poses."""
