"""Twists, bends and scales as scenes show them: methods by crowd, swapped at run time, measured in pictures."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from ecs_anim.assets import dual_palette
from ecs_anim.assets.hierarchy import skin_palette
from ecs_anim.assets.skinning import METHODS, Method, skin_linear
from ecs_anim.commands.command_line import cli
from ecs_anim.components.character import Character
from ecs_anim.components.palette import Palette
from ecs_anim.ecs.world import World
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.model.crowd import CrowdDraw
from ecs_anim.gl.model.model import ModelBuffers
from ecs_anim.gl.picture.renderer import Renderer
from ecs_anim.gl.window.keys import Action
from ecs_anim.gltf.load import load_rig
from ecs_anim.maths.solids import volume
from ecs_anim.profiling.validation.skinning import measure_skinning
from ecs_anim.rigs.twist_rigs import bar_rig, forearm_rig
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import parse_scene
from ecs_anim.support.errors import InputError
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.skinning import set_skinning, swap_skinning
from ecs_anim.view.camera import OrbitCamera
from ecs_anim.view.governor import Governor
from ecs_anim.view.style import Lighting, View
from tests.gl.test_window import viewer  # noqa: F401
from tests.helpers import ASSETS, EXHAUSTIVE, needs_assets
from tests.helpers.gl import context_fixture, instances_at, renderer_fixture  # noqa: F401
from tests.oracles.sections import section_area

VIEWS, PIXELS = 24, 320  # round the bar; across the picture
SMALL, DISTANCE = 0.1, 8.0  # size of the bar's unit [m], and how far away it is seen from [m]
SCENE = """
[camera]
target = [0.0, 0.7, 0.0]
distance = 3.2
[rigs.it]
model = "{model}"
{rig}
[[crowds]]
rig = "it"
clips = [{{ name = "{clip}", phase = 0.0 }}]
{crowd}
"""


def load(model: str = "bar", clip: str = "twist", crowd: str = "", rig: str = "", **options: object) -> World:
    text = SCENE.format(model=model, clip=clip, crowd=crowd, rig=rig)
    return load_scene(parse_scene(text, "x.toml", Path()), threads=1, **options)


def palette_of(world: World) -> tuple[int, Character, Palette]:
    ((entity, (character, palette)),) = world.query(Character, Palette)
    return entity, character, palette


@pytest.mark.parametrize(("model", "clip"), [("bar", "swell"), ("mannequin", "walk")])
def test_a_scene_gives_each_crowd_its_method(model, clip):
    """Both step to the same pose; one keeps it as matrices, the other taken apart."""
    found = []
    for method in ("linear", "dual_quaternion"):
        with load(model, clip, f'skinning = "{method}"') as world:
            for _ in range(20):
                world.step(1 / 30)
            _, character, palette = palette_of(world)
            assert palette.method == method
            found.append(palette.matrices)
    linear, dual = found
    assert (linear.shape[2:], dual.shape[2:]) == ((3, 4), (4, 4))
    np.testing.assert_allclose(dual_palette.to_matrices(dual), linear, atol=3e-6)
    expected = dual_palette.from_matrices(linear, character.rig.skeleton)
    sign = np.sign(np.sum(expected[..., 0, :] * dual[..., 0, :], axis=-1))[..., None]
    dual[..., 0, :] *= sign
    np.testing.assert_allclose(dual, expected, atol=1e-5)


def test_linear_is_the_default_and_other_words_are_told():
    with load() as world:
        assert palette_of(world)[2].method == "linear"
    with pytest.raises(InputError, match=r"crowds\[0\].skinning"):
        load(crowd='skinning = "dual"')


def test_swapping_a_paused_world_is_what_stepping_by_the_other_method_gives():
    with load("mannequin", "run", 'skinning = "dual_quaternion"') as world:
        world.step(0.3)
        entity, _, palette = palette_of(world)
        dual = palette.matrices.copy()
        swap_skinning(world)
        assert palette.method == METHODS[(METHODS.index("dual_quaternion") + 1) % len(METHODS)]
        swapped = palette.matrices.copy()
        world.step(0.0)
        np.testing.assert_allclose(swapped, palette.matrices, atol=3e-6)
        set_skinning(world, entity, "dual_quaternion")
        converted = palette.matrices.copy()
        world.step(0.0)
        np.testing.assert_allclose(converted, palette.matrices, atol=5e-6)
        np.testing.assert_allclose(np.abs(dual), np.abs(converted), atol=5e-6)
        with pytest.raises(KeyError, match="no method .cubic.; methods are: linear, dual_quaternion"):
            set_skinning(world, entity, "cubic")


def picture(renderer: Renderer, world: World) -> np.ndarray:
    with renderer.target(240, 160) as target:
        DrawWorld(renderer).draw(world, target)
        return target.read_pixels().astype(int)


def test_a_pose_that_one_joint_makes_looks_the_same_either_way(renderer):
    """Bones and joints are moved by one entry each, so the method cannot matter to them."""
    crowd = "show_skin = false\nshow_joints = true"
    with load("mannequin", "wave", crowd, "height = 1.2") as world:
        world.step(1.2)
        before = picture(renderer, world)
        swap_skinning(world)
        after = picture(renderer, world)
    assert before.std() > 5
    assert np.abs(before - after).max() <= 2


@EXHAUSTIVE
def test_a_key_swaps_what_a_paused_window_shows(viewer, monkeypatch):  # noqa: F811
    from pyglet.window import key

    monkeypatch.setattr(Governor, "add", lambda *_: None)  # pictures stay of one size, however late they come
    window, shown = viewer.context.window, []
    with load() as world, Renderer(viewer.context) as renderer:
        world.step(2.0)
        drawing = DrawWorld(renderer)

        def draw(target: RenderTarget) -> None:
            drawing.draw(world, target)
            shown.append(target.read_pixels().astype(int))
            if len(shown) == len(METHODS) + 2:
                viewer.close()
            window.dispatch_event("on_key_press", key.K, 0)

        viewer.playback.toggle_pause()
        viewer.run(world.step, draw, actions={Action.SWAP_SKINNING: lambda: swap_skinning(world)})
        assert world.frame == 1, "the world stood still"
    first, swapped, *_, back, again = shown
    assert (np.abs(first - swapped).max(axis=-1) > 30).sum() > 300
    assert np.abs(first - back).max() <= 2
    assert np.abs(swapped - again).max() <= 2


def test_a_twist_looks_thicker_with_dual_quaternions(renderer):
    with load("bar", "twist", "", "scale = 1.3") as world:
        world.step(2.0)
        linear = picture(renderer, world)
        swap_skinning(world)
        dual = picture(renderer, world)
    assert (np.abs(linear - dual).max(axis=-1) > 30).sum() > 300


def silhouette_area(renderer: Renderer, model: ModelBuffers, palette: np.ndarray, method: Method, x: float) -> float:
    """Area of the cross-section of a bar along the X axis, from the outlines that it shows as it turns about X.

    How far the outline reaches in each direction, h, gives the polygon that the views allow: its sides are
    l = (h_before + h_after - 2 h cos step) / sin step long, and its area is sum(h l) / 2.
    """
    step = 2 * np.pi / VIEWS
    h = np.array([_reach(renderer, model, palette, method, x, k * step) for k in range(VIEWS)])
    sides = (np.roll(h, 1) + np.roll(h, -1) - 2 * h * np.cos(step)) / np.sin(step)
    return float(np.sum(h * sides) / 2)


def _reach(
    renderer: Renderer, model: ModelBuffers, palette: np.ndarray, method: Method, x: float, angle: float
) -> float:
    """How far up the bar's outline reaches above its axis at x, turned by an angle, in the model's units."""
    instances = instances_at(np.array([[-SMALL * x, 0.0, 0.0]]), SMALL)
    instances[0, 4:8] = np.sin(angle / 2), 0, 0, np.cos(angle / 2)
    crowd = CrowdDraw(model, instances, palette, skinning=method)
    camera = OrbitCamera(np.zeros(3), DISTANCE, elevation=0.0, vertical_fov=2 * np.arctan(2 * SMALL / DISTANCE))
    with renderer.target(PIXELS, PIXELS) as target:
        view, light = View.of(camera, 1.0), Lighting(shadows="none")
        pictures = []
        for crowds in ([crowd], []):
            renderer.draw(target, view, light, None, crowds)
            pictures.append(target.read_pixels().astype(int))
    covered = np.abs(pictures[0] - pictures[1]).max(axis=-1)[:, PIXELS // 2] > 8
    return 2 * (PIXELS / 2 - np.flatnonzero(covered)[0]) / (PIXELS / 2)


@needs_assets
@EXHAUSTIVE
def test_dq_gltf_twisted_by_180_degrees_in_pictures(renderer):
    """At least 95 % of the section next to the middle is left with dual quaternions, under 20 % with matrices."""
    rig = load_rig(ASSETS / "dq.gltf")
    clip, ring = rig.clips["Twisting"], 0.1613
    rest, twist = (skin_palette(rig.skeleton, clip.sample(clip.start + time))[None] for time in (0.0, 5.0))
    model = renderer.upload(rig.meshes)
    shares = {}
    for method in ("linear", "dual_quaternion"):
        areas = []
        for palette in (rest, twist):
            if method == "dual_quaternion":
                palette = dual_palette.from_matrices(palette, rig.skeleton)
            areas.append(silhouette_area(renderer, model, palette, method, ring))
        assert areas[0] == pytest.approx(4.0, rel=0.03)
        shares[method] = areas[1] / areas[0]
    assert shares["dual_quaternion"] > 0.95
    assert shares["linear"] < 0.2


@EXHAUSTIVE
@pytest.mark.parametrize(("clip", "least"), [("twist", 0.99), ("bend", 0.99), ("swell", 0.99)])
def test_dual_quaternions_keep_the_bars_volume(clip, least):
    rig = bar_rig()
    linear, dual, *_ = measure_skinning(rig, rig.clips[clip])
    assert (linear.method, dual.method) == ("linear", "dual_quaternion")
    assert dual.volume > least
    assert dual.narrowest > 0.999
    if clip == "twist":  # 170 degrees: cos(85 degrees)^2 is left of the middle
        assert linear.narrowest == pytest.approx(np.cos(np.radians(85)) ** 2, abs=1e-4)
        assert linear.narrowest_time == pytest.approx(2.0)
        assert linear.volume < 0.8


@EXHAUSTIVE
def test_the_measured_volume_is_that_of_the_skinned_mesh():
    rig = forearm_rig()
    clip, (mesh,) = rig.clips["twist"], rig.meshes
    moments = skin_palette(rig.skeleton, clip.sample(np.linspace(0, 4, 61), loop=False))
    shares = [volume(skin_linear(mesh, moments)[0], mesh.indices) / volume(mesh.positions, mesh.indices)]
    assert measure_skinning(rig, clip)[0].volume == pytest.approx(float(np.min(shares)), abs=1e-5)


def test_volume_and_sections_of_a_cuboid():
    (mesh,) = bar_rig().meshes
    assert volume(mesh.positions, mesh.indices) == pytest.approx(0.22**2, rel=1e-6)
    assert volume(mesh.positions[None] + 5, mesh.indices) == pytest.approx([0.22**2], rel=1e-5)
    assert section_area(mesh.positions, mesh.indices, (0, 0.3, 0), (0, 3, 0)) == pytest.approx(0.22**2, rel=1e-6)
    slanted = section_area(mesh.positions, mesh.indices, (0, 0.5, 0), (0, 1, 1))
    assert slanted == pytest.approx(0.22**2 * np.sqrt(2), rel=1e-6)
    assert section_area(mesh.positions, mesh.indices, (0, 2, 0), (0, 1, 0)) == 0


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["inspect", *arguments])
    return result.exit_code, result.output + str(result.exception or "")


@EXHAUSTIVE
def test_inspect_tells_what_skinning_keeps():
    code, text = run("bar", "--skinning", "--clip", "twist", "--json")
    assert code == 0
    linear, dual, *_ = json.loads(text)["skinning"]
    assert (linear["method"], dual["method"]) == ("linear", "dual quaternion")
    assert linear["volume_share"] < 0.8 < 0.99 < dual["volume_share"]
    assert linear["narrowest_at_s"] == 2.0
    code, text = run("bar", "--skinning")
    assert code == 0
    assert text.count("linear") == 3


def test_inspect_tells_when_there_is_nothing_to_measure():
    assert "no clip 'twits'; did you mean 'twist'" in run("bar", "--skinning", "--clip", "twits")[1]
