"""Walking errors of recorded people for three methods: clips on raw paths, clips on smoothed paths, walking bodies."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.body.gait_plan import GAIT
from ecs_anim.components.body import Body
from ecs_anim.components.character import Character
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.ik.legs import LegArrays
from ecs_anim.maths import elementary
from ecs_anim.maths.plan import mirrored
from ecs_anim.profiling.validation.walking_figures import WatchWalkers, walking_figures
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import SceneFile
from ecs_anim.scenes.parts.playback import BlendSpaceModel, MemberModel
from ecs_anim.scenes.recordings import Recorded, read_recorded
from ecs_anim.scenes.scene_key import SceneKey
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.systems.chunk import Side
from ecs_anim.systems.placement import System

WARM_UP = 1.0  # time before the measurement [s]
TURNS_ABOVE = 0.05  # smallest speed [m/s] at which an actor turns; slower actors keep their heading
Array = NDArray[np.float64]


@dataclass
class FollowPoints:
    """A world system that moves actors along points.

    Each actor faces in its walking direction. The speed of an actor sets the speed of its clip.
    """

    xz: Array  # [step, actor, 2], [m]
    speed: Array  # [step, actor], [m/s]
    turn: Array  # [step, actor], [rad]
    name: str = "follow_points"
    step: int = 0

    def run(self, world: World, dt: float) -> None:
        """Write the transforms and the speeds at the end of the time step."""
        at = min(self.step, len(self.xz) - 1)
        self.step += dt > 0
        for _, (transforms, parameters) in world.query(Transforms, Parameters):
            half = self.turn[at] / 2
            transforms.translation[:, ::2] = self.xz[at]
            transforms.rotation[:, 1], transforms.rotation[:, 3] = elementary.sin(half), elementary.cos(half)
            parameters.value[:, 0] = parameters.target[:, 0] = self.speed[at]


def walking_report(scene: SceneFile, begin: float, seconds: float) -> dict[str, Any]:
    """Return the walking figures of the first crowd for three methods.

    The methods are clips on raw paths, clips on smoothed paths, and walking bodies.

    The measurement starts at the scene time `begin` [s] and lasts `seconds`.
    """
    rate = scene.model.frame_rate
    crowd, dt = scene.model.crowds[0], 1 / rate
    assert crowd.trajectories is not None
    key = SceneKey(scene.label, "crowds[0].trajectories")
    paths = read_recorded(crowd.trajectories, scene.folder, key)
    raw = read_recorded(crowd.trajectories.model_copy(update={"smooth_seconds": 0.0}), scene.folder, key)
    first, count = round(begin * rate), max(1, round(seconds * rate))
    times = (first + 1 + np.arange(count)) * dt
    there = np.stack([(times >= own.times[0]) & (times <= own.times[-1]) for own in paths.lines], axis=-1)
    body = _Watched(there, _positions(raw, times), _positions(paths, times), dt)
    legs, clips, grounded = body.of_bodies(scene, first)
    figures = {name: body.of_clips(scene, legs, clips, own, first) for name, own in (("raw", raw), ("smoothed", paths))}
    shown = {f"steps_by_{name}": round(share, 4) for name, share in paths.shown.items()}
    return {**figures, "grounded": {**grounded, **shown}}


@dataclass
class _Watched:
    """The recorded paths of people, and methods that measure walking errors in several worlds with these people."""

    there: NDArray[np.bool_]  # [step, actor]
    recorded: Array  # [step, actor, 2], points in the recording
    calm: Array  # [step, actor, 2], points without the sway of heads
    dt: float

    def of_bodies(self, scene: SceneFile, first: int) -> tuple[LegArrays, list[str], dict[str, Any]]:
        """Return the leg joints, the names of the gait's forward clips, and the figures with walking bodies."""
        watch = WatchWalkers()
        with load_scene(scene, systems=[(watch, "before", "skin_palettes")]) as world:
            row = next(row for _, row in world.query(Body, Character))
            watch.legs, gait = row[0].legs, row[1].motions.motions[row[1].motions.index[GAIT]]
            clips = [member.clip.name for member in gait.members if member.velocity[0] == 0 <= member.velocity[1]]
            world.skip(first, self.dt)
            return watch.legs, clips, self._figures(world, watch)

    def of_clips(
        self, scene: SceneFile, legs: LegArrays, clips: Sequence[str], own: Recorded, first: int
    ) -> dict[str, Any]:
        """Return the walking figures of actors that play clips along the points `own`.

        The speed of the points sets the speed of the clips.
        """
        warm = min(first, round(WARM_UP / self.dt))
        times = (first - warm + 1 + np.arange(warm + len(self.there))) * self.dt
        watch, follow = WatchWalkers(), _follower(_positions(own, times), self.dt)
        watch.legs = legs
        systems: list[tuple[System, Side, str]] = [(follow, "before", "chunks"), (watch, "before", "skin_palettes")]
        with load_scene(_plain(scene, clips, own.count), systems=systems) as world:
            for _ in range(warm):
                world.step(self.dt)
            return self._figures(world, watch)

    def _figures(self, world: World, watch: WatchWalkers) -> dict[str, Any]:
        transforms = next(row[0] for _, row in world.query(Transforms))
        for _ in frames_with_progress(len(self.there), "measuring"):
            watch.begin_step()
            world.step(self.dt)
            watch.end_step(transforms)
        return walking_figures(watch, self.there, self.recorded, self.calm, self.dt)


def _plain(scene: SceneFile, clips: Sequence[str], count: int) -> SceneFile:
    """Return the scene with a crowd that only plays clips. The speed of an actor selects the weights of the clips in
    its blend.
    """
    space = BlendSpaceModel(name="gait", parameters=["speed"], members=[MemberModel(clip=clip) for clip in clips])
    keys = {"trajectories": None, "body": None, "count": count, "blend_spaces": [space], "parameters": {"speed": 0.0}}
    model = scene.model.model_copy(
        update={"crowds": [scene.model.crowds[0].model_copy(update=keys)], "walls": None, "seed": 1}
    )
    return SceneFile(scene.label, scene.folder, model)


def _positions(own: Recorded, times: NDArray[Any]) -> Array:
    """Return x, z [step, actor, 2] [m], linearly interpolated between the recorded points."""
    each = [[np.interp(times, line.times, line.xy[:, axis]) for axis in range(2)] for line in own.lines]
    return mirrored(np.array(each).transpose(2, 0, 1))


def _follower(xz: Array, dt: float) -> FollowPoints:
    velocity = np.diff(xz, axis=0, prepend=xz[:1]) / dt
    speed = np.sqrt(np.sum(velocity * velocity, axis=-1))
    turn = np.zeros(speed.shape)
    faced = np.arctan2(velocity[..., 0], velocity[..., 1])
    for step in range(len(turn)):
        turn[step] = np.where(speed[step] > TURNS_ABOVE, faced[step], turn[max(step - 1, 0)])
    return FollowPoints(xz, speed, turn)
