"""Films: how many pictures, how long they last, and that the steps between them are the world's own."""

from fractions import Fraction

import numpy as np
import pytest
from PIL import Image

import ecs_anim as ea
from ecs_anim.profiling.measure import poses_hash
from ecs_anim.support.clock import with_clock
from ecs_anim.support.errors import InputError
from ecs_anim.systems.filming import Pace
from tests.helpers.gl import context_fixture  # noqa: F401

SIZE = (64, 36)


def load():
    return ea.load_scene("throng", actors=20, threads=1)


def frames_of(path):
    """Yield each picture of a GIF and the time [s] for which it is shown."""
    with Image.open(path) as gif:
        for number in range(gif.n_frames):
            gif.seek(number)
            yield np.asarray(gif.convert("RGB")).astype(int), gif.info["duration"] / 1000


@pytest.mark.parametrize(
    ("seconds", "rate", "speed", "expected"),
    [
        (2.0, 30, 1.0, Pace(60, Fraction(30), 2, 1 / 60)),
        (Fraction(120, 60), 60, 1.0, Pace(120, Fraction(60), 1, 1 / 60)),
        (2.0, 30, 0.25, Pace(240, Fraction(30), 1, 1 / 120)),
        (2.0, 30, 0.75, Pace(80, Fraction(30), 2, 1 / 80)),
        (60.0, 30, 20.0, Pace(90, Fraction(30), 40, 1 / 60)),
        (1.0, 25, 1.0, Pace(25, Fraction(25), 3, 1 / 75)),
        (0.001, 30, 1.0, Pace(1, Fraction(30), 2, 1 / 60)),
    ],
)
def test_no_step_is_longer_than_the_scenes_own(seconds, rate, speed, expected):
    assert Pace.of(seconds, rate, speed, 60) == expected


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), 1e-300])
@pytest.mark.parametrize("name", ["seconds", "rate", "speed"])
def test_a_film_that_cannot_be_is_told(name, value):
    given = {"seconds": 1.0, "rate": 30, "speed": 1.0} | {name: value}
    if (name, value) == ("seconds", 1e-300):
        assert Pace.of(**given, frame_rate=60).pictures == 1
        return
    with pytest.raises(InputError, match=f"the {name} of a film must be|but the limit is") as error:
        Pace.of(**given, frame_rate=60)
    assert "\n" not in str(error.value)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("seconds", "rate", "speed", "steps"), [(0.5, 30, 1, 30), (0.4, 30, 0.5, 24), (0.6, 10, 3, 36)]
)
def test_the_world_goes_on_to_the_bit(context, tmp_path, seconds, rate, speed, steps):
    with load() as world, load() as other:
        ea.video(world, seconds, tmp_path / "frames", size=(8, 8), fps=rate, speed=speed)
        for _ in range(steps):
            other.step(1 / 60)
        assert (world.frame, world.time) == (other.frame, other.time)
        assert poses_hash(world) == poses_hash(other)


@pytest.mark.exhaustive
def test_slow_motion_takes_smaller_steps_to_the_same_time(context, tmp_path):
    with load() as world:
        before = ea.render(world, SIZE)
        ea.video(world, 0.25, tmp_path / "x.gif", size=SIZE, fps=20, speed=0.25)
        assert (world.frame, world.time) == (20, pytest.approx(0.25))
        frames, shown = zip(*frames_of(tmp_path / "x.gif"), strict=True)
        last = ea.render(world, SIZE).astype(int)
    assert (len(frames), sum(shown)) == (20, pytest.approx(1.0))
    assert np.abs(frames[-1] - last).mean() < 3 < np.abs(last - before).max()


@pytest.mark.exhaustive
def test_an_mp4_has_all_pictures_and_its_length(context, tmp_path):
    av = pytest.importorskip("av", reason="the video extra is not installed")
    with load() as world:
        path = ea.video(world, 0.5, str(tmp_path / "x.mp4"), size=SIZE, speed=0.5)
        last = ea.render(world, SIZE).astype(int)
    assert path == tmp_path / "x.mp4"
    with av.open(str(path)) as film:
        frames = [frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]
        assert film.streams.video[0].average_rate == 30
        assert film.duration / av.time_base == pytest.approx(1.0, abs=1e-3)
    assert len(frames) == 30
    assert np.abs(frames[-1] - last).mean() < 6


def test_the_clock_tells_the_worlds_time(context, tmp_path):
    with load() as world, load() as other:
        ea.video(world, 0.2, tmp_path / "frames", size=(96, 54), fps=10, clock=True)
        frames = [np.asarray(Image.open(path)) for path in sorted((tmp_path / "frames").iterdir())]
        for shown in frames:
            other.skip(6, 1 / 60)
            picture = ea.render(other, (96, 54))
            np.testing.assert_array_equal(shown, with_clock(picture, other.time))
            assert not np.array_equal(shown, picture)
    assert len(frames) == 2


def test_a_film_has_its_camera(context, tmp_path):
    turned = {"azimuth_degrees": 80.0, "distance": 5.0}
    with load() as world:
        ea.video(world, 0.1, tmp_path / "frames", size=SIZE, fps=10, camera=turned, samples=1)
        expected = ea.render(world, SIZE, turned, samples=1)
    np.testing.assert_array_equal(np.asarray(Image.open(tmp_path / "frames/frame_00000.png")), expected)


@pytest.mark.parametrize(
    ("name", "changes", "told"),
    [
        ("x.png", {}, "x.png: a film must be a .mp4 file, a .gif file or a folder.*render"),
        ("x.avi", {}, "x.avi: pictures and films cannot be '.avi' files"),
        ("x.gif", {"fps": 60}, "the frame rate of a GIF must be at most 50 frames per second"),
        ("x.gif", {"size": (0, 3)}, "a picture must have .*got 0x3"),
        ("no/x.gif", {}, "does not exist"),
        (
            "x.mp4",
            {"size": (64, 1)},
            "x.mp4: an MP4 film must have an even width and height .got 64x1.. Use the size 64x2",
        ),
        ("frames", {"speed": 1e-6}, "frames: 30,000,000 pictures, but the limit is 100,000. Draw fewer"),
        ("frames", {"speed": 1e-9}, "30,000,000,000 steps, but the limit is 1,000,000,000. Choose another speed"),
        ("x.gif", {"speed": 0.0}, "the speed of a film must be a finite number above 0"),
    ],
)
def test_what_cannot_be_written_is_told_before_a_step(context, tmp_path, name, changes, told):
    with load() as world:
        with pytest.raises(InputError, match=told):
            ea.video(world, 1.0, tmp_path / name, **{"size": SIZE} | changes)
        assert world.frame == 0
    assert list(tmp_path.iterdir()) == []


def test_a_film_that_is_stopped_leaves_nothing(context, tmp_path):
    def stop(world, dt):
        if world.frame == 3:
            raise KeyboardInterrupt

    stopper = type("Stopper", (), {"name": "stopper", "run": staticmethod(stop)})()
    with ea.load_scene("single", threads=1, systems=[(stopper, "before", "chunks")]) as world:
        with pytest.raises(KeyboardInterrupt):
            ea.video(world, 1.0, tmp_path / "x.gif", size=SIZE)
        assert world.frame == 3
    assert list(tmp_path.iterdir()) == []
