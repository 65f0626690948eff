"""What never changes once it is made: skeletons, meshes, clips, rigs."""
