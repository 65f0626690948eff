"""Maps on the floor of pictures and films: the mean density or the level of service since the start."""

from collections.abc import Iterator
from typing import Self

import numpy as np
import shapely
from numpy.typing import NDArray

from ecs_anim.analysis.densities import EVERY, Map, cells_of, mean_density
from ecs_anim.analysis.map_colors import LOWEST, colors_of_means, top_of, values_of_ramp
from ecs_anim.analysis.samples import MARGIN, RATE, Samples
from ecs_anim.analysis.service import COLORS, levels_of
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.support.errors import InputError
from ecs_anim.systems.overlay_shapes import tiles
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.trajectory_saving import people_of
from ecs_anim.systems.uploaded_models import UploadedModels
from ecs_anim.view.overlay_names import FloorKind
from ecs_anim.walls.outline import outline_wkt
from ecs_anim.walls.walls import Walls

OFF = 1e-6  # [1/RATE s], tolerance of sample times
LIFT, SEARCH = 0.015, 1.0  # [m], height of the squares above the ground, and of the search above the people
COVERAGE = 0.75  # drawn fraction of a square, so that the floor is visible


class FloorMap:
    """A map of all positions since the start. A report on this time span contains equal values."""

    def __init__(self, world: World, kind: FloorKind) -> None:
        """Begin with the present positions. Each step of the world adds positions.

        Raises InputError for a world with levels.
        """
        if stage_of(world).storeys:
            raise InputError(
                f"floor = {kind!r}: a map on the floor needs a scene with one floor, but this scene has several"
                " levels. Leave out floor."
            )
        self._kind = kind
        self._due = int(np.ceil(world.time * RATE - OFF))
        self._frames: list[int] = []
        self._points: list[NDArray[np.float64]] = []
        self._low, self._high = np.full(2, np.inf), np.full(2, -np.inf)
        self._walls: list[Walls] = []
        self._drawn: tuple[int, Map | None] = (0, None)  # number of samples, and their map
        self.take(world)
        self._end = world.on("stepped", self.take)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def take(self, world: World) -> None:
        """Store the positions of actors if the time of the next sample has come."""
        if world.time * RATE < self._due - OFF:
            return
        parts = [people_of(world, entity, crowd)[1] for entity, (crowd,) in world.query(Crowd)]
        xy = np.concatenate([np.zeros((0, 2)), *parts])
        self._low = np.minimum(self._low, xy.min(axis=0, initial=np.inf))
        self._high = np.maximum(self._high, xy.max(axis=0, initial=-np.inf))
        walls = stage_of(world).walls
        if walls is not None and walls not in self._walls:
            self._walls.append(walls)
        if self._due % EVERY == 0 and len(xy):
            self._frames.append(self._due)
            self._points.append(xy)
        self._due += 1

    def map(self) -> Map | None:
        """Return the mean density [1/m²] over all samples, or None without a sample."""
        if self._drawn[0] != len(self._frames):
            people = self._samples()
            self._drawn = len(self._frames), mean_density(people, cells_of(people))
        return self._drawn[1]

    def draws(self, world: World, models: UploadedModels) -> Iterator[CrowdDraw]:
        """Yield coloured squares on the ground."""
        found = self.map()
        if found is None:
            return
        row, column = np.nonzero(found.values >= LOWEST)
        values = found.values[row, column]
        east, north = found.west + (column + 0.5) * found.side, found.south + (row + 0.5) * found.side
        above = max((float(own.max()) for own in _heights(world)), default=0.0) + SEARCH
        centers = np.stack([east, np.full(len(row), above), -north], axis=-1)
        centers[:, 1], _ = stage_of(world).terrain.below(centers)
        there = np.isfinite(centers[:, 1])
        if there.any():
            colors = self._colors(values, found)[there]
            coverage = np.full(int(there.sum()), COVERAGE, np.float32)
            yield tiles(models, centers[there] + [0.0, LIFT, 0.0], found.side, colors, coverage)

    def legend(self) -> tuple[str, list[tuple[str, str]]]:
        """Return the title of the legend, and its entries: colours and texts."""
        if self._kind == "levels":
            return "level of service", [(color, level) for level, color in COLORS.items()]
        found = self.map()
        top = top_of(np.zeros(1) if found is None else found.values)
        return "mean people per square metre", [(color, f"{value:g}") for value, color in values_of_ramp(top)]

    def _colors(self, values: NDArray[np.float64], found: Map) -> NDArray[np.float64]:
        if self._kind == "density":
            return colors_of_means(values, top_of(found.values))
        return np.array([hex_to_linear(color) for color in COLORS.values()])[levels_of(values)]

    def _samples(self) -> Samples:
        outlines = [outline_wkt(walls, self._low, self._high) for walls in self._walls]
        box = shapely.box(*self._low - MARGIN, *self._high + MARGIN)
        frames = np.repeat(self._frames, [len(own) for own in self._points]).astype(np.intp)
        nothing = np.zeros(0)
        return Samples(
            frames=frames,
            people=np.zeros(len(frames), np.intp),
            xy=np.concatenate(self._points),
            speeds=np.full(len(frames), np.nan),
            arrivals=nothing,
            departures=nothing,
            end=self._due / RATE,
            ids=(),
            area=shapely.union_all(shapely.from_wkt(outlines)) if outlines else box,
            has_walls=bool(outlines),
        )


def _heights(world: World) -> Iterator[NDArray[np.float32]]:
    """Yield the heights of the actors of each crowd [m]."""
    for _, (transforms,) in world.query(Transforms):
        if len(transforms.translation):
            yield transforms.translation[:, 1]
