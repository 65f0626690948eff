"""Labels: what pictures are said to show, such as keypoints of bodies."""
