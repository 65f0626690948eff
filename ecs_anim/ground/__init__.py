"""The ground under actors: a plane, a height field or triangles. Vertical rays find the height of the ground."""
