"""Labels for pictures: keypoints, and label files in the formats COCO and MOT."""
