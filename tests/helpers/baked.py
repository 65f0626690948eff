"""Helpers for tests of baked crowds: a small scene with many variations, and differences of pictures."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest

from ecs_anim.ecs.world import World
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.systems import drawing
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.view.passes import Passes
from tests.helpers.gl import shared_context

SIZE = (200, 150)  # [pixel]
STEP = 1 / 30  # [s]
HEAD = """
title = "x"
seed = 3
frame_rate = 30
[rigs.people]
model = "mannequin"
[camera]
target = [0.0, 0.8, 0.0]
distance = 6.5
azimuth_degrees = 160.0
elevation_degrees = 16.0
[light]
shadows = "map"
"""
CROWD = """
[[crowds]]
rig = "people"
count = 9
layout = { kind = "grid", spacing = 1.3 }
heading_degrees = "random"
scale_range = [0.8, 1.2]
tints = ["#c8553d", "#3d6fa5", "#e0a93b"]
clips = [{ name = "walk" }, { name = "wave" }, { name = "dance" }]
KEYS
"""
FADES = """
[[timeline]]
at_seconds = 0.1
fade_to = ["walk", "wave", "dance"]
fade_seconds = 0.6
"""
SCENE = HEAD + CROWD
FADING = SCENE + FADES
MODEL_SPACE = 'path = "baked"\nbake = { space = "model" }'
CLASSIC = 'path = "baked"\nbake = { space = "model", shader = "classic" }'


@pytest.fixture(scope="module", name="renderer")
def module_renderer_fixture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Renderer]:
    """One renderer for the tests of a module. Bakes are cached in a temporary folder.

    Actors that the CPU poses cast shadows with their finest meshes, as actors that the GPU poses do.
    """
    folder = str(tmp_path_factory.mktemp("cache"))
    with (
        patch.dict(os.environ, XDG_CACHE_HOME=folder),
        patch.object(drawing, "CASTER", 0),
        Renderer(shared_context()) as renderer,
    ):
        yield renderer


def load(text: str = SCENE, keys: str = "", *, steps: int = 0, folder: Path = Path(), **options: int) -> World:
    """Return the world of a scene after `steps` steps. `keys` are keys of its crowds."""
    scene = parse_scene(text.replace("KEYS", keys), "x.toml", folder)
    world = load_scene(scene, threads=1, **options)
    for _ in range(steps):
        world.step(STEP)
    return world


def draw(drawing_of: DrawWorld, world: World, renderer: Renderer, size: tuple[int, int] = SIZE) -> np.ndarray:
    """Return a picture [height, width, 3] in i32."""
    with renderer.target(*size) as target:
        drawing_of.draw(world, target)
        return target.read_pixels()[..., :3].astype(int)


def draw_passes(drawing_of: DrawWorld, world: World, renderer: Renderer, size: tuple[int, int] = SIZE) -> Passes:
    """Return the passes ids, depths and normals."""
    with renderer.pass_target(*size) as target:
        drawing_of.draw_passes(world, target)
        return target.read()


@cache
def picture(
    renderer: Renderer, text: str = SCENE, keys: str = "", *, steps: int = 9, folder: Path = Path(), **options: int
) -> np.ndarray:
    """Return a picture of a new world. The picture is cached, because several tests use it."""
    with load(text, keys, steps=steps, folder=folder, **options) as world:
        drawing_of = DrawWorld(renderer)
        shown = draw(drawing_of, world, renderer)
        drawing_of.forget()
        return shown


def other_pixels(one: np.ndarray, two: np.ndarray) -> float:
    """Return the share of pixels that differ by more than 8 of 255."""
    return float((np.abs(one - two).max(axis=-1) > 8).mean())


def mean_apart(one: np.ndarray, two: np.ndarray) -> float:
    """Return the mean difference of pixels, on a scale of 255."""
    return float(np.abs(one - two).max(axis=-1).mean())
