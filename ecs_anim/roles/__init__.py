"""Roles of a humanoid's joints (hips, spine, head, arms and legs), found by joint names or by the body's shape."""
