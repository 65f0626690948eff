"""The motions of a crowd: clips and blend spaces, and what actors begin with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.assets.clip import Clip
from ecs_anim.components.playback import Playback
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.gait import ground_velocity
from ecs_anim.runtime.motion import Member, Motion, MotionSet, build_motion_set
from ecs_anim.runtime.phase_sync import synchronise
from ecs_anim.scenes.loader import nearest
from ecs_anim.scenes.rigs import LoadedRig
from ecs_anim.scenes.schema import BlendSpaceModel, ClipModel, CrowdModel, MemberModel
from ecs_anim.support.errors import InputError

NO_CLIPS = 'it has no clips; lend it another model\'s, with clips_from = ["other.glb"] under the rig'


@dataclass(frozen=True)
class Place:
    """A key of a scene file, for messages."""

    scene: str
    key: str

    def __truediv__(self, key: str) -> "Place":
        return Place(self.scene, f"{self.key}{key}")

    def __str__(self) -> str:
        return f"{self.scene}: {self.key}"

    def fault(self, message: str) -> InputError:
        """The error to raise for this key."""
        return InputError(f"{self}: {message}")


def find_clip(loaded: LoadedRig, name: str, place: Place) -> Clip:
    """A clip of a rig by name. Raises InputError with the nearest right name."""
    clips = loaded.rig.clips
    if name not in clips:
        known = list(clips)
        listing = f"its clips are: {', '.join(known)}" if known else NO_CLIPS
        raise place.fault(f"rig {loaded.label} has no clip {name!r};{nearest(name, known)} {listing}")
    return clips[name]


def build_motions(
    crowd: CrowdModel, loaded: LoadedRig, parameter_names: tuple[str, ...], place: Place, more: Sequence[Motion] = ()
) -> MotionSet:
    """Clips first, then blend spaces, in the file's order, then `more`; and the tables of all clips that are used.

    Crowds that say the same of them share one set.
    """
    said = repr((crowd.said_of_motions, parameter_names))
    if said not in loaded.motion_sets:
        loaded.motion_sets[said] = _make_motions(crowd, loaded, parameter_names, place, more)
    return loaded.motion_sets[said]


def _make_motions(
    crowd: CrowdModel, loaded: LoadedRig, parameter_names: tuple[str, ...], place: Place, more: Sequence[Motion]
) -> MotionSet:
    motions = [_clip_motion(entry, loaded, place / f".clips[{i}].name") for i, entry in enumerate(crowd.clips)]
    for i, space in enumerate(crowd.blend_spaces):
        motions.append(_space_motion(space, loaded, parameter_names, place / f".blend_spaces[{i}]"))
    motions += more
    names = [motion.name for motion in motions]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise place.fault(f"two motions are called {twice!r}; name them apart")
    clips = [member.clip for motion in motions for member in motion.members]
    clips += [find_clip(loaded, layer.clip, place / f".layers[{i}].clip") for i, layer in enumerate(crowd.layers)]
    try:
        tables = build_tables(loaded.rig.skeleton, list(dict.fromkeys(clips)), loaded.rig.meshes)
    except InputError as error:
        raise place.fault(f"rig {loaded.label}: {error}") from None
    return build_motion_set(motions, tables, parameter_names, loaded.rig, loaded.facing)


Drawn = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class FirstMotions:
    """What actors begin with: one motion for all, or motions that are dealt out in turn or drawn by weight."""

    start: int | None  # the motion of all
    in_turn: bool
    bounds: NDArray[np.float64]  # [motion_count - 1], 0 to 1, where one motion's share ends and the next one's begins
    slowest: NDArray[np.float64]  # [motion_count], factors
    range: NDArray[np.float64]  # [motion_count], from the slowest to the fastest
    phase: NDArray[np.float64] | None  # [motion_count], NaN = random; None = all are random
    slots: int  # of the queue

    def draw(self, count: int, rng: np.random.Generator, have: int = 0) -> Drawn:
        """Motion, phase and speed [count] of actors who join `have` others."""
        drawn_motion, drawn_speed, phase = rng.random((3, count))
        number = self._numbers(count, drawn_motion, have)
        if self.phase is not None:
            fixed = self.phase.take(number)
            phase = np.where(np.isnan(fixed), phase, fixed)
        return number, phase, self.slowest.take(number) + self.range.take(number) * drawn_speed

    def playback(self, count: int, rng: np.random.Generator) -> Playback:
        """The queues of a crowd that is made."""
        number, phase, speed = self.draw(count, rng)

        def column(first: NDArray[Any] | float, dtype: type) -> NDArray[Any]:
            columns: NDArray[Any] = np.zeros((count, self.slots), dtype)
            columns[:, 0] = first
            return columns

        return Playback(
            slot_count=np.ones(count, np.int32),
            motion=column(number, np.int32),
            phase=column(phase, np.float32),
            speed=column(speed, np.float32),
            fade_time=column(0.0, np.float32),
            fade_duration=column(0.0, np.float32),
        )

    def _numbers(self, count: int, drawn: NDArray[np.float64], have: int) -> NDArray[np.int64]:
        if self.start is not None:
            return np.full(count, self.start)
        if self.in_turn:
            return np.arange(have, have + count) % (len(self.bounds) + 1)
        return np.searchsorted(self.bounds, drawn, side="right")


def first_motions(crowd: CrowdModel, motions: MotionSet, start: str | None, place: Place) -> FirstMotions:
    """What a crowd's actors begin with; `start` for all where it is given. Raises InputError."""
    entries: list[ClipModel | BlendSpaceModel] = [*crowd.clips, *crowd.blend_spaces]
    weights = np.array([entry.weight for entry in entries])
    in_turn = crowd.clip_choice == "in_turn"
    if start is None and not in_turn and weights.sum() <= 0:
        raise place.fault("at least one weight of its clips and blend_spaces must be more than 0")
    speeds = [entry.speed if isinstance(entry, ClipModel) else 1.0 for entry in entries]
    low, high = np.array([speed if isinstance(speed, tuple) else (speed, speed) for speed in speeds]).reshape(-1, 2).T
    phase = np.array([np.nan if entry.phase == "random" else entry.phase for entry in entries])
    more = len(motions.motions) - len(entries)  # that nobody begins with unless all do, and then at any phase
    return FirstMotions(
        start=None if start is None else motions.index[start],
        in_turn=in_turn,
        bounds=np.cumsum(weights / (weights.sum() or 1.0))[:-1],
        slowest=np.append(low, np.ones(more)),
        range=np.append(high - low, np.zeros(more)),
        phase=None if np.isnan(phase).all() else np.append(phase, np.full(more, np.nan)),
        slots=crowd.fade_slots,
    )


