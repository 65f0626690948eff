"""Levels of detail for distant actors: coarser meshes and impostors, with their geometric errors and bounding
spheres.
"""
