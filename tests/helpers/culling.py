"""Helpers for tests of culling: random crowds, and a reference that processes one actor after the other."""

import numpy as np

from ecs_anim.levels.culler import Culled
from ecs_anim.levels.levels import Levels
from ecs_anim.maths import quaternion
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.cull_view import CullSettings, CullView
from ecs_anim.view.instances import BAKED_ACTOR, INSTANCE

CLIPS = 4


def plain_levels(*errors: float) -> Levels:
    """Return levels without meshes. Their errors are 0 and `errors`, and their bounds are a few balls around clips."""
    bounds = np.array([[0.1 * c, 0.9, -0.2 * c, 0.8 + 0.1 * c] for c in range(CLIPS)] + [[0, 0.9, 0, 1.7]], np.float32)
    empty = tuple(np.zeros(0, np.int32) for _ in range(len(errors) + 1))
    return Levels(((),) * (len(errors) + 1), empty, np.array([0, *errors], np.float32), bounds)


def random_actors(rng: np.random.Generator, count: int, spread: float = 60.0) -> np.ndarray:
    """Return rows of BAKED_ACTOR within `spread` metres of the origin. Some actors fade, and some have CPU palettes."""
    actors = np.zeros(count, BAKED_ACTOR)
    actors["translation"] = rng.uniform(-spread, spread, (count, 3)) * (1, 0.05, 1)
    actors["scale"] = rng.uniform(0.5, 2, count)
    actors["rotation"] = quaternion.normalize(rng.normal(size=(count, 4)))
    actors["tint"] = rng.integers(0, 65536, (count, 4))
    actors["clip"] = rng.integers(0, CLIPS, (count, 2))
    actors["variant"] = rng.integers(0, 5, count)
    actors["phase"] = rng.uniform(0, 1, (count, 2))
    actors["fade"] = rng.choice([0, 0, 0, 1, 0.4], count)
    actors["share"] = rng.choice([0, 0, 0, 0, 30000], count)
    return actors


def drawn_rows(culled: Culled, level: int) -> np.ndarray:
    """Return the instances of one level. After the last level come the instances of actors that cast shadows."""
    return culled.instances[culled.row_starts[level] : culled.row_starts[level + 1]]


def posed_rows(culled: Culled, level: int) -> np.ndarray:
    """Return the poses of one level."""
    return culled.poses[culled.pose_starts[level] : culled.pose_starts[level + 1]]


def view_of(camera: OrbitCamera, sun_rows: np.ndarray | None = None, height: int = 720) -> CullView:
    """Return the view of a picture with an aspect ratio of 16:9."""
    return CullView.of(camera.projection_matrix(16 / 9) @ camera.view_matrix(), height, sun_rows)


def sun_rows(centre: tuple[float, float, float] = (0.0, 0.0, 0.0), size: float = 40.0) -> np.ndarray:
    """Return the rows of a shadow map that looks straight down on a square."""
    rows = np.zeros((3, 4))
    rows[[0, 1, 2], [0, 2, 1]] = 1 / size, 1 / size, -1 / size
    rows[:, 3] = 0.5 - rows[:, :3] @ centre
    return rows


def expected_ball(levels: Levels, actor: np.void) -> np.ndarray:
    """Return the centre and the radius [4] of an actor's ball in the world, in f64."""
    first, second = actor["clip"]
    fading = 0 < actor["fade"] < 1 and not (first == second and actor["phase"][0] == actor["phase"][1])
    row = -1 if fading or actor["share"] > 0 else (second if actor["fade"] >= 1 else first)
    ball = levels.bounds[row].astype(np.float64)
    turned = quaternion.rotate(actor["rotation"].astype(np.float64), ball[:3])
    return np.array([*(actor["translation"] + actor["scale"] * turned), abs(actor["scale"]) * ball[3]])


def expected_choice(
    levels: Levels, view: CullView, settings: CullSettings, actors: np.ndarray, state: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the choices [n, 3] and the new states [n, 2] that `choose_actors` must return.

    Also return the distances [n] [m] from the limits of the decisions.
    """
    choice, after, clear = np.full((len(actors), 3), -1), np.full((len(actors), 2), -1), np.zeros(len(actors))
    for a, actor in enumerate(actors):
        *place, radius = expected_ball(levels, actor)
        depth = view.planes[:, :3].astype(np.float64) @ place + view.planes[:, 3] + radius
        seen = bool((depth[:6] >= 0).all())
        casts = bool(settings.caster_level >= 0 and (depth[6:11] >= 0).all())
        nearest = max(depth[11] - 2 * radius, 0)
        errors = levels.errors * actor["scale"] * settings.pixels
        drawn = -1
        if seen:
            drawn = int(np.flatnonzero(errors <= settings.pixel_error * nearest).max())
            if 0 <= state[a, 0] < drawn:
                stays = int(np.flatnonzero(errors <= settings.stays * settings.pixel_error * nearest).max())
                drawn = max(int(state[a, 0]), stays)
        edges = [errors[1:] - share * settings.pixel_error * nearest for share in (1, settings.stays)]
        size, limits = 2 * radius * settings.pixels, (settings.half_size * nearest, settings.quarter_size * nearest)
        clear[a] = min(np.abs(depth).min(), *np.abs(np.concatenate([*edges, size - np.array(limits)])))
        choice[a, :2] = drawn, casts
        if seen or casts:
            needed = min(drawn if seen else 99, settings.caster_level if casts else 99)
            every = 4 if size < limits[1] else 2 if size < limits[0] else 1
            held = state[a, 1]
            due = (a + settings.picture) % every == 0
            if settings.all_posed or held < 0 or needed < held or actor["share"] > 0 or due:
                choice[a, 2] = held = needed
            after[a] = drawn, held
    return choice, after, clear


def expected_instance(actors: np.ndarray, rows: np.ndarray, palette_rows: np.ndarray) -> np.ndarray:
    """Return rows of INSTANCE for the actors `rows`."""
    instances = np.zeros(len(rows), INSTANCE)
    for name in ("translation", "scale", "rotation", "variant"):
        instances[name] = actors[name][rows]
    instances["tint"] = actors["tint"][rows] * np.float32(1 / 65535)
    instances["palette_row"], instances["actor"] = palette_rows, rows
    return instances
