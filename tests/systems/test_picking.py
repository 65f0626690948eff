"""Picking actors in a picture: the actor under the pointer, the text about it, and the camera that follows it."""

import numpy as np
import pytest

from ecs_anim.commands import window as window_command
from ecs_anim.components.character import Character
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.gl.device.target import RenderTarget
from ecs_anim.gl.window import controls
from ecs_anim.gl.window.keys import Action
from ecs_anim.scenes.build import load_scene
from ecs_anim.systems.actor_ids import ActorRow
from ecs_anim.systems.crowd_handle import crowds
from ecs_anim.systems.drawing import DrawWorld
from ecs_anim.systems.picking import Picking
from ecs_anim.systems.queries import stage_of
from ecs_anim.view.quality import FINEST
from tests.helpers.gl import context_fixture, renderer_fixture, shared_context  # noqa: F401

SIZE = (320, 180)


@pytest.fixture
def world():
    with load_scene("controllers", threads=1, actors=12) as world:
        for _ in range(30):
            world.step(1 / 60)
        yield world


def an_actor(world, row=5) -> ActorRow:
    ((entity, _),) = world.query(Character)
    return ActorRow(entity, row)


def test_the_same_actor_again_and_nobody_let_go(world):
    picking, one, other = Picking(world), an_actor(world, 1), an_actor(world, 2)
    seen = []
    for picked in (one, other, other, one, None, None):
        picking.pick(picked)
        seen.append(picking.actor)
    assert seen == [one, other, None, one, None, None]
    picking.pick(one)
    assert [picking.release(), picking.release()] == [True, False]


def test_the_text_names_crowd_id_motion_state_and_place(world):
    picking, actor = Picking(world), an_actor(world)
    assert picking.text() == ""
    picking.pick(actor)
    (crowd,) = crowds(world)
    x, y = crowd.positions[actor.row]
    assert picking.text().startswith(f"{crowd.name}, id {crowd.ids[5]}: {crowd.playing()[5]} (")
    assert f"at {x:.1f}, {y:.1f} m" in picking.text()
    playback = world.get(actor.entity, Playback)
    assert playback.slot_count.max() > 1, "some fade, and the newest motion is told"


def test_the_camera_goes_with_the_actor_and_may_be_panned(world):
    camera, picking, actor = stage_of(world).camera, Picking(world), an_actor(world)
    start = camera.target.copy()
    picking.toggle_follow(camera)
    picking.move_camera(camera)
    np.testing.assert_array_equal(camera.target, start)
    picking.pick(actor)
    picking.toggle_follow(camera)
    assert picking.follows
    assert "followed" in picking.text()
    transforms = world.get(actor.entity, Transforms)
    np.testing.assert_allclose(camera.target[[0, 2]], transforms.translation[5, [0, 2]], atol=0.1)
    assert 0.5 < camera.target[1] < 1.2, "the middle of the body"
    camera.target[0] += 2.0
    panned = camera.target - transforms.translation[5]
    moved = transforms.translation[5].copy()
    for _ in range(30):
        transforms.translation[5] += [0.1, 0.0, 0.05]
        picking.move_camera(camera)
    np.testing.assert_allclose(camera.target - transforms.translation[5], panned, atol=1e-4)
    assert np.linalg.norm(transforms.translation[5] - moved) > 3
    picking.toggle_follow(camera)
    left = camera.target.copy()
    transforms.translation[5] += 1
    picking.move_camera(camera)
    np.testing.assert_array_equal(camera.target, left)


