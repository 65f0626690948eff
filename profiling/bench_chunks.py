"""`python -m ecs_anim.profiling.bench_chunks`: what chunks and threads are worth.

All settings run in turn, round by round, in one process, so that a machine whose speed drifts slows all of
them alike; medians are compared. The whole crowd in one chunk is what separate passes over it would cost.
"""

from time import perf_counter

import click
import numpy as np

from ecs_anim.ecs.world import World
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.queries import actor_count

CHUNK_SIZES = (128, 512, 1024, 2048, 4096)


@click.command()
@click.option("--scene", default="throng", show_default=True)
@click.option("--actors", default=10_000, show_default=True)
@click.option("--rounds", default=15, show_default=True)
@click.option("--threads", default="1,2", show_default=True, metavar="N[,N...]")
def main(scene: str, actors: int, rounds: int, threads: str) -> None:
    """Time the pose systems for each chunk size and number of threads."""
    settings = [(int(count), size) for count in threads.split(",") for size in (*CHUNK_SIZES, actors)]
    worlds = [load_scene(scene, actors=actors, threads=count, chunk_size=size) for count, size in settings]
    spent = np.array([[_frame_ms(world) for world in worlds] for _ in range(rounds)])
    if len({poses_hash(world) for world in worlds}) != 1:
        raise SystemExit("the settings gave different poses")
    medians = np.median(spent, axis=0)
    click.echo(f"{scene}, {actor_count(worlds[0]):,} actors, medians of {rounds} alternated frames")
    click.echo(f"{'threads':>8} {'chunk':>8} {'ms':>9} {'us/actor':>9} {'ratio':>7}")
    for (count, size), median in zip(settings, medians, strict=True):
        click.echo(f"{count:8} {size:8} {median:9.3f} {1000 * median / actors:9.4f} {median / medians[0]:7.2f}")
    for world in worlds:
        world.close()


def _frame_ms(world: World) -> float:
    begin = perf_counter()
    world.step(1 / 60)
    return 1000 * (perf_counter() - begin)


if __name__ == "__main__":
    main()
