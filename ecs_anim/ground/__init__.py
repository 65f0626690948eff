"""The ground under actors: a plane, a height field or triangles. Vertical rays find its height."""
