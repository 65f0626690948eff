"""Immutable data: skeletons, meshes, clips, rigs."""
