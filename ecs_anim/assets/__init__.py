"""Immutable data of characters: skeletons, meshes, clips and rigs."""