def _clip_motion(entry: ClipModel, loaded: LoadedRig, place: Place) -> Motion:
    clip = find_clip(loaded, entry.name, place)
    velocity = ground_velocity(clip, loaded.facing)
    if entry.ground_speed is not None:
        velocity = (0.0, entry.ground_speed / loaded.scale)
    loops = bool(clip.extras.get("loop", True)) if entry.loop is None else entry.loop
    return Motion(entry.name, (Member(clip, velocity),), loops)


def _space_motion(space: BlendSpaceModel, loaded: LoadedRig, parameter_names: tuple[str, ...], place: Place) -> Motion:
    for i, name in enumerate(space.parameters):
        if name not in parameter_names:
            hint = nearest(name, list(parameter_names))
            known = ", ".join(parameter_names) or "none"
            raise (place / f".parameters[{i}]").fault(f"the crowd has no parameter {name!r};{hint} it has: {known}")
    clips = [find_clip(loaded, entry.clip, place / f".members[{i}].clip") for i, entry in enumerate(space.members)]
    velocities = [ground_velocity(clip, loaded.facing) for clip in clips]
    places = [
        _member_place(entry, velocity, len(space.parameters), loaded.scale, place / f".members[{i}].at")
        for i, (entry, velocity) in enumerate(zip(space.members, velocities, strict=True))
    ]
    if space.sync == "contacts":
        try:
            clips = synchronise(clips)
        except ValueError as error:
            raise (place / ".sync").fault(f'{error}; use sync = "phase"') from None
        except InputError as error:
            raise (place / ".sync").fault(str(error)) from None
    members = [Member(*parts) for parts in zip(clips, velocities, places, strict=True)]
    members.sort(key=lambda member: member.at)
    motion = Motion(space.name, tuple(members), True, tuple(space.parameters), space.keeps_pace)
    if len({member.at for member in members}) < len(members):
        raise (place / ".members").fault("two members stand at the same place; give each its own `at`")
    return motion


def _member_place(
    entry: MemberModel, velocity: tuple[float, float], dimensions: int, scale: float, place: Place
) -> tuple[float, float]:
    """Where a member stands: as written, else at its clip's own speed over the ground [m/s]."""
    if entry.at is None:
        side, ahead = (part * scale for part in velocity)
        return (ahead, 0.0) if dimensions == 1 else (side, ahead)
    if isinstance(entry.at, tuple) != (dimensions == 2):
        raise place.fault("should be a number for one parameter, two numbers for two")
    return entry.at if isinstance(entry.at, tuple) else (entry.at, 0.0)
