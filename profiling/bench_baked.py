"""`python -m ecs_anim.profiling.bench_baked`: what a crowd that the GPU poses costs the CPU, by joints and actors.

Chains of bones that sway, and walk or stand; each kind takes a step and has its rows packed in turn, on one thread,
and medians over the rounds are told in nanoseconds an actor. Stops where nothing moved: then nothing was measured.
"""

import json
from dataclasses import replace
from time import perf_counter_ns

import click
import numpy as np

from ecs_anim.assets.clip import Clip
from ecs_anim.assets.rig import Rig
from ecs_anim.assets.track import Track
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
from ecs_anim.maths import quaternion
from ecs_anim.rigs.simple_rigs import chain_rig
from ecs_anim.runtime.clip_table import build_tables
from ecs_anim.runtime.motion import Member, Motion, build_motion_set
from ecs_anim.systems.baked_actors import new_baked_actors, pack_crowd
from ecs_anim.systems.schedule import ChunkedSchedule

JOINTS = (24, 43, 100)
SPEEDS = {"walking": 1.4, "standing": 0.0}  # [m/s]
SLOTS = 4
DT = 1 / 60  # [s]


class Bench:
    """A crowd of one kind, and how long its steps took."""

    def __init__(self, joints: int, actors: int, doing: str, fading: float) -> None:
        self.told = {"joints": joints, "actors": actors, "doing": doing}
        self._world = World(ChunkedSchedule(threads=1))
        self._entity = self._world.create(*_crowd(joints, actors, SPEEDS[doing], fading))
        self._rows = new_baked_actors(actors)
        self.spent_ns: list[tuple[int, int]] = []  # steps, and packing

    def round(self) -> None:
        """Two frames, each a step and a packing; the first brings back what other crowds drove out of the caches."""
        self._world.step(DT)
        pack_crowd(self._world, self._entity, self._rows)
        begin = perf_counter_ns()
        self._world.step(DT)
        stepped = perf_counter_ns()
        pack_crowd(self._world, self._entity, self._rows)
        self.spent_ns.append((stepped - begin, perf_counter_ns() - stepped))

    def figures(self) -> dict[str, object]:
        """Nanoseconds an actor and frame. Raises RuntimeError if the crowd did nothing."""
        before = self._rows.copy()
        self.round()
        moved = not np.array_equal(before["translation"], self._rows["translation"])
        if np.array_equal(before["phase"], self._rows["phase"]) or moved != (self.told["doing"] == "walking"):
            raise RuntimeError(f"{self.told}: the crowd did not do what was to be measured")
        step, pack = np.median(np.array(self.spent_ns), axis=0) / len(self._rows)
        return self.told | {"step_ns": round(step, 2), "pack_ns": round(pack, 2), "total_ns": round(step + pack, 2)}


@click.command()
@click.option("--actors", default="10000,50000", show_default=True, metavar="N[,N...]")
@click.option("--rounds", default=60, show_default=True)
@click.option("--fading", default=0.0, show_default=True, help="Share of the actors that are in the midst of a fade.")
def main(actors: str, rounds: int, fading: float) -> None:
    """Time all kinds of crowds in alternated rounds."""
    counts = [int(count) for count in actors.split(",")]
    kinds = [Bench(joints, count, doing, fading) for count in counts for joints in JOINTS for doing in SPEEDS]
    for _ in range(rounds):
        for kind in kinds:
            kind.round()
    for kind in kinds:
        click.echo(json.dumps(kind.figures()))


def _crowd(joints: int, actors: int, speed: float, fading: float) -> tuple[object, ...]:
    """All components of a crowd in a square; some fade for as long as the benchmark runs."""
    rig = _swaying(joints)
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


def _swaying(joints: int) -> Rig:
    """A chain with two clips, of which each turns every joint to and fro."""
    rig = chain_rig(joints - 1)
    times = np.linspace(0, 1, 31).astype(np.float32)
    clips = {}
    for name, size in (("a", 0.1), ("b", 0.2)):
        values = quaternion.from_axis_angle(np.array([0, 0, 1.0]), size * np.sin(2 * np.pi * times)).astype(np.float32)
        tracks = tuple(Track(joint, "rotation", "LINEAR", times, values) for joint in range(joints))
        clips[name] = Clip(name, rig.skeleton, tracks, 0.0, 1.0)
    return replace(rig, clips=clips)


if __name__ == "__main__":
    main()
