"""`python -m ecs_anim.profiling.bench_population [SCENE]`: what it costs that actors come and go.

In each round actors whose ids are drawn at random leave the scene's largest crowd, as many join it, and the world takes
a step, so that memory is as cold as in any frame. Stops where ids or counts are not what they have to be.
"""

import json
from time import perf_counter

import click
import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.scenes.build import load_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.crowd_handle import CrowdHandle

STEP = 1 / 60  # [s]
SETTLE = 5  # rounds that do not count


@click.command()
@click.argument("scene", default="throng")
@click.option("--actors", default=100_000, show_default=True)
@click.option("--change", default=1000, show_default=True, help="Actors that leave, and as many that join, a round.")
@click.option("--rounds", default=60, show_default=True)
@click.option("--threads", default=1, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(scene: str, actors: int, change: int, rounds: int, threads: int, as_json: bool) -> None:
    """Time leaving, joining, and both together."""
    try:
        world = load_scene(scene, actors=actors, threads=threads)
    except InputError as error:
        raise SystemExit(str(error)) from None
    with world:
        turnover = Turnover(world, change)
        spent = np.array([turnover.round() for _ in range(SETTLE + rounds)])[SETTLE:]
        found = {"scene": scene, "crowd": turnover.crowd.name, "actors": turnover.crowd.actor_count, "change": change}
    found |= {"rounds": rounds, "threads": threads}
    times = {"remove": spent[:, 0], "add": spent[:, 1], "both": spent.sum(axis=1)}
    rows = {name: {"median_ms": _rounded(np.median(ms)), "least_ms": _rounded(ms.min())} for name, ms in times.items()}
    if as_json:
        click.echo(json.dumps(found | rows))
        return
    click.echo(
        f"{scene}: {change:,} of {found['actors']:,} {found['crowd']}, {rounds} rounds, ms{'':10} median   least"
    )
    for name, row in rows.items():
        click.echo(f"{name:55} {row['median_ms']:8.3f}{row['least_ms']:8.3f}")


class Turnover:
    """The coming and going of one crowd's actors."""

    def __init__(self, world: World, change: int) -> None:
        crowd, self._entity = max((own.actor_count, entity) for entity, (own,) in world.query(Crowd))
        if change > crowd:
            raise click.BadParameter(f"the largest crowd has {crowd} actors (got {change})", param_hint="--change")
        self.crowd = CrowdHandle(world, self._entity)
        self._world, self._change = world, change
        self._rng = np.random.default_rng(1)
        self._draws = True  # where new actors stand; else they stand where others left

    def round(self) -> tuple[float, float]:
        """[ms] that leaving and joining took."""
        before = self.crowd.ids
        gone = self._rng.choice(before, self._change, replace=False)
        places = self._world.get(self._entity, Transforms).translation[self.crowd.rows(gone)][:, ::2].copy()
        begin = perf_counter()
        self.crowd.remove(ids=gone)
        between = perf_counter()
        new = self._join(places)
        end = perf_counter()
        if np.isin(new, before).any():
            raise SystemExit("an id was given out twice")
        self._require(np.union1d(np.setdiff1d(before, gone), new))
        self._world.step(STEP)
        return 1000 * (between - begin), 1000 * (end - between)

    def _join(self, places: NDArray[np.float32]) -> NDArray[np.int64]:
        if self._draws:
            try:
                return self.crowd.add(self._change)
            except ValueError:  # seats are not drawn twice
                self._draws = False
        return self.crowd.add(places=places)

    def _require(self, ids: NDArray[np.int64]) -> None:
        if self.crowd.actor_count != len(ids) or not np.array_equal(np.sort(self.crowd.ids), ids):
            raise SystemExit("others are in the crowd than should be")
        if not np.array_equal(self.crowd.ids[self.crowd.rows(ids)], ids):
            raise SystemExit("ids do not lead to their rows")


def _rounded(ms: float) -> float:
    return round(float(ms), 4)


if __name__ == "__main__":
    main()
