"""Maps on the floor of pictures and films: the mean density or the level of service since the start."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

import numpy as np
import shapely
from numpy.typing import NDArray

from ecs_anim.analysis.densities import EVERY, Map, cells_of, maps_of
from ecs_anim.analysis.map_colors import LOWEST, colors_of_means, top_of, values_of_ramp
from ecs_anim.analysis.samples import MARGIN, RATE, Samples
from ecs_anim.analysis.service import COLORS, levels_of
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.transforms import Transforms
from ecs_anim.ecs.world import World
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.maths.color import hex_to_linear
from ecs_anim.systems.overlay_shapes import tiles
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.trajectory_saving import floors_of, people_of
from ecs_anim.systems.uploaded_models import UploadedModels
from ecs_anim.view.overlay_names import FloorKind
from ecs_anim.walls.outline import outline_wkt
from ecs_anim.walls.walls import Walls

OFF = 1e-6  # tolerance of sample times, as a share of the time between two samples
# [m], height of the squares above the ground, and height above the people at which the search for the ground begins
LIFT, SEARCH = 0.015, 1.0
BELOW = 0.05  # [m]; the search for the floor of a storey begins this distance below the next storey
COVERAGE = 0.75  # drawn fraction of a square, so that the floor is visible


@dataclass
class _Storey:
    """The positions on one storey so far, and their map."""

    number: int | None  # None = a scene without levels
    area: str = ""  # walkable area as well-known text; "" = the outlines of the walls
    frames: list[int] = field(default_factory=list)
    points: list[NDArray[np.float64]] = field(default_factory=list)
    drawn: tuple[int, Map | None] = (0, None)  # number of samples when the map was last computed, and this map


class FloorMap:
    """Maps of all positions since the start, one map for each storey. A report on the same time span contains equal
    values.
    """

    def __init__(self, world: World, kind: FloorKind) -> None:
        """Begin with the present positions. Each step of the world adds positions."""
        stage = stage_of(world)
        self._kind = kind
        self._due = int(np.ceil(world.time * RATE - OFF))
        self._low, self._high = np.full(2, np.inf), np.full(2, -np.inf)
        self._walls: list[Walls] = []
        area = stage.building.storey_area if stage.building else None
        numbers = range(len(stage.storeys))
        self._storeys = [_Storey(number, area(number).wkt if area else "") for number in numbers] or [_Storey(None)]
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
        crowds = [(entity, crowd) for entity, (crowd,) in world.query(Crowd)]
        xy = np.concatenate([np.zeros((0, 2)), *(people_of(world, *own)[1] for own in crowds)])
        self._low = np.minimum(self._low, xy.min(axis=0, initial=np.inf))
        self._high = np.maximum(self._high, xy.max(axis=0, initial=-np.inf))
        stage = stage_of(world)
        # in a building, the walls of the stage are on the unfolded plan of all storeys, so they do not fit one storey
        walls = None if stage.storeys else stage.walls
        if walls is not None and walls not in self._walls:
            self._walls.append(walls)
        if self._due % EVERY == 0:
            floors = [floors_of(world, entity)[:, 1] for entity, _ in crowds] if stage.storeys else []
            for own in self._storeys:
                points = xy if own.number is None else xy[np.concatenate([[], *floors]) == own.number]
                if len(points):
                    own.frames.append(self._due)
                    own.points.append(points)
        self._due += 1

    def map(self, storey: int = 0) -> Map | None:
        """Return the mean density [1/m²] on a storey over all samples, or None without a sample."""
        own = self._storeys[storey]
        if own.drawn[0] != len(own.frames):
            people = self._samples(own)
            own.drawn = len(own.frames), maps_of(people, cells_of(people)).density
        return own.drawn[1]

    def draws(self, world: World, models: UploadedModels) -> Iterator[CrowdDraw]:
        """Yield coloured squares on the ground and on the shown storeys."""
        stage, heights = stage_of(world), [float(own.max()) for own in _heights(world)]
        tops = [height - BELOW for height in stage.storeys[1:]]
        tops.append(max([*heights, *stage.storeys[-1:]], default=0.0) + SEARCH)
        top = self._top()
        for number, (own, above) in enumerate(zip(self._storeys, tops, strict=True)):
            is_shown = stage.shown_storeys is None or own.number in stage.shown_storeys
            if is_shown and (found := self.map(number)) is not None:
                yield from self._squares(world, models, found, above, top)

    def _squares(
        self, world: World, models: UploadedModels, found: Map, above: float, top: float
    ) -> Iterator[CrowdDraw]:
        """Yield the squares of a map on the highest surfaces below the height `above` [m]."""
        row, column = np.nonzero(found.values >= LOWEST)
        values = found.values[row, column]
        east, north = found.west + (column + 0.5) * found.side, found.south + (row + 0.5) * found.side
        centers = np.stack([east, np.full(len(row), above), -north], axis=-1)
        centers[:, 1], _ = stage_of(world).terrain.below(centers)
        there = np.isfinite(centers[:, 1])
        if there.any():
            colors = self._colors(values, top)[there]
            coverage = np.full(int(there.sum()), COVERAGE, np.float32)
            yield tiles(models, centers[there] + [0.0, LIFT, 0.0], found.side, colors, coverage)

    def legend(self) -> tuple[str, list[tuple[str, str]]]:
        """Return the title of the legend, and its entries: colours and texts."""
        if self._kind == "levels":
            return "level of service", [(color, level) for level, color in COLORS.items()]
        return "mean people per square metre", [(color, f"{value:g}") for value, color in values_of_ramp(self._top())]

    def _top(self) -> float:
        """Return the density of the last colour [1/m²] for the maps of all storeys."""
        found = [self.map(number) for number in range(len(self._storeys))]
        return max(top_of(np.zeros(1) if own is None else own.values) for own in found)

    def _colors(self, values: NDArray[np.float64], top: float) -> NDArray[np.float64]:
        if self._kind == "density":
            return colors_of_means(values, top)
        return np.array([hex_to_linear(color) for color in COLORS.values()])[levels_of(values)]

    def _samples(self, own: _Storey) -> Samples:
        outlines = [own.area] if own.area else [outline_wkt(walls, self._low, self._high) for walls in self._walls]
        box = shapely.box(*self._low - MARGIN, *self._high + MARGIN)
        frames = np.repeat(own.frames, [len(points) for points in own.points]).astype(np.intp)
        nothing = np.zeros(0)
        return Samples(
            frames=frames,
            people=np.zeros(len(frames), np.intp),
            xy=np.concatenate(own.points),
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
