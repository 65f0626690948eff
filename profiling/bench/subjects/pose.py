"""Time to compute the poses of a crowd. Each actor blends two clips. The phase and the weight differ between actors.

The crowd uses the same loader, components, systems and schedule as every scene. The option `--features` also measures
other types of playback, other features of the model, and chains of 24 and 100 joints that only rotate. The option
`--yardstick` adds the computation of the poses in plain C, if a compiler is installed. Times are CPU times of one
thread for whole time steps. The figure `posing` in the output is the time of all systems that compute poses.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter_ns, thread_time_ns
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.profiling.bench.harness import DT, Case, Work, require
from ecs_anim.profiling.bench.pose_yardstick import PlainC
from ecs_anim.profiling.bench.swaying import CLIPS, write_swaying
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.timings import Timings
from ecs_anim.systems.population import state_bytes
from ecs_anim.systems.queries import palettes_of

SCENE = """
seed = 7
[rigs.people]
model = "{model}"
[[crowds]]
rig = "people"
count = {actors}
layout = {{ kind = "grid", spacing = 1 }}
parameters = {{ share = [0, 1] }}
{plays}
"""
MIXED = """
[[crowds.blend_spaces]]
name = "mix"
parameters = ["share"]
keeps_pace = false
members = [{{ clip = "{0}", at = 0 }}, {{ clip = "{1}", at = 1 }}]
"""
SINGLE = """
clips = [{{ name = "{0}" }}]
"""
FADING = """
clips = [{{ name = "{0}" }}, {{ name = "{1}", weight = 0 }}]
[[timeline]]
at_seconds = 0
fade_to = "{1}"
fade_seconds = 10000
"""
LAYERED = 'layers = [{{ clip = "{2}", weight = 0.5 }}]' + MIXED
FEATURES = {"two clips": MIXED, "one clip": SINGLE, "fade in flight": FADING, "two clips, additive layer": LAYERED}
CHAINS = (24, 100)  # numbers of joints
POSING = ("sampling", "layers", "model_matrices", "skin_palettes")
ROUNDS = 60


class Posing:
    """A crowd whose time steps and systems the benchmark measures."""

    def __init__(self, model: str, plays: str, actors: int, threads: int) -> None:
        text = SCENE.format(model=Path(model).as_posix(), actors=actors, plays=plays)
        self.world = load_scene(text, threads=threads)
        ((self._entity, (character, _)),) = self.world.query(Character, Palette)
        self.joints, self.actors = character.rig.skeleton.joint_count, actors
        self._first = palettes_of(self.world, self._entity).copy()
        self._frames: list[Timings] = []

    def step(self) -> None:
        """Compute one time step."""
        self._frames.append(Timings())
        self.world.step(DT, self._frames[-1])

    @property
    def palettes(self) -> NDArray[np.float32]:
        """Return the palettes after the last time step [actor_count, palette_count, 3, 4]."""
        return palettes_of(self.world, self._entity)

    def check(self) -> None:
        """Raise RuntimeError if the palettes are invalid or have not changed."""
        require(np.isfinite(self.palettes).all(), "the palettes contain NaN or infinity")
        stood = np.all(self.palettes == self._first, axis=(1, 2, 3))
        require(not stood.any(), "the poses of some actors did not change")

    def facts(self) -> dict[str, Any]:
        """Return the median time of each system over all time steps [us / actor], and the size of the crowd's state."""
        for frame in self._frames:
            frame.settle()
        names = self._frames[0].wall_ns
        spent = {name: np.array([f.wall_ns[name] for f in self._frames]) / self.actors / 1e3 for name in names}
        medians = {name: float(np.median(values)) for name, values in spent.items()}
        posing = sum(medians[name] for name in POSING if name in medians)
        least = np.sum([spent[name] for name in POSING if name in spent], axis=0).min()
        return {
            "posing_us": round(posing, 4),
            "posing_least_us": round(float(least), 4),
            "posing_ns_per_joint": round(1e3 * posing / self.joints, 3),
            "systems_us": {name: round(value, 4) for name, value in medians.items()},
            "joints": self.joints,
            "state_bytes": round(state_bytes(self.world) / self.actors, 1),
            "checksum": float(np.abs(self.palettes).mean(dtype=np.float64)),
        }


@contextmanager
def case(
    *,
    model: str = "mannequin",
    clips: str = "walk,run,lean_left",
    actors: int = 10_000,
    threads: int = 1,
    features: bool = False,
    yardstick: bool = False,
) -> Iterator[Case]:
    """Yield the benchmark with a crowd of `model`. `clips` names two clips to blend and one additive clip."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        rigs = {"": (model, clips.split(","))}
        if features:
            rigs |= {f"{n} joints, ": (str(write_swaying(folder / f"{n}.glb", n)), [*CLIPS]) for n in CHAINS}
        plays = FEATURES if features else {"two clips": MIXED}
        crowds = {
            rig + feature: Posing(path, text.format(*names), actors, threads)
            for rig, (path, names) in rigs.items()
            for feature, text in plays.items()
        }
        for crowd in crowds.values():
            stack.enter_context(crowd.world)
        works = {name: Work(crowd.step, share=actors) for name, crowd in crowds.items()}
        checks = [crowd.check for crowd in crowds.values()]
        if yardstick:
            mixed = crowds["two clips"]
            plain = PlainC(mixed.world)
            works["plain C"] = Work(plain.frame, share=actors)
            checks.append(lambda: plain.check(mixed.palettes))
        yield Case(
            works,
            lambda: [check() for check in checks],
            unit="us",
            each="actor",
            facts=lambda: {name: crowd.facts() for name, crowd in crowds.items()},
            clock=thread_time_ns if threads == 1 else perf_counter_ns,
        )
