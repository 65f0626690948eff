"""`python -m ecs_anim.profiling.bench_pose`: what posing a crowd costs.

All actors play a mix of two clips, each at its own time and with its own weight, through the scene loader, the
components, the systems and the schedule that every scene uses. Medians over the frames. The stages are all that ran,
in microseconds an actor; `us_per_actor` is the sum of those that make poses, `total_us_per_actor` of all,
`least_us_per_actor` that of the fastest frame, which a busy machine disturbs less. It fails if poses did not change or
hold NaN.

`--features` prints instead what each kind of playing costs, in nanoseconds an actor and joint, for the model and for
chains of 24 and 100 joints that only turn; all take turns, frame by frame. `--yardstick` takes turns with the same work
written in plain C, where there is a compiler.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.ecs.world import World
from ecs_anim.profiling.pose_yardstick import PlainC
from ecs_anim.profiling.swaying import CLIPS, write_swaying
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.progress import frames_with_progress
from ecs_anim.support.timings import Timings
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
at = 0
fade_to = "{1}"
fade = 10000
"""
LAYERED = 'layers = [{{ clip = "{2}", weight = 0.5 }}]' + MIXED
FEATURES = {"one clip": SINGLE, "two clips": MIXED, "fade in flight": FADING, "two clips, additive layer": LAYERED}
CHAINS = (24, 100)  # joints
POSING = ("sampling", "layers", "model_matrices", "skin_palettes")
WARMUP = 3  # frames: memory is fetched, caches fill
DT = 1 / 60  # [s]


@dataclass(frozen=True)
class Figures:
    """What one measurement gave."""

    stages: dict[str, float]  # [us an actor], by system, medians over the frames
    least_us_per_actor: float  # of the stages that make poses, in the fastest frame
    joints: int
    bytes_per_actor: float  # of all columns, the palette included
    checksum: float  # mean magnitude of the numbers in the palettes

    @property
    def us_per_actor(self) -> float:
        """Time of the stages that make poses."""
        return sum(spent for name, spent in self.stages.items() if name in POSING)

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "us_per_actor": round(self.us_per_actor, 4),
            "ns_per_actor_joint": round(1000 * self.us_per_actor / self.joints, 3),
            "least_us_per_actor": round(self.least_us_per_actor, 4),
            "total_us_per_actor": round(sum(self.stages.values()), 4),
            "stages": {name: round(spent, 4) for name, spent in self.stages.items()},
            "joints": self.joints,
            "bytes_per_actor": round(self.bytes_per_actor, 1),
            "checksum": self.checksum,
        }


class Bench:
    """A crowd whose frames are timed one by one, so that several can take turns."""

    def __init__(self, model: str, plays: str, actors: int, threads: int) -> None:
        scene = parse_scene(
            SCENE.format(model=Path(model).as_posix(), actors=actors, plays=plays), "bench_pose", Path()
        )
        self.world = load_scene(scene, threads=threads)
        ((self._entity, (character, _)),) = self.world.query(Character, Palette)
        self._joints, self._actors = character.rig.skeleton.joint_count, actors
        self._first = palettes_of(self.world, self._entity).copy()
        self._frames: list[Timings] = []

    def frame(self) -> Timings:
        """One step."""
        self._frames.append(Timings())
        self.world.step(DT, self._frames[-1])
        return self._frames[-1]

    @property
    def palettes(self) -> NDArray[np.float32]:
        """What the last frame made [actor_count, palette_count, 3, 4]."""
        return palettes_of(self.world, self._entity)

    def figures(self) -> Figures:
        """Medians of the frames but the first few. Raises RuntimeError if what was measured are no poses."""
        palettes = self.palettes
        if not np.isfinite(palettes).all():
            raise RuntimeError("the palettes hold NaN or infinity")
        if np.any(np.all(palettes == self._first, axis=(1, 2, 3))):
            raise RuntimeError("the poses of some actors did not change")
        frames = self._frames[WARMUP:]
        spent = {name: np.array([f.wall_ns[name] for f in frames]) / self._actors / 1e3 for name in frames[0].wall_ns}
        posing = sum(values for name, values in spent.items() if name in POSING)
        return Figures(
            {name: float(np.median(values)) for name, values in spent.items()},
            float(np.min(posing)),
            self._joints,
            _column_bytes(self.world, self._entity) / self._actors,
            float(np.abs(palettes).mean(dtype=np.float64)),
        )


