"""Labels of pictures, for example keypoints of bodies."""
