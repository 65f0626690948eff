"""Overlays: skeletons, trails, goals and densities over the picture of a world."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.components.baked import Baked
from ecs_anim.components.crowd import Crowd
from ecs_anim.components.journeys import Journeys
from ecs_anim.components.steering import Steering
from ecs_anim.ecs.world import World
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.window.keys import Action
from ecs_anim.steering.columns import ARRIVED
from ecs_anim.support.arguments import one_of
from ecs_anim.systems.actor_points import nearest_rows
from ecs_anim.systems.density_map import COLORS, LEGEND, colors_of_densities, density_map
from ecs_anim.systems.overlay_shapes import ball_rows, balls, colors_of, strips, tiles
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.skeletons import bones_of_clips
from ecs_anim.systems.trails import SECONDS, Places, Trails, places_of
from ecs_anim.systems.uploaded_models import UploadedModels
from ecs_anim.view.overlay_names import OVERLAYS, OverlayName

Reals = NDArray[np.float64]
TOGGLES: Mapping[Action, OverlayName] = {
    Action.SKELETONS: "skeletons",
    Action.TRAILS: "trails",
    Action.GOALS: "goals",
    Action.DENSITY: "density",
}

MOST = 1000  # largest number of actors with trails and lines to goals: the actors that are nearest to the camera
TRAIL_WIDTH, OLD_WIDTH = 0.09, 0.02  # [m], width of a trail at its actor, and at its end
LINE_WIDTH = 0.04  # [m], width of a line to a goal
GOAL_RADIUS = 0.14  # [m], radius of the ball at a goal
SAME_GOAL = 0.25  # [m]; goals within this distance have one ball
DENSITY_LIFT, TRAIL_LIFT, LINE_LIFT = 0.015, 0.03, 0.05  # [m], heights above the ground
SEARCH = 1.0  # [m]; the search for the ground below a density cell starts at this height above the people


class Floor(Protocol):
    """A map that is drawn on the floor of the scene."""

    def draws(self, world: World, models: UploadedModels) -> Iterator[CrowdDraw]:
        """Yield the draw call data of the map."""

    def legend(self) -> tuple[str, list[tuple[str, str]]]:
        """Return the title of the legend, and its entries: colours and texts."""


class Overlays:
    """The overlays that are drawn over the pictures of a world, and the trails of its actors.

    The trails begin when the overlays are created. With `live`, the user can show trails later. Raises InputError for
    an unknown name.
    """

    def __init__(self, world: World, shown: Sequence[OverlayName] = (), *, live: bool = False) -> None:
        for name in shown:
            one_of("overlay", name, OVERLAYS)
        self.shown: set[str] = {*shown}
        self.floor: Floor | None = None
        self._trails = Trails()
        self._end: Callable[[], None] | None = None
        if live or "trails" in shown:
            self._trails.record(world)
            self._end = world.on("stepped", self._trails.record)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the recording of the trails."""
        if self._end is not None:
            self._end()

    def toggle(self, name: OverlayName) -> bool:
        """Show an overlay, or hide the overlay if it is shown. Return whether the overlay is shown now."""
        self.shown ^= {name}
        return name in self.shown

    def text(self) -> str:
        """Return the legend of the densities. If densities are not shown, the text is empty."""
        if "density" not in self.shown:
            return ""
        return f"{LEGEND}: {', '.join(f'{density:g} {name}' for density, (_, name) in COLORS.items())}"

    def draws(self, world: World, eye: NDArray[np.float32], models: UploadedModels) -> Iterator[CrowdDraw]:
        """Yield the draw call data of all shown overlays. `eye` [3] [m] is the camera position.

        `DrawWorld` draws the skeletons of actors whose poses the CPU computes. This method yields all other skeletons.
        """
        if "skeletons" in self.shown:
            for entity, _ in world.query(Baked):
                yield bones_of_clips(world, entity, eye, models)
        if self.floor is not None:
            yield from self.floor.draws(world, models)
        if "density" in self.shown:
            yield from _density(world, models)
        if "trails" in self.shown:
            yield from self._trail_draws(world, eye, models)
        if "goals" in self.shown:
            yield from _goals(world, eye, models)

    def _trail_draws(self, world: World, eye: NDArray[np.float32], models: UploadedModels) -> Iterator[CrowdDraw]:
        begin, end, age, ids = self._trails.segments(world.time, _nearest(places_of(world), eye))
        if len(ids):
            lift = np.array([0.0, TRAIL_LIFT, 0.0])
            width = np.interp(age, [0.0, SECONDS], [TRAIL_WIDTH, OLD_WIDTH])
            yield strips(models, begin + lift, end + lift, width, colors_of(ids))


def _density(world: World, models: UploadedModels) -> Iterator[CrowdDraw]:
    """Yield coloured tiles on the ground below the people."""
    _, points = places_of(world)
    found = density_map(points[:, [0, 2]])
    if not len(found.densities):
        return
    x, z = found.centers.T
    start = np.stack([x, np.full(len(x), points[:, 1].max() + SEARCH), z], axis=-1)
    start[:, 1], _ = stage_of(world).terrain.below(start)
    there = np.isfinite(start[:, 1])
    colors, coverage = colors_of_densities(found.densities[there])
    yield tiles(models, start[there] + [0.0, DENSITY_LIFT, 0.0], found.size, colors, coverage)


def _goals(world: World, eye: NDArray[np.float32], models: UploadedModels) -> Iterator[CrowdDraw]:
    """Yield lines from actors to their goals, and a ball at each goal."""
    ids, points = _nearest(places_of(world), eye)
    lift, terrain = np.array([0.0, LINE_LIFT, 0.0]), stage_of(world).terrain
    for number, (entity, (crowd, steering)) in enumerate(world.query(Crowd, Steering)):
        going = np.flatnonzero(_on_the_way(world, entity, steering))
        _, at, rows = np.intersect1d(ids, crowd.ids[going], return_indices=True)
        if not len(at):
            continue
        flat = steering.goal[going[rows]].astype(np.float64)
        goals = np.insert(flat, 1, terrain.height_at(flat), axis=1)
        _, first = np.unique(np.round(flat / SAME_GOAL), axis=0, return_index=True)
        color = np.broadcast_to(colors_of(np.array([number])), goals.shape)
        yield strips(models, points[at] + lift, goals + lift, np.full(len(at), LINE_WIDTH), color)
        centers = goals[first] + [0.0, GOAL_RADIUS, 0.0]
        yield replace(balls(models, ball_rows(centers, GOAL_RADIUS, color[first])), casts_shadow=False)


def _on_the_way(world: World, entity: int, steering: Steering) -> NDArray[np.bool_]:
    """Return which actors of a crowd have a goal that they have not reached."""
    journeys = world.find(entity, Journeys)
    return np.ones(len(steering.goal), np.bool_) if journeys is None else journeys.stage != ARRIVED


def _nearest(places: Places, eye: NDArray[np.float32]) -> Places:
    """Return the places of the actors that are nearest to the camera position `eye` [3] [m]."""
    ids, points = places
    kept = nearest_rows(points, eye, MOST)
    return ids[kept], points[kept]