def _column_bytes(world: World, entity: int) -> int:
    """Memory of all arrays that the components of a crowd hold for its actors."""
    return sum(
        value.nbytes
        for component in world.components(entity)
        if not isinstance(component, Character)
        for value in vars(component).values()
        if isinstance(value, np.ndarray)
    )


@click.command()
@click.option("--model", default="mannequin", show_default=True, help="A glTF file, or a rig that is built in.")
@click.option("--clips", default="walk,run,lean_left", show_default=True, metavar="A,B[,LAYER]")
@click.option("--actors", default=10_000, show_default=True)
@click.option("--threads", default=1, show_default=True)
@click.option("--frames", default=60, show_default=True)
@click.option("--features", is_flag=True, help="Compare ways of playing, of the model and of chains.")
@click.option("--yardstick", is_flag=True, help="Take turns with the same work in plain C.")
@click.option("--json", "json_path", default="-", show_default=True, metavar="PATH", help="'-' is standard output.")
def main(
    model: str, clips: str, actors: int, threads: int, frames: int, features: bool, yardstick: bool, json_path: str
) -> None:
    """Time the yardstick: two clips at each actor's own time, blended, to palettes."""
    names = clips.split(",")
    if len(names) < 2 + features:
        raise click.BadParameter("give two clips, and one to add with --features", param_hint="--clips")
    if features:
        told = measure_features(model, names, actors, threads, frames)
    else:
        bench = Bench(model, MIXED.format(*names), actors, threads)
        plain = _plain_c(bench) if yardstick else None
        for _ in frames_with_progress(WARMUP + frames, "measuring"):
            bench.frame()
            if plain:
                plain.frame()
        told = bench.figures().as_json() | {"actors": actors, "threads": threads}
        told |= plain.figures(bench.palettes) if plain else {}
    text = json.dumps(told, indent=2)
    if json_path == "-":
        click.echo(text)
    else:
        Path(json_path).write_text(text + "\n", "utf-8")


def _plain_c(bench: Bench) -> PlainC | None:
    try:
        return PlainC(bench.world)
    except RuntimeError as reason:
        click.echo(f"no yardstick: {reason}", err=True)
        return None


def measure_features(model: str, clips: list[str], actors: int, threads: int, frames: int) -> dict[str, Any]:
    """Nanoseconds an actor and joint, by rig and by what is played: medians, and of the fastest frame."""
    with TemporaryDirectory() as folder:
        rigs = {
            f"{joints} joints": (str(write_swaying(Path(folder) / f"{joints}.gltf", joints)), [*CLIPS])
            for joints in CHAINS
        }
        rigs |= {Path(model).stem: (model, clips)}
        benches = {
            (rig, feature): Bench(path, plays.format(*own), actors, threads)
            for rig, (path, own) in rigs.items()
            for feature, plays in FEATURES.items()
        }
    for _ in frames_with_progress(WARMUP + frames, "measuring"):
        for bench in benches.values():
            bench.frame()
    told: dict[str, Any] = {rig: {} for rig in rigs}
    for (rig, feature), bench in benches.items():
        figures = bench.figures()
        least = 1000 * figures.least_us_per_actor / figures.joints
        told[rig][feature] = {"ns": figures.as_json()["ns_per_actor_joint"], "least_ns": round(least, 3)}
    return told


if __name__ == "__main__":
    main()
