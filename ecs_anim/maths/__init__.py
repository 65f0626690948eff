"""Numbers without owners: affine matrices, quaternions, curves, elementary functions."""
