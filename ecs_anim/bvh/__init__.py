"""BVH files, Biovision's motion capture: text to a skeleton and one clip."""
