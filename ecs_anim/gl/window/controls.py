"""Mouse and key input of the viewer: time and camera control, independent of a window."""

import copy
import math
from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto

from ecs_anim.view.camera import OrbitCamera

MAX_STEP = 0.1  # [s]; a longer pause of the computer is not caught up
SINGLE_STEP = 1 / 60  # [s]
ORBIT_PER_HEIGHT = math.pi  # [rad] for a drag of one window height
ZOOM_PER_NOTCH = 0.88  # factor of the distance for one notch of the wheel
CLICK_WAY = 4.0  # [window unit], largest movement during a click

HINTS = (
    "drag: orbit   shift-drag: pan   wheel: zoom   click: pick   F follow   space: pause   . step   R reset"
    "   K skinning   C camera   H help   S picture   Esc close"
)


class Action(Enum):
    """Actions that a key can start."""

    PAUSE = auto()
    SINGLE_STEP = auto()
    RESET_CAMERA = auto()
    TOGGLE_OVERLAY = auto()
    SCREENSHOT = auto()
    SWAP_SKINNING = auto()
    FOLLOW = auto()
    NEXT_CAMERA = auto()
    BACK = auto()  # clear the selection, else close the window
    CLOSE = auto()


# Key names of pyglet.window.key.
KEYS = {
    "SPACE": Action.PAUSE,
    "PERIOD": Action.SINGLE_STEP,
    "RIGHT": Action.SINGLE_STEP,
    "R": Action.RESET_CAMERA,
    "H": Action.TOGGLE_OVERLAY,
    "F1": Action.TOGGLE_OVERLAY,
    "S": Action.SCREENSHOT,
    "K": Action.SWAP_SKINNING,
    "F12": Action.SCREENSHOT,
    "F": Action.FOLLOW,
    "C": Action.NEXT_CAMERA,
    "ESCAPE": Action.BACK,
    "Q": Action.CLOSE,
}


@dataclass
class Playback:
    """Playback state: whether the world is paused, and the number of requested single steps."""

    paused: bool = False
    single_steps: int = 0  # requested steps that are not done yet

    def toggle_pause(self) -> None:
        """Pause the world, or continue a paused world."""
        self.paused = not self.paused
        self.single_steps = 0

    def request_step(self) -> None:
        """Pause the world, and request one step of 1/60 s."""
        self.paused = True
        self.single_steps += 1

    def advance(self, elapsed: float) -> float | None:
        """Return the duration [s] of the next world step after `elapsed` seconds of real time, or None for no step."""
        if not self.paused:
            return min(max(elapsed, 0.0), MAX_STEP)
        if self.single_steps:
            self.single_steps -= 1
            return SINGLE_STEP
        return None


class CameraHand:
    """Converter of drags and wheel notches, in window units, to camera moves."""

    def __init__(self, camera: OrbitCamera) -> None:
        self.camera = camera
        self._start = copy.deepcopy(camera)

    def drag(self, dx: float, dy: float, window_height: float, *, pan: bool) -> None:
        """Orbit the camera for a drag of `dx` to the right and `dy` up. With `pan`, pan the camera instead."""
        right, up = dx / max(window_height, 1), dy / max(window_height, 1)
        if pan:
            self.camera.pan(-right, -up)
        else:
            self.camera.orbit(right * ORBIT_PER_HEIGHT, -up * ORBIT_PER_HEIGHT)

    def scroll(self, notches: float) -> None:
        """Move the camera nearer to its target for positive wheel `notches`, and away for negative `notches`."""
        self.camera.zoom(ZOOM_PER_NOTCH**notches)

    def reset(self) -> None:
        """Reset the camera to its first position."""
        start = self._start
        self.camera.target = start.target.copy()
        self.camera.distance, self.camera.azimuth, self.camera.elevation = (
            start.distance,
            start.azimuth,
            start.elevation,
        )


class Click:
    """Detector that distinguishes a click from a drag. A click has almost no movement between press and release."""

    def __init__(self) -> None:
        self._way = math.inf  # [window unit], movement since the press

    def press(self) -> None:
        """Begin a click when a button is pressed."""
        self._way = 0.0

    def drag(self, dx: float, dy: float) -> None:
        """Add a mouse movement while the button is pressed."""
        self._way += abs(dx) + abs(dy)

    def release(self) -> bool:
        """End a click when the button is released. Return whether the movement since `press` was a click."""
        clicked = self._way <= CLICK_WAY
        self._way = math.inf
        return clicked


@dataclass
class FrameMeter:
    """Meter of frame times. Averages over about half a second keep the shown number readable."""

    frame_times: deque[float] = field(default_factory=lambda: deque(maxlen=30))  # [s]

    def add(self, elapsed: float) -> None:
        """Add the duration of one frame [s]."""
        self.frame_times.append(elapsed)

    @property
    def text(self) -> str:
        """Return a text like "16.7 ms   60 fps". The text is empty before the first frame."""
        if not self.frame_times or sum(self.frame_times) <= 0:
            return ""
        mean = sum(self.frame_times) / len(self.frame_times)
        return f"{1e3 * mean:.1f} ms   {1 / mean:.0f} fps"
