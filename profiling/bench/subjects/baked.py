"""CPU time of crowds whose poses the GPU computes: time steps and the packing of actor data.

The benchmark varies the number of joints and the number of actors.

The joints of an actor form a chain. The chain sways while the actor walks or stands. The benchmark uses one thread.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ecs_anim.components.baked import Baked
from ecs_anim.profiling.bench.harness import DT, Case, Work, require
from ecs_anim.profiling.bench.swaying import write_swaying
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.baked_actors import new_baked_actors, pack_crowd

JOINTS = (24, 43, 100)
SPEEDS = {"walking": 1.4, "standing": 0.0}  # [m/s]
ROUNDS = 60
SCENE = """
seed = 1
[rigs.chain]
model = "{model}"
[[crowds]]
name = "people"
rig = "chain"
count = {actors}
path = "baked"
layout = {{ kind = "grid", spacing = 1 }}
locomotion = {{ area_radius = 1000.0 }}
clips = [{{ name = "a", speed = [0.9, 1.1] }}, {{ name = "b", speed = [0.9, 1.1] }}, {{ name = "lean", weight = 0 }}]
[[timeline]]
at_seconds = 0
share = {fading}
fade_to = "lean"
fade_seconds = 1e5
"""


class Baking:
    """A crowd of actors with equal numbers of joints and equal speeds."""

    def __init__(self, model: Path, actors: int, speed: float, fading: float) -> None:
        text = SCENE.format(model=model.as_posix(), actors=actors, fading=fading)
        text = text if fading else text.partition("[[timeline]]")[0]
        self.world, self._speed = load_scene(text, threads=1), speed
        ((self._entity, _),) = self.world.query(Baked)
        self._rows = new_baked_actors(actors)
        self.frame()

    def frame(self) -> None:
        """Compute a time step, and pack the data of all actors for the GPU."""
        self.world.step(DT)
        pack_crowd(self.world, self._entity, self._rows)

    def check(self) -> None:
        """Raise RuntimeError if phases do not change, or if standing actors move."""
        before = self._rows.copy()
        self.frame()
        moved = not np.array_equal(before["translation"], self._rows["translation"])
        require(not np.array_equal(before["phase"], self._rows["phase"]), "the phase of the clips did not change")
        require(
            moved == (self._speed > 0), f"actors must move exactly if their speed is not 0 (speed {self._speed} m/s)"
        )


@contextmanager
def case(*, actors: int = 10_000, fading: float = 0.0) -> Iterator[Case]:
    """Yield the benchmark with crowds of `actors` actors.

    `fading` is the fraction of the actors that fade between two clips.
    """
    kinds: dict[str, Baking] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        for joints in JOINTS:
            for doing, speed in SPEEDS.items():
                model = write_swaying(folder / f"{joints}_{doing}.glb", joints, speed)
                kinds[f"{joints} joints, {doing}"] = kind = Baking(model, actors, speed, fading)
                stack.enter_context(kind.world)

        checks = [kind.check for kind in kinds.values()]
        # The first frame loads this crowd's columns into the CPU caches. Its time is not measured.
        works = {name: Work(kind.frame, kind.frame, actors) for name, kind in kinds.items()}
        yield Case(works, lambda: [check() for check in checks], unit="ns", each="actor")
