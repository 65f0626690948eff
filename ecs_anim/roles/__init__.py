"""What joints of a humanoid are for: hips, spine, head, arms and legs, by their names or by the body's shape."""
