"""A detector of poses that was trained on photographs of people: BlazePose of the package mediapipe.

The package (Apache 2.0) contains the weights, and is not a requirement of ecs-anim. Install the package in an
environment of its own: `pip install --no-deps mediapipe==0.10.21`, and
`pip install "opencv-python-headless<5" absl-py attrs flatbuffers "protobuf<5" matplotlib sounddevice`.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ecs_anim.profiling.validation.detectors import package
from ecs_anim.support.errors import InputError

# a function from a picture [height, width, 3], RGB, of one person, to COCO's keypoints [17, 2] in pixels
PoseDetector = Callable[[NDArray[np.uint8]], NDArray[np.float64] | None]
VERSION = "mediapipe==0.10.21"
FULL = 1  # number of the larger of the two models in the package
# number of each of COCO's keypoints (nose, eyes, ears, shoulders, elbows, wrists, hips, knees, ankles) in BlazePose
COCO = (0, 2, 5, 7, 8, 11, 12, 13, 14, 15, 16, 23, 24, 25, 26, 27, 28)


def blazepose() -> PoseDetector:
    """Return the detector BlazePose (V. Bazarevsky et al., "BlazePose: On-device Real-time Body Pose Tracking", 2020).

    The detector returns None if it finds no person.
    """
    mediapipe = package("mediapipe", VERSION)
    if not hasattr(mediapipe, "solutions"):
        raise InputError(f"the pose detector needs an older mediapipe. Install it: pip install {VERSION}.")
    pose = mediapipe.solutions.pose.Pose(static_image_mode=True, model_complexity=FULL)

    def detect(picture: NDArray[np.uint8]) -> NDArray[np.float64] | None:
        marks = pose.process(np.ascontiguousarray(picture)).pose_landmarks
        if marks is None:
            return None
        height, width = picture.shape[:2]
        found: NDArray[np.float64] = np.array([(own.x * width, own.y * height) for own in marks.landmark])[list(COCO)]
        return found

    return detect
