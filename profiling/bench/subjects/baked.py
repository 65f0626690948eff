"""The CPU's part of crowds that the GPU poses: a step and the packing of the rows, by joints and actors.

Chains of bones sway, and walk or stand. One thread.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ecs_anim.assets.rig import Rig
from ecs_anim.bake.build import bake_rig
from ecs_anim.components.appearance import Appearance
from ecs_anim.components.baked import Baked
from ecs_anim.components.character import Character
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.locomotion import Locomotion
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.gltf.load import load_rig
from ecs_anim.profiling.bench.harness import Case, Work, require
from ecs_anim.profiling.bench.swaying import write_swaying
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.systems.baked_actors import new_baked_actors, pack_crowd
from ecs_anim.systems.schedule import ChunkedSchedule

JOINTS = (24, 43, 100)
SPEEDS = {"walking": 1.4, "standing": 0.0}  # [m/s]
SLOTS = 4
DT = 1 / 60  # [s]
ROUNDS = 60


class Baking:
    """A crowd of one kind."""

    def __init__(self, rig: Rig, actors: int, speed: float, fading: float) -> None:
        self._world, self._speed = World(ChunkedSchedule(threads=1)), speed
        self._entity = self._world.create(*_crowd(rig, actors, speed, fading))
        self._rows = new_baked_actors(actors)

    def frame(self) -> None:
        """A step, and the packing of all rows."""
        self._world.step(DT)
        pack_crowd(self._world, self._entity, self._rows)

    def check(self) -> None:
        """Raise RuntimeError if phases stand still, or if actors move that should stand."""
        before = self._rows.copy()
        self.frame()
        moved = not np.array_equal(before["translation"], self._rows["translation"])
        require(not np.array_equal(before["phase"], self._rows["phase"]), "the clips stand still")
        require(moved == (self._speed > 0), f"actors with a speed of {self._speed} m/s do something else")


@contextmanager
def case(*, actors: int = 10_000, fading: float = 0.0) -> Iterator[Case]:
    """Crowds of so many actors; a share of them is in the midst of a fade."""
    kinds: dict[str, Baking] = {}
    with TemporaryDirectory() as folder:
        for joints in JOINTS:
            rig = load_rig(write_swaying(Path(folder) / f"{joints}.glb", joints))
            kinds |= {f"{joints} joints, {doing}": Baking(rig, actors, SPEEDS[doing], fading) for doing in SPEEDS}

    def check() -> None:
        for kind in kinds.values():
            kind.check()

    # The untimed first frame brings back the columns that other crowds drove out of the caches.
    works = {name: Work(kind.frame, kind.frame, actors) for name, kind in kinds.items()}
    yield Case(works, check, unit="ns", each="actor")


def _crowd(rig: Rig, actors: int, speed: float, fading: float) -> tuple[object, ...]:
    """All components of a crowd in a square; fades last as long as the benchmark runs."""
    rng = np.random.default_rng(1)
    motions = [Motion(clip.name, (Member(clip, (0.0, speed)),)) for clip in rig.clips.values()]
    shape = (actors, SLOTS)
    playback = Playback(
        slot_count=1 + (rng.random(actors) < fading).astype(np.int32),
        motion=rng.integers(0, len(motions), shape).astype(np.int32),
        phase=rng.random(shape).astype(np.float32),
        speed=rng.uniform(0.9, 1.1, shape).astype(np.float32),
        fade_time=np.zeros(shape, np.float32),
        fade_duration=np.full(shape, 1e6, np.float32),
    )
    places = np.stack([np.arange(actors) % 300, np.zeros(actors), np.arange(actors) // 300], axis=-1)
    rotation = np.tile(np.array([0, 0, 0, 1], np.float32), (actors, 1))
    return (
        Crowd("people", actors),
        Character(rig, build_motion_set(motions, build_tables(rig.skeleton, [*rig.clips.values()], rig.meshes), ())),
        playback,
        Transforms(places.astype(np.float32), rotation, np.ones(actors, np.float32)),
        Parameters((), frozenset(), *(np.zeros(size, np.float32) for size in (0, (actors, 0), (actors, 0)))),
        Appearance(rng.random((actors, 4)).astype(np.float32), 0.3),
        Locomotion(np.ones(actors, np.float32), 0.0, (0.0, 0.0), 1000.0),
        Baked(bake_rig(rig)),
    )
