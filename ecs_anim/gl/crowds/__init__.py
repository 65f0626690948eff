"""Drawing of baked crowds. The GPU computes the poses of a baked crowd from a bake."""
