"""Update rates: which actors are due for a pose, that other poses stay, and that nothing else depends on the choice."""

import numpy as np
import pytest

from ecs_anim.components.crowd import Crowd
from ecs_anim.components.palette import Palette
from ecs_anim.components.playback import Playback
from ecs_anim.components.transforms import Transforms
from ecs_anim.components.update_rates import UpdateRates
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.scenes.build import load_scene
from ecs_anim.scenes.loader import read_scene
from ecs_anim.scenes.snapshots import load_world
from ecs_anim.scenes.starting import Start, open_world, skipping_text
from ecs_anim.support.errors import InputError
from ecs_anim.systems.crowd_handle import crowd
from ecs_anim.systems.grounding import GroundFeet
from ecs_anim.systems.queries import stage_of
from ecs_anim.systems.schedule import ChunkedSchedule
from tests.helpers import FEW

DT = 1 / 60
AHEAD = [-6.0, -40, -90, -150, -200, -300, -450, -600]  # [m], where the camera looks; then behind it
BEHIND = [12.0, 30.0, 45.0, 70.0]
WAITS = [0, 0, 0, 1, 1, 1, 3, 3, 0, 1, 1, 3]  # steps: 125 m and 376 m away, an eighth of that where unseen
COUNT = FEW or 60
SCENE = f"""
[rigs.people]
model = "mannequin"
height = 1.8
[camera]
target = [0, 0.9, 0]
distance = 8
azimuth_degrees = 180
elevation_degrees = 5
vertical_fov_degrees = 38
[[crowds]]
rig = "people"
count = {COUNT}
layout = {{ kind = "points", points = {[[0, -z] for z in AHEAD + BEHIND]} }}
clips = [{{ name = "walk" }}, {{ name = "run" }}]
OWN
"""


@pytest.fixture
def written(tmp_path):
    """The scene's path, with other lines for its crowd."""

    def write(own="detail = {}"):
        path = tmp_path / "scene.toml"
        path.write_text(SCENE.replace("OWN", own), "utf-8")
        return path

    return write


@pytest.fixture
def load(written):
    def build(own="detail = {}", **options):
        return load_scene(written(own), **{"threads": 1} | options)

    return build


def only(world, *types):
    ((_, found),) = world.query(*types)
    return found if len(types) > 1 else found[0]


def palettes(world):
    return only(world, Palette).matrices.copy()


def columns(world):
    """Return copies of all simulated columns."""
    playback, transforms = only(world, Playback, Transforms)
    return [column.copy() for column in (*playback.queue, *transforms.placement)]


def expected_due(frame, count=COUNT):
    waits = np.resize(WAITS, count)
    return np.flatnonzero((np.arange(count) + frame) % (waits + 1) == 0)


@pytest.mark.parametrize(
    "own", ["", 'skinning = "dual_quaternion"\n', 'layers = [{ clip = "wave", mask = "RightArm" }]\n']
)
@pytest.mark.parametrize("chunk_size", [5, 512])
def test_actors_are_posed_when_due_and_stay_as_they_are_otherwise(load, own, chunk_size):
    with load(own) as every, load(f"{own}detail = {{}}", chunk_size=chunk_size) as world:
        np.testing.assert_array_equal(palettes(world), palettes(every))
        for frame in range(9):
            before = palettes(world)
            every.step(DT)
            world.step(DT)
            due = expected_due(frame)
            others = np.delete(np.arange(COUNT), due)
            assert 0 < len(others) < COUNT
            np.testing.assert_array_equal(only(world, UpdateRates).due, due)
            np.testing.assert_array_equal(palettes(world)[due], palettes(every)[due])
            np.testing.assert_array_equal(palettes(world)[others], before[others])
            for a, b in zip(columns(world), columns(every), strict=True):
                np.testing.assert_array_equal(a, b)


def test_all_are_due_once_in_four_steps_wherever_the_camera_goes(load):
    with load() as world:
        posed = []
        for frame in range(12):
            stage_of(world).camera.azimuth = np.pi - 1.1 * frame
            world.step(DT)
            posed.append(only(world, UpdateRates).due)
        for first in range(9):
            np.testing.assert_array_equal(np.unique(np.concatenate(posed[first : first + 4])), np.arange(COUNT))


def test_an_error_that_may_be_larger_gives_lower_rates(load):
    def posed(own):
        with load(own) as world:
            return sum((world.step(DT), len(only(world, UpdateRates).due))[1] for _ in range(4))

    few, some, many = (posed(f"detail = {{ pixel_error = {error} }}") for error in (500, 0.75, 0.001))
    assert few == COUNT < some < many == 4 * COUNT


