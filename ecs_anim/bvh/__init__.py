"""BVH files (Biovision motion capture): reading of a skeleton and one clip."""