def test_the_mark_is_above_the_picked_actor_alone(world, renderer):
    picking, drawing = Picking(world), DrawWorld(renderer)
    assert picking.mark().shape == (0, 12)
    with renderer.target(*SIZE) as target:
        drawing.draw(world, target, picking.mark())
        without = target.read_pixels().astype(int)
        picking.pick(an_actor(world))
        drawing.draw(world, target, picking.mark())
        changed = np.abs(target.read_pixels().astype(int) - without).max(axis=-1) > 8
    mark = picking.mark()[0]
    place = world.get(an_actor(world).entity, Transforms).translation[5]
    np.testing.assert_allclose(mark[[0, 2]], place[[0, 2]], atol=0.1)
    assert 1.7 < mark[1] - place[1] < 2.2
    camera = stage_of(world).camera
    clip = camera.projection_matrix(SIZE[0] / SIZE[1]) @ camera.view_matrix() @ [*mark[:3], 1]
    x, y = (clip[:2] / clip[3] * [1, -1] + 1) / 2 * SIZE
    rows, columns = np.nonzero(changed)
    assert 3 < len(rows) < 400
    np.testing.assert_allclose([columns.mean(), rows.mean()], [x, y], atol=1.5)


class Stub:
    """Stands in for the viewer: its context is the tests' own, and its one frame is in the test's hands."""

    quality = FINEST

    def __init__(self, title, size, camera) -> None:
        self.context = shared_context()
        self.playback, self.message = controls.Playback(), controls.Message()

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        pass

    def close(self) -> None:
        pass

    def run(self, step, draw, overlay, actions, clicked, moments, choices) -> None:
        with RenderTarget(self.context, *SIZE) as target:
            self.act(step, lambda: draw(target), overlay, actions, clicked)


def test_clicks_and_keys_of_the_window(world, context, monkeypatch):
    """A click on an actor's middle picks it. F follows it. The first Escape releases it, the second does nothing."""
    drawing_size = SIZE
    told = []

    def act(self, step, draw, overlay, actions, clicked):
        camera = stage_of(world).camera
        step(1 / 60)
        draw()
        told.append(overlay())
        places = world.get(an_actor(world).entity, Transforms).translation
        nearest = int(np.argmin(np.linalg.norm(places - camera.position, axis=1)))
        chest = places[nearest] + [0, 1.1, 0]
        clip = camera.projection_matrix(SIZE[0] / SIZE[1]) @ camera.view_matrix() @ [*chest, 1]
        x, y = (clip[:2] / clip[3] * [1, -1] + 1) / 2 * drawing_size
        clicked(x, y, SIZE)
        draw()
        told.append(overlay())
        assert f", id {nearest + 1}: " in told[-1]
        actions[Action.FOLLOW]()
        draw()
        told.append(overlay())
        told.extend([actions[Action.BACK](), actions[Action.BACK](), overlay()])

    monkeypatch.setattr(Stub, "act", act, raising=False)
    monkeypatch.setattr(window_command, "Viewer", Stub)
    window_command.show_in_window(world, SIZE, None)
    before, picked, followed, released, nothing, after = told
    assert (before.count("\n"), picked.count("\n"), after.count("\n")) == (1, 2, 1)
    assert "followed" in followed
    assert "followed" not in picked
    assert (released, nothing) == (True, False)


def test_who_is_picked_stays_so_as_others_leave(world):
    picking, (crowd,) = Picking(world), crowds(world)
    entity = an_actor(world).entity
    picking.pick(an_actor(world, 11))
    place = world.get(entity, Transforms).translation[11].copy()
    crowd.remove([2])
    assert picking.actor == ActorRow(entity, 2)
    np.testing.assert_array_equal(world.get(entity, Transforms).translation[2], place)
    assert picking.text().startswith("people, id 12:"), "an id is for life, a row is not"
    crowd.remove([2])
    assert picking.actor is None
    assert picking.text() == ""
    assert len(picking.mark()) == 0
    picking.move_camera(stage_of(world).camera)


def test_the_window_shows_the_world_at_a_speed(world, context, monkeypatch):
    def act(self, step, *_):
        for _ in range(4):
            step(self.playback.advance(1 / 60))

    monkeypatch.setattr(Stub, "act", act, raising=False)
    monkeypatch.setattr(window_command, "Viewer", Stub)
    before = world.time
    window_command.show_in_window(world, SIZE, None, speed=0.25)
    assert world.time - before == pytest.approx(1 / 60)
