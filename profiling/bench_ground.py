"""`python -m ecs_anim.profiling.bench_ground`: what rays onto the ground cost beside sampling the poses they serve.

Rays of a whole frame, four an actor, at random places and where a crowd's feet are, onto each kind of ground; and the
sampling of as many actors, each with two clips blended. For each line, rays and sampling run in turn, as in a frame,
and medians are compared. Times are the thread's own, so that what else the machine does counts less. Stops where hits
differ from those of a plain search through all triangles.
"""

import json
from collections.abc import Callable
from pathlib import Path
from time import thread_time_ns
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.character import Character
from ecs_anim.components.parameters import Parameters
from ecs_anim.components.playback import Playback
from ecs_anim.ground.arrays import TOUCH
from ecs_anim.ground.field_surface import field_triangles
from ecs_anim.ground.ground import Ground, flat, height_field, triangle_mesh
from ecs_anim.kernels.ground import cast_down
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.systems.chunk import Chunk, Workspace
from ecs_anim.systems.sampling import SampleMotions
from ecs_anim.systems.schedule import CHUNK_SIZE

SIDE = 120.0  # [m], about what 10,000 people fill
RAYS_PER_ACTOR = 4
CHECKED = 200  # rays held against a search through all triangles
Floats = NDArray[np.float32]


