"""Levels of detail for far actors: their meshes, their errors, and bounding spheres for all poses."""
