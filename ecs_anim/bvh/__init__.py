"""Reading of BVH files (Biovision motion capture). A file contains a skeleton and one clip."""