def test_who_is_seen_is_off_by_about_a_pixel(load):
    """Joints of held poses against those of this moment, projected: 0.75 pixels are what most vertices stay within."""
    with load("") as every, load() as world:
        camera, worst = stage_of(world).camera, 0.0
        pixels = 540 / np.tan(camera.vertical_fov / 2)
        for _ in range(40):
            every.step(DT)
            world.step(DT)
            transforms = only(world, Transforms)
            away = np.linalg.norm(transforms.translation - camera.position, axis=1)
            seen = transforms.translation[:, 2] < 0
            apart = np.linalg.norm((palettes(world) - palettes(every))[..., 3], axis=-1).max(axis=1)
            worst = max(worst, float((apart * transforms.scale * pixels / away)[seen].max()))
        assert 0.2 < worst < 2.0


def test_a_step_that_takes_no_time_poses_everybody(load):
    with load("") as every, load() as world:
        for _ in range(6):
            every.step(DT)
            world.step(DT)
        assert not np.array_equal(palettes(world), palettes(every))
        world.step(0.0)
        np.testing.assert_array_equal(palettes(world), palettes(every))


@pytest.mark.parametrize(("threads", "chunk_size"), [(2, 512), (4, 7)])
def test_threads_and_chunks_do_not_matter(load, threads, chunk_size):
    def posed(**options):
        with load(**options) as world:
            for _ in range(11):
                world.step(DT)
            return poses_hash(world)

    assert posed(threads=threads, chunk_size=chunk_size) == posed()


def test_a_world_goes_on_from_where_it_was_saved_or_jumped_to(load, written, tmp_path):
    with load() as world:
        for _ in range(6):
            world.step(DT)
        world.save(tmp_path / "world.npz")
        for _ in range(3):
            world.step(DT)
        expected = poses_hash(world)
    with load_world(tmp_path / "world.npz", written(), threads=2) as world:
        for _ in range(3):
            world.step(DT)
        assert poses_hash(world) == expected
    with open_world(read_scene(written()), Start(9), threads=1) as world:
        assert poses_hash(world) == expected
        assert "(update_rates)" in skipping_text(world)


def test_newcomers_are_due_at_once_and_who_moves_rows_keeps_the_palette(load, monkeypatch):
    run_jobs = ChunkedSchedule._run_tasks

    def run_in_order(*arguments):
        assert only(world, Palette).is_sorted, "threads would sort it, each for itself"
        return run_jobs(*arguments)

    with load() as world:
        monkeypatch.setattr(ChunkedSchedule, "_run_tasks", run_in_order)
        for _ in range(3):
            world.step(DT)
        people = crowd(world, "people")
        before = dict(zip(people.ids.tolist(), palettes(world), strict=True))
        people.remove(ids=people.ids[[0, 4, 6]])
        new = people.add(5)
        world.step(DT)
        rows, ids = only(world, UpdateRates).due, only(world, Crowd).ids
        assert np.isin(new, ids[rows]).all()
        held = np.setdiff1d(ids, ids[rows])
        after = dict(zip(ids.tolist(), palettes(world), strict=True))
        assert len(held)
        for actor in held.tolist():
            np.testing.assert_array_equal(after[actor], before[actor])
        assert all(after[actor].any() for actor in new.tolist())


