"""OpenGL calls of a frame: their count is the same for ten actors and for two thousand."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from ecs_anim.gl.device import api
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.style import GroundStyle, Lighting, View
from tests.helpers import EXHAUSTIVE, FEW
from tests.helpers.gl import capsule, context_fixture, identity_palettes, instances_at, renderer_fixture  # noqa: F401

MANY = FEW or 2000
DRAWS = ("glDrawElementsInstanced", "glDrawArraysInstanced", "glDrawElements", "glDrawArrays")


@contextmanager
def counted_calls(module: ModuleType = api) -> Iterator[Counter[str]]:
    """Count all calls of entry points through the module, also of those that have not been looked up before."""
    calls: Counter[str] = Counter()
    look_up = module.__getattr__
    known = {name: value for name, value in vars(module).items() if name.startswith("gl")}

    def counted(name: str) -> Any:
        found = known.get(name) or look_up(name)
        vars(module).pop(name, None)  # so that the next look-up comes here again
        if not name.startswith("gl"):
            return found

        def call(*arguments: Any) -> Any:
            calls[name] += 1
            return found(*arguments)

        return call

    with patch.dict(vars(module), {"__getattr__": counted}):
        for name in known:
            del vars(module)[name]
        yield calls


def frame_calls(renderer: Renderer, crowd: CrowdDraw, lighting: Lighting) -> Counter[str]:
    with renderer.target(32, 32) as target:
        view = View.of(OrbitCamera(distance=40.0), 1.0)
        renderer.draw(target, view, lighting, GroundStyle(), [crowd])
        with counted_calls() as calls:
            renderer.draw(target, view, lighting, GroundStyle(), [crowd])
    return calls


def block(renderer: Renderer, count: int, **changes: Any) -> CrowdDraw:
    places = np.stack([np.arange(count) % 50, 0 * np.arange(count), np.arange(count) // 50], axis=-1)
    return CrowdDraw(renderer.upload((capsule(),)), instances_at(places), identity_palettes(count), **changes)


@EXHAUSTIVE
@pytest.mark.parametrize("bits", [32, 16])
@pytest.mark.parametrize("shadows", ["none", "map"])
def test_2000_actors_of_one_mesh_and_material_are_one_draw_call(renderer, shadows, bits):
    lighting = Lighting(shadows=shadows)
    calls = frame_calls(renderer, block(renderer, 2000, palette_bits=bits, shadow_radius=0.0), lighting)
    none = frame_calls(renderer, block(renderer, 0, palette_bits=bits, shadow_radius=0.0), lighting)
    drawn = {name: calls[name] - none[name] for name in DRAWS}
    passes = 2 if shadows == "map" else 1  # the sun's, and the picture's
    assert drawn == {**dict.fromkeys(DRAWS, 0), "glDrawElementsInstanced": passes}


def test_past_the_limit_there_is_a_draw_call_for_each_batch(context):
    with Renderer(context, max_palette_texels=500 * 3 * 3) as renderer:
        calls = frame_calls(renderer, block(renderer, 2000), Lighting(shadows="none"))
    assert calls["glDrawElementsInstanced"] == 4


def scene_calls(renderer: Renderer, scene: str, actors: int) -> Counter[str]:
    """Count the calls of a step and its picture, after two frames."""
    drawing = DrawWorld(renderer)
    with load_scene(scene, actors=actors) as world, renderer.target(64, 36) as target:
        for _ in range(2):
            world.step(1 / 30)
            drawing.draw(world, target)
        with counted_calls() as calls:
            world.step(1 / 30)
            drawing.draw(world, target)
    return calls


@pytest.mark.parametrize("scene", ["throng", "hills"])
@EXHAUSTIVE
def test_the_number_of_gl_calls_does_not_depend_on_the_number_of_actors(renderer, scene):
    few, many = scene_calls(renderer, scene, 10), scene_calls(renderer, scene, MANY)
    assert few == many
    assert few.total() > 50
    assert few["glDrawElementsInstanced"] >= 2


def test_the_counter_sees_every_call():
    fake = ModuleType("fake")
    look_up = {"glOne": lambda: 1, "glTwo": lambda: 2, "GL_THREE": 3}.__getitem__
    fake.__getattr__ = look_up
    fake.glOne = look_up("glOne")  # looked up before
    with counted_calls(fake) as calls:
        assert [fake.glOne(), fake.glOne(), fake.glTwo(), fake.GL_THREE, fake.glTwo()] == [1, 1, 2, 3, 2]
    assert calls == {"glOne": 2, "glTwo": 2}
    assert vars(fake)["glOne"]() == 1
    assert fake.__getattr__ is look_up
