"""How hands move the viewer: time, camera and keys, without any window."""

import copy
import math
from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto

from ecs_anim.view.camera import OrbitCamera

MAX_STEP = 0.1  # [s], a longer pause of the machine is not made up for
SINGLE_STEP = 1 / 60  # [s]
ORBIT_PER_HEIGHT = math.pi  # [rad], for a drag over the window's height
ZOOM_PER_NOTCH = 0.88  # of the distance, for a notch of the wheel
CLICK_WAY = 4.0  # [window unit] that a hand may move during a click

HINTS = (
    "drag: orbit   shift-drag: pan   wheel: zoom   click: pick   F follow   space: pause   . step   R reset"
    "   K skinning   C camera   H help   S picture   Esc close"
)


class Action(Enum):
    """Actions of keys."""

    PAUSE = auto()
    SINGLE_STEP = auto()
    RESET_CAMERA = auto()
    TOGGLE_OVERLAY = auto()
    SCREENSHOT = auto()
    SWAP_SKINNING = auto()
    FOLLOW = auto()
    NEXT_CAMERA = auto()
    BACK = auto()  # let go of what is picked, else close
    CLOSE = auto()


# Names as pyglet.window.key spells them.
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
    """Whether time runs, and how much of it the next step gets."""

    paused: bool = False
    single_steps: int = 0  # asked for and not yet taken

    def toggle_pause(self) -> None:
        """Stop or go on."""
        self.paused = not self.paused
        self.single_steps = 0

    def request_step(self) -> None:
        """Stop, and take one step of 1/60 s."""
        self.paused = True
        self.single_steps += 1

    def advance(self, elapsed: float) -> float | None:
        """How far to step after `elapsed` seconds of real time, [s]; None = not at all."""
        if not self.paused:
            return min(max(elapsed, 0.0), MAX_STEP)
        if self.single_steps:
            self.single_steps -= 1
            return SINGLE_STEP
        return None


class CameraHand:
    """Turns drags and wheel notches, in window units, into camera moves."""

    def __init__(self, camera: OrbitCamera) -> None:
        self.camera = camera
        self._start = copy.deepcopy(camera)

    def drag(self, dx: float, dy: float, window_height: float, *, pan: bool) -> None:
        """Orbit, or pan, by a drag of dx to the right and dy up; the scene follows the hand."""
        right, up = dx / max(window_height, 1), dy / max(window_height, 1)
        if pan:
            self.camera.pan(-right, -up)
        else:
            self.camera.orbit(right * ORBIT_PER_HEIGHT, -up * ORBIT_PER_HEIGHT)

    def scroll(self, notches: float) -> None:
        """Come nearer by positive notches, go away by negative ones."""
        self.camera.zoom(ZOOM_PER_NOTCH**notches)

    def reset(self) -> None:
        """Back to where the camera was first."""
        start = self._start
        self.camera.target = start.target.copy()
        self.camera.distance, self.camera.azimuth, self.camera.elevation = (
            start.distance,
            start.azimuth,
            start.elevation,
        )


class Click:
    """Tells a click from a drag: a press and a release with next to no way between them."""

    def __init__(self) -> None:
        self._way = math.inf  # [window unit], since the press

    def press(self) -> None:
        """A button went down."""
        self._way = 0.0

    def drag(self, dx: float, dy: float) -> None:
        """The hand has moved with the button down."""
        self._way += abs(dx) + abs(dy)

    def release(self) -> bool:
        """The button went up; returns whether that was a click."""
        clicked = self._way <= CLICK_WAY
        self._way = math.inf
        return clicked


@dataclass
class FrameMeter:
    """Frame times, averaged over the last half second or so to be legible."""

    frame_times: deque[float] = field(default_factory=lambda: deque(maxlen=30))  # [s]

    def add(self, elapsed: float) -> None:
        """Note one frame of `elapsed` seconds."""
        self.frame_times.append(elapsed)

    @property
    def text(self) -> str:
        """Such as "16.7 ms   60 fps"; empty before the first frame."""
        if not self.frame_times or sum(self.frame_times) <= 0:
            return ""
        mean = sum(self.frame_times) / len(self.frame_times)
        return f"{1e3 * mean:.1f} ms   {1 / mean:.0f} fps"
