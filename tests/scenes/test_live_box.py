"""The notebook widget of a world: its controls get the messages of a browser, and notebook cells run again."""

import sys
from types import SimpleNamespace

import pytest

import ecs_anim as ea
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.profiling.soak import growth, held
from ecs_anim.systems.crowd_handle import crowds
from ecs_anim.systems.queries import stage_of
from tests.helpers.gl import context_fixture  # noqa: F401

pytest.importorskip("jupyter_rfb", reason="needs the notebook extra")
SIZE = (80, 40)
ANY_MEMORY = 10**12  # [byte]
STEPS = (0.02, 0.05, 0.01, 0.04)  # [s]


@pytest.fixture
def world():
    with ea.load_scene("single", threads=1) as world:
        yield world


@pytest.fixture
def box(context, world):
    box = ea.show(world, SIZE, samples=1)
    yield box
    box.close()


def controls(box):
    """The widgets of the playback row: play, back, step, timeline, speed, first view."""
    return box.children[1].children


def click(button) -> None:
    button._handle_button_msg(button, {"event": "click"}, [])


def play(box, world) -> list:
    """Take all steps, and return the time and the hash of the poses of each frame."""
    seen = [(world.time, poses_hash(world))]
    for dt in STEPS:
        box.picture.view.frame(dt)
        seen.append((world.time, poses_hash(world)))
    return seen


@pytest.mark.exhaustive
def test_the_timeline_shows_stored_frames_with_the_same_bits(box, world):
    seen = play(box, world)
    start, back, step, timeline, *_ = controls(box)
    click(start)
    box.picture.view.frame(0.5)
    for time, poses in (seen[3], seen[0], seen[2]):
        timeline.set_state({"value": round(100 * time)})
        box.picture.view.frame(0.5)
        assert (world.time, poses_hash(world)) == (time, poses)
    assert (timeline.min, timeline.max) == (0, round(100 * sum(STEPS)))
    click(step)
    box.picture.view.frame(0.5)
    assert (world.time, poses_hash(world)) == seen[3]
    click(back)
    click(back)
    box.picture.view.frame(0.5)
    assert (world.time, poses_hash(world)) == seen[1]
    assert timeline.value == round(100 * seen[1][0])


def test_each_message_to_the_slider_has_a_value_between_the_limits(box, world):
    """A browser corrects other values and returns the correction, as a drag by the user does."""
    timeline, seen = controls(box)[3], []
    timeline.observe(lambda _: seen.append((timeline.min, timeline.value, timeline.max)), ["min", "value", "max"])
    box.picture.view.playback.pause()
    for dt in (0.0123, 0.0456, 0.0333, 0.0789):
        box.picture.view.timeline.step(dt)
        box.picture.view.frame(0.0)
    box.picture.view.step_back()
    world.step(0.1234)  # the user's code begins a new timeline
    box.picture.view.frame(0.0)
    assert len(seen) > 8
    assert all(first <= value <= last and first < last for first, value, last in seen)


def test_buttons_and_keys_change_the_same_state(box, world):
    start, *_, speed, reset = controls(box)
    view = box.picture.view
    assert start.description == "Pause"
    click(start)
    assert (start.description, view.playback.paused) == ("Play", True)
    view.handle({"type": "key_down", "key": " ", "modifiers": ()})
    view.frame(0.0)
    assert start.description == "Pause"
    speed.set_state({"index": speed._options_labels.index("1/4 x")})
    view.frame(0.04)
    assert world.time == pytest.approx(0.01)
    view.handle({"type": "key_down", "key": "+", "modifiers": ()})
    view.frame(0.04)
    assert speed.label == "1/2 x"
    assert world.time == pytest.approx(0.03)
    camera = stage_of(world).camera
    azimuth = camera.azimuth
    camera.orbit(1.0, 0.0)
    click(reset)
    assert camera.azimuth == azimuth


def test_all_controls_have_names_for_screen_readers(box):
    for control in controls(box):
        assert control.tooltip or control.value.endswith("of 0.00")
    assert "One mannequin" in box.picture.title
    assert "viewElement.alt" in box.picture._esm


@pytest.mark.exhaustive
def test_a_closed_box_frees_its_objects_and_leaves_the_world(context, world):
    ea.show(world, SIZE, samples=1).close()
    before = held()
    box = ea.show(world, SIZE, samples=1)
    box.picture.get_frame()
    box.close()
    assert growth(before, held(), ANY_MEMORY) == []
    assert box.picture.get_frame() is None
    click(controls(box)[0])
    world.step(0.1)


class Shell:
    """The part of IPython's shell that names the present cell."""

    execution_count = 1

    def run(self, cell: str) -> None:
        self.execution_count += 1
        self.parent = {"metadata": {"cellId": cell}, "header": {"msg_id": f"run {self.execution_count}"}}

    def get_parent(self) -> dict:
        return self.parent


@pytest.fixture
def shell(monkeypatch):
    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    return shell


def test_a_new_run_of_a_cell_closes_only_the_boxes_of_this_cell(context, shell):
    with (
        ea.load_scene("single", threads=1) as first,
        ea.load_scene("single", threads=1) as second,
        ea.load_scene("single", threads=1) as third,
    ):
        shell.run("a")
        boxes = [ea.show(first, SIZE, samples=1), ea.show(second, SIZE, samples=1)]
        shell.run("b")
        boxes.append(ea.show(third, SIZE, samples=1))
        assert [box.picture.view.freed for box in boxes] == [False, False, False]
        shell.run("a")
        with ea.load_scene("single", threads=1) as fourth:
            boxes.append(ea.show(fourth, SIZE, samples=1))
            assert [box.picture.view.freed for box in boxes] == [True, True, False, False]
            shell.run("c")
            boxes.append(ea.show(third, SIZE, samples=1))  # a world has one box
            assert [box.picture.view.freed for box in boxes] == [True, True, True, False, False]
        shell.run("d")
        boxes.append(ea.show(first, SIZE, samples=1))  # the fourth world is closed
        assert [box.picture.view.freed for box in boxes] == [True, True, True, True, False, False]
        for box in boxes:
            box.close()


@pytest.mark.exhaustive
def test_after_a_cell_has_run_the_timeline_keeps_its_changes(context, shell):
    with ea.load_scene("throng", actors=2, threads=1) as world:
        shell.run("a")
        box = ea.show(world, SIZE, samples=1)
        play(box, world)
        shell.run("b")
        (people,) = crowds(world)
        people.fade_to(slice(None), "run", 0.02)
        begin = world.time
        before = play(box, world)
        for _ in STEPS:  # back to the first frame of the new timeline, and forward
            box.picture.view.step_back()
        for _ in STEPS[1:]:
            click(controls(box)[2])
            box.picture.view.frame(0.5)
        assert (world.time, poses_hash(world)) == before[-2]
        assert people.playing() == ["run", "run"]
        assert controls(box)[3].min == round(100 * begin)
        box.close()
