"""Reading of BVH files (Biovision motion capture). A BVH file contains a skeleton and one clip."""
