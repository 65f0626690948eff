"""Roles of a humanoid's joints: hips, spine, head, arms and legs, by their names or by the body's shape."""