class Door:
    """Lets actors leave and join after the choice of the due actors and before their poses."""

    name = "door"

    def __init__(self, frame):
        self.frame = frame

    def run(self, world, dt):
        if world.frame == self.frame and dt > 0:
            people = crowd(world, "people")
            people.remove(slice(0, COUNT // 3))
            self.new = people.add(5)


@pytest.mark.parametrize(("threads", "chunk_size"), [(1, 512), (2, 7)])
def test_who_comes_or_goes_after_updates_are_chosen_does_so_without_harm(load, threads, chunk_size):
    door = Door(3)
    own = {"threads": threads, "chunk_size": chunk_size, "systems": [(door, "before", "chunks")]}
    with load(**own) as world, load("", systems=[(Door(3), "before", "chunks")]) as every:
        for _ in range(3):
            world.step(DT)
            every.step(DT)
        before = dict(zip(only(world, Crowd).ids.tolist(), palettes(world), strict=True))
        world.step(DT)
        every.step(DT)
        ids, waits, own, right = (
            only(world, Crowd).ids,
            only(world, UpdateRates).waits,
            palettes(world),
            palettes(every),
        )
        assert 0 < waits.sum() < len(ids) == COUNT - COUNT // 3 + 5
        assert not waits[np.isin(ids, door.new)].any()
        np.testing.assert_array_equal(own[~waits], right[~waits])
        for actor, palette in zip(ids[waits].tolist(), own[waits], strict=True):
            np.testing.assert_array_equal(palette, before[actor])


def test_a_system_of_the_users_own_that_remembers_poses_sees_all(load):
    class Watch:
        name, components = "watch", (Palette,)
        seen = 0

        def run(self, chunk, palette):
            Watch.seen += chunk.actor_count

    with load(systems=[(Watch(), "after", "skin_palettes")]) as world:
        Watch.seen = 0
        world.step(DT)
        assert Watch.seen == COUNT


@pytest.mark.parametrize(
    ("own", "message"),
    [
        (
            'detail = {}\nblend = "inertial"',
            "detail.update_rates: inertia needs the poses of all actors in each time step",
        ),
        ("detail = { impostors = true }", "detail.impostors: impostors need several detail levels. Add level"),
    ],
)
def test_what_cannot_wait_is_told(load, own, message):
    with pytest.raises(InputError, match=message):
        load(own)


def test_crowds_that_do_not_ask_for_it_have_no_update_rates(load):
    for own in ("", "detail = { update_rates = false }", "detail = { update_rates = false }\ngrounding = {}"):
        with load(own) as world:
            assert not list(world.query(UpdateRates))


CORRECTED = 'grounding = {}\nlook_at = { target = "eye" }\ntargets = { eye = { kind = "camera" } }\n'


class TestWhatGoesOnFromPoseToPose:
    """Grounding and looks, which count how long ago the last pose was."""

    def test_all_that_passed_is_counted_once(self, load, monkeypatch):
        """The time steps of each actor's pelvis and gaze add up to the world's time, less the final wait."""
        told, stages = {}, GroundFeet.stages

        def listen(self, chunk, *components):
            for row in np.arange(COUNT)[chunk.rows].tolist():
                told[row] = told.get(row, 0.0) + chunk.dt
            return stages(self, chunk, *components)

        monkeypatch.setattr(GroundFeet, "stages", listen)
        with load(f"{CORRECTED}detail = {{}}") as world:
            told.update(dict.fromkeys(range(COUNT), 0.0))  # all but of the poses before the first step
            for frame in range(11):
                stage_of(world).camera.azimuth = np.pi - 0.7 * frame
                world.step(DT * (1 + frame % 3))
                rates = only(world, UpdateRates)
                waiting = np.where(rates.waits, rates.elapsed, 0)
                spent = np.array([told[row] for row in range(COUNT)]) + waiting
                np.testing.assert_allclose(spent, world.time, rtol=1e-5)

    def test_the_near_are_as_ever_and_the_far_off_by_about_a_pixel(self, load):
        with load(CORRECTED) as every, load(f"{CORRECTED}detail = {{}}") as world:
            camera, worst = stage_of(world).camera, 0.0
            pixels = 540 / np.tan(camera.vertical_fov / 2)
            waits = np.resize(WAITS, COUNT)
            for _ in range(40):
                every.step(DT)
                world.step(DT)
                transforms = only(world, Transforms)
                np.testing.assert_array_equal(palettes(world)[waits == 0], palettes(every)[waits == 0])
                away = np.linalg.norm(transforms.translation - camera.position, axis=1)
                seen = transforms.translation[:, 2] < 0
                apart = np.linalg.norm((palettes(world) - palettes(every))[..., 3], axis=-1).max(axis=1)
                worst = max(worst, float((apart * transforms.scale * pixels / away)[seen].max()))
            assert 0.2 < worst < 2.0

    @pytest.mark.parametrize(("threads", "chunk_size"), [(2, 512), (4, 7)])
    def test_threads_and_chunks_do_not_matter(self, load, threads, chunk_size):
        def posed(**options):
            with load(f"{CORRECTED}detail = {{}}", **options) as world:
                for _ in range(11):
                    world.step(DT)
                return poses_hash(world)

        assert posed(threads=threads, chunk_size=chunk_size) == posed()

    def test_a_world_goes_on_from_where_it_was_saved(self, load, written, tmp_path):
        own = f"{CORRECTED}detail = {{}}"
        with load(own) as world:
            for _ in range(6):
                world.step(DT)
            world.save(tmp_path / "world.npz")
            for _ in range(5):
                world.step(DT)
            expected = poses_hash(world)
        with load_world(tmp_path / "world.npz", written(own), threads=2) as world:
            for _ in range(5):
                world.step(DT)
            assert poses_hash(world) == expected
