"""Levels of detail for distant actors: coarser meshes, impostors, geometric errors and bounding spheres."""
