"""TOML text of scenes that show trajectory files. `ecs-anim walk` runs and saves such scenes."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ecs_anim.maths.plan import space_from_plan
from ecs_anim.scenes.recordings import require_near
from ecs_anim.scenes.toml_text import toml_of
from ecs_anim.support.errors import InputError
from ecs_anim.trajectories import ReadOptions, Recording, RootOptions, Trajectories
from ecs_anim.trajectories.stretches import Stretches, stretches_of
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.framing import framed

TINTS = ("#3d6fa5", "#b5533c", "#5c946e", "#8d6a9f", "#c9a227", "#44546a", "#b86b8b", "#3f8f8a", "#7a6f4f", "#d08c4a")
View = Literal["top", "side"]
ELEVATION = {"top": 88.0, "side": 30.0}  # [degrees]
AZIMUTHS = (180.0, 90.0)  # [degrees]; the program uses the azimuth with the shorter camera distance
TALL = 1.85  # [m], a height above all heads
LOW = 0.4  # [m], height of walls
MOST = 100_000  # largest number of samples in the search for a legend position
AROUND = 1.0  # [s], window around a moment that is searched for people


@dataclass(frozen=True)
class WalkedScene:
    """The content of a scene file for showing the people of a trajectory file."""

    file: str  # path of the trajectory file, relative to the scene file's folder
    rig: str
    walls: str | None  # path of a plan
    outline: str | None  # outline in the trajectory file, as well-known text
    read: ReadOptions
    camera: OrbitCamera

    def text(self) -> str:
        """Return the text of the scene file."""
        options = {"file": self.file, **vars(self.read)}
        told = ", ".join(f"{key} = {toml_of(value)}" for key, value in options.items() if value is not None)
        height = "height = 1.75\n" if self.rig == "mannequin" else ""
        return (
            f"title = {toml_of(self.file)}\n\n[rigs.people]\nmodel = {toml_of(self.rig)}\n{height}\n"
            f"{self._camera()}\n{self._walls()}"
            f'[[crowds]]\nname = "people"\nrig = "people"\ntints = {toml_of(list(TINTS))}\nbody = {{}}\n'
            f"trajectories = {{ {told} }}\n"
        )

    def _walls(self) -> str:
        """Return the TOML text of the table `walls`. The walls are low, so that feet remain visible."""
        key, value = ("file", self.walls) if self.walls else ("wkt", self.outline)
        origin = f"origin = {toml_of(self.read.origin)}\n" if self.walls and self.read.origin else ""
        return f"[walls]\n{key} = {toml_of(value)}\n{origin}height = {LOW}\n\n" if value else ""

    def _camera(self) -> str:
        x, y, z = self.camera.target
        return (
            f"[camera]\ntarget = [{x:.2f}, {y:.2f}, {z:.2f}]\ndistance = {self.camera.distance:.1f}\n"
            f"azimuth_degrees = {math.degrees(self.camera.azimuth):.1f}\n"
            f"elevation_degrees = {math.degrees(self.camera.elevation):.1f}\n"
        )


def walked_camera(found: Recording, view: View, begin: float, end: float, aspect: float) -> OrbitCamera:
    """Return a camera that shows all people between the times `begin` and `end` [s of the file].

    `aspect` is the width of the picture divided by its height. Raises InputError if no person is present, or if a
    person is too far away.
    """
    seen = found.between(begin - AROUND / 2, end + AROUND / 2)
    if not len(seen.ids):
        first, last = found.span
        raise InputError(
            f"{found.path}: no person is present within {AROUND / 2:g} s of the time range {begin:g} s to"
            f" {end:g} s. At {found.scale.rate:g} {found.ticks} per second, the file has people from {first:g}"
            f" s to {last:g} s. Change --from or --sample-rate."
        )
    require_near(seen.xy, found.path)
    return camera_on(seen.xy, view, aspect, seen.heights)


def walked_people(found: Recording, begin: float, end: float) -> NDArray[np.float64]:
    """Return the positions of feet and heads [n, 2, 3] [m] of all people in a time span.

    `begin` and `end` are the ends of the time span [s of the file].

    If the file has more than `MOST` samples, the result contains only some samples.
    """
    seen = found.between(begin - AROUND / 2, end + AROUND / 2)
    bodies = np.stack(np.split(_bodies(seen.xy, seen.heights), 2), axis=1)
    return bodies[:: 1 + len(bodies) // MOST]


def camera_on(
    xy: NDArray[np.float64], view: View, aspect: float, heights: NDArray[np.float64] | None = None
) -> OrbitCamera:
    """Return a camera that shows people at the plan points `xy` [n, 2].

    `heights` [n] [m] are the heights of the ground below the people. `aspect` is the width of the picture divided by
    its height.
    """
    points = _bodies(xy, heights)
    elevation = math.radians(ELEVATION[view])
    cameras = [OrbitCamera(azimuth=math.radians(own), elevation=elevation) for own in AZIMUTHS]
    return min((framed(camera, points, aspect) for camera in cameras), key=lambda own: own.distance)


def busiest(found: Recording) -> float:
    """Return the sample time [s of the file] at which the most people are present.

    The returned time is near the middle of the period with the most people. If several periods have the highest number
    of people, the function uses the period that is nearest to the middle of the recording.
    """
    cut = _stretches(found.whole())
    long = np.diff(cut.starts) > 1  # the program does not draw shorter segments
    chosen = long if long.any() else ~long
    comes, leaves = np.sort(cut.times[cut.starts[:-1][chosen]]), np.sort(cut.times[cut.starts[1:][chosen] - 1])
    count = np.arange(1, len(comes) + 1) - np.searchsorted(leaves, comes)
    most = comes[count == count.max()]
    begin = most[np.abs(most - sum(found.span) / 2).argmin()]
    return _amid(cut.times, float(begin), float(leaves[np.searchsorted(leaves, begin)]))


def require_presence(found: Recording, moment: float) -> None:
    """Raise InputError if no person is present at the time `moment`, which is a time in the file [s]."""
    cut = _stretches(found.whole())
    comes, leaves = cut.times[cut.starts[:-1]], cut.times[cut.starts[1:] - 1]
    if not ((comes <= moment) & (moment <= leaves)).any():
        text = f"no actor is present at {moment:g} s. Choose another --from, such as {busiest(found):g} s"
        raise InputError(f"{found.path}: {text}")


def middle_of(person: int, found: Recording) -> float:
    """Return the time [s of the file] of a sample near the middle of a person's longest path segment."""
    cut = _stretches(found.whole())
    own = np.flatnonzero(cut.ids == person)
    first, last = cut.times[cut.starts[own]], cut.times[cut.starts[own + 1] - 1]
    longest = own[(last - first).argmax()]
    samples = cut.times[cut.starts[longest] : cut.starts[longest + 1]]
    return _amid(samples, float(samples[0]), float(samples[-1]))


def _stretches(own: Trajectories) -> Stretches:
    usual = RootOptions()
    return stretches_of(own, usual.most_gap, usual.fastest)


def _amid(times: NDArray[np.float64], begin: float, end: float) -> float:
    """Return the time in `times` that is nearest to the middle between `begin` and `end`."""
    between = times[(times >= begin) & (times <= end)]
    return float(between[np.abs(between - (begin + end) / 2).argmin()])


def _bodies(xy: NDArray[np.float64], heights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return the positions of feet and heads [2 n, 3] [m] in space, for people at the plan points `xy` [n, 2].

    `heights` [n] [m] are the heights of the ground below the people. None is the height 0.
    """
    feet = space_from_plan(xy)
    feet[:, 1] += 0.0 if heights is None else heights
    return np.concatenate([feet, feet + np.array([0.0, TALL, 0.0])])