@click.command()
@click.option("--actors", default=10_000, show_default=True)
@click.option("--rounds", default=15, show_default=True)
@click.option("--model", default="mannequin", show_default=True, help="Whose poses are sampled.")
@click.option("--clips", nargs=2, default=("walk", "run"), show_default=True, help="Two clips of the model.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(actors: int, rounds: int, model: str, clips: tuple[str, str], as_json: bool) -> None:
    """Time rays and sampling in alternated rounds."""
    rng = np.random.default_rng(0)
    places = {"random": _random_places(rng, actors), "crowd": _crowd_places(rng, actors)}
    sample = _sampling(actors, model, clips)
    lines = []
    for name, (ground, triangles) in _grounds(rng).items():
        for where, points in places.items():
            cast = _rays(f"{name}, {where}", ground, triangles, points)
            lines.append(_line(name, where, cast, sample, len(points), rounds))
    if as_json:
        click.echo(json.dumps({"actors": actors, "model": model, "clips": clips, "rays": lines}, indent=1))
    else:
        click.echo(f"{actors:,} actors ({model}, {' + '.join(clips)}), {RAYS_PER_ACTOR} rays each, {rounds} rounds")
        click.echo(f"{'ground':>24} {'places':>8} {'ms':>8} {'ns/ray':>8} {'sampling ms':>12} {'ratio':>7}")
        for line in lines:
            click.echo(
                "{ground:>24} {places:>8} {ms:8.3f} {ns_per_ray:8.1f} {sampling_ms:12.3f} {ratio:7.2f}".format_map(line)
            )


def _line(
    ground: str, places: str, cast: Callable[[], None], sample: Callable[[], None], ray_count: int, rounds: int
) -> dict[str, Any]:
    spent, sampling = np.median([[_nanoseconds(run) for run in (cast, sample)] for _ in range(rounds)], axis=0)
    return {
        "ground": ground,
        "places": places,
        "ms": spent / 1e6,
        "ns_per_ray": spent / ray_count,
        "sampling_ms": sampling / 1e6,
        "ratio": spent / sampling,
    }


def _grounds(rng: np.random.Generator) -> dict[str, tuple[Ground, NDArray[np.float64]]]:
    """Each kind of ground, and the same as triangles."""
    plane = np.array([[[-1, 0, -1], [-1, 0, 1], [1, 0, 1]], [[-1, 0, -1], [1, 0, 1], [1, 0, -1]]]) * SIDE
    grounds = {"flat": (flat(), plane)}
    corners = _corners(rng, 224, 0.0)
    spacing = SIDE / 224
    field = height_field(corners[..., 1], (-SIDE / 2, -SIDE / 2), (spacing, spacing))
    grounds["height field 224 x 224"] = (field, _split(corners))
    for cells in (22, 71, 224):
        triangles = _split(_corners(rng, cells, 0.25))
        shuffled = triangles[rng.permutation(len(triangles))]
        grounds[f"{len(triangles):,} triangles"] = (triangle_mesh(shuffled), triangles)
    return grounds


def _corners(rng: np.random.Generator, cells: int, uneven: float) -> NDArray[np.float64]:
    """Corners [cells + 1, cells + 1, 3] [m] of hilly ground, moved in the plan by up to a share of a cell."""
    x, z = np.meshgrid(*[np.linspace(-SIDE / 2, SIDE / 2, cells + 1)] * 2)
    moved = rng.uniform(-uneven, uneven, (2, *x.shape)) * SIDE / cells
    height = np.sin(x / 5) * np.cos(z / 7) + rng.uniform(-0.02, 0.02, x.shape)
    return np.stack([x + moved[0], height, z + moved[1]], axis=-1)


def _split(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    return corners.astype(np.float32).astype(np.float64).reshape(-1, 3)[field_triangles(*corners.shape[:2])]


def _random_places(rng: np.random.Generator, actors: int) -> Floats:
    x, z = rng.uniform(-0.49, 0.49, (2, actors * RAYS_PER_ACTOR)) * SIDE
    return np.stack([x, np.full_like(x, 3.0), z], axis=-1).astype(np.float32)


def _crowd_places(rng: np.random.Generator, actors: int) -> Floats:
    """Feet: near their actor, actors anywhere."""
    middle = rng.uniform(-0.48, 0.48, (actors, 1, 2)) * SIDE
    x, z = (middle + rng.uniform(-0.3, 0.3, (actors, RAYS_PER_ACTOR, 2))).reshape(-1, 2).T
    return np.stack([x, np.full_like(x, 3.0), z], axis=-1).astype(np.float32)


def _rays(name: str, ground: Ground, triangles: NDArray[np.float64], points: Floats) -> Callable[[], None]:
    hits = np.empty((len(points), 4), np.float32)
    cast_down(ground.arrays, points, len(points), hits)
    wrong = np.abs(hits[:CHECKED, 0] - _all_triangles(triangles, points[:CHECKED])) > 2 * TOUCH
    if wrong.any():
        raise SystemExit(f"{name}: {wrong.sum()} of {len(wrong)} rays hit elsewhere than they should")
    return lambda: cast_down(ground.arrays, points, len(points), hits)


def _all_triangles(triangles: NDArray[np.float64], points: Floats) -> NDArray[np.float64]:
    """The highest triangle below each point, by barycentric coordinates; -inf = none."""
    a, b, c = (triangles[:, corner] for corner in range(3))
    u, v = (b - a)[:, [0, 2]], (c - a)[:, [0, 2]]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    found = np.full(len(points), -np.inf)
    for ray, point in enumerate(points.astype(np.float64)):
        w = point[[0, 2]] - a[:, [0, 2]]
        s, t = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / area, (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / area
        height = a[:, 1] + s * (b - a)[:, 1] + t * (c - a)[:, 1]
        inside = (np.minimum(s, t) >= -1e-9) & (s + t <= 1 + 1e-9) & (height <= point[1])
        found[ray] = np.max(height[inside], initial=-np.inf)
    return found


def _sampling(actors: int, model: str, clips: tuple[str, str]) -> Callable[[], None]:
    """Sample a crowd of which each actor is half-way through a fade between two clips."""
    text = f"""
        rigs.walker.model = "{Path(model).resolve().as_posix() if model.endswith((".gltf", ".glb")) else model}"
        [[crowds]]
        rig = "walker"
        count = {actors}
        layout = {{ kind = "disc" }}
        clips = [{{ name = "{clips[0]}" }}, {{ name = "{clips[1]}" }}]
        """
    world = load_scene(parse_scene(text, "bench", Path()), threads=1)
    ((_, (character, parameters, playback)),) = world.query(Character, Parameters, Playback)
    playback.slot_count[:] = 2
    playback.motion[:, :2] = (0, 1)
    playback.phase[:, 1] = playback.phase[:, 0]
    playback.fade_time[:, 1], playback.fade_duration[:, 1] = 0.15, 0.3
    workspace, system = Workspace(), SampleMotions()
    workspace.fit(CHUNK_SIZE, character.motions.tables)
    bounds = [(begin, min(begin + CHUNK_SIZE, actors)) for begin in range(0, actors, CHUNK_SIZE)]
    chunks = [Chunk(slice(begin, end), end - begin, 0.0, workspace, slice(begin, end)) for begin, end in bounds]

    def run() -> None:
        for chunk in chunks:
            system.run(chunk, character, parameters, playback)

    run()
    return run


def _nanoseconds(run: Callable[[], None]) -> int:
    begin = thread_time_ns()
    run()
    return thread_time_ns() - begin


if __name__ == "__main__":
    main()
