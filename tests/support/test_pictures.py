"""Frames to files: complete or not there."""

import errno
import os
from fractions import Fraction
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np
import pytest
from PIL import Image

from ecs_anim.support.errors import InputError
from ecs_anim.support.pictures import complete_file, frame_rate_for, open_sink, save_png, told

FRAME = np.random.default_rng(0).integers(0, 255, (31, 47, 3)).astype(np.uint8)


def test_a_png_holds_the_last_frame(tmp_path):
    path = tmp_path / "x.png"
    with open_sink(path, 60, 47, 31) as sink:
        assert not sink.every_frame
        sink.write(255 - FRAME)
        sink.write(FRAME)
    np.testing.assert_array_equal(np.asarray(Image.open(path)), FRAME)
    assert os.listdir(tmp_path) == ["x.png"]


def test_a_folder_holds_every_frame(tmp_path):
    path = tmp_path / "a" / "frames"
    with open_sink(path, 60, 47, 31) as sink:
        assert sink.every_frame
        for _ in range(3):
            sink.write(FRAME)
    assert sorted(os.listdir(path)) == ["frame_00000.png", "frame_00001.png", "frame_00002.png"]


def test_an_mp4_plays_at_the_frame_rate(tmp_path):
    av = pytest.importorskip("av", reason="the video extra is not installed")
    path = tmp_path / "x.mp4"
    with open_sink(path, 30, 64, 32) as sink:
        for shade in range(0, 250, 10):
            sink.write(np.full((32, 64, 3), shade, np.uint8))
    assert os.listdir(tmp_path) == ["x.mp4"]
    with av.open(str(path)) as video:
        stream = video.streams.video[0]
        frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(stream)]
        assert (stream.average_rate, stream.width, stream.height) == (30, 64, 32)
    assert len(frames) == 25
    assert [frame.mean() for frame in frames] == pytest.approx(list(range(0, 250, 10)), abs=4)


@pytest.mark.parametrize("name", ["x.mp4", "x.gif"])
def test_a_run_that_fails_leaves_no_video(tmp_path, name):
    if name == "x.mp4":
        pytest.importorskip("av", reason="the video extra is not installed")
    (tmp_path / name).write_bytes(b"an older one")

    def fail_half_way():
        with open_sink(tmp_path / name, 30, 46, 30) as sink:
            sink.write(FRAME[:30, :46])
            raise KeyError

    with pytest.raises(KeyError):
        fail_half_way()
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_bytes() == b"an older one"


@pytest.mark.parametrize("rate", [50, 30, 7, Fraction(59, 2)])
def test_a_gif_shows_every_frame_for_as_long_as_the_rate_says(tmp_path, rate):
    """Also those that are like the one before."""
    path, shades = tmp_path / "x.gif", [10, 10, 90, 170, 170, 250, 30, 30, 30, 200, 201]
    with open_sink(path, rate, 47, 31) as sink:
        for shade in shades:
            frame = np.full((31, 47, 3), shade, np.uint8)
            frame[:9, :9] = 255, 0, 0
            sink.write(frame)
    assert os.listdir(tmp_path) == ["x.gif"]
    with Image.open(path) as gif:
        assert (gif.n_frames, gif.size, gif.info["loop"]) == (len(shades), (47, 31), 0)
        frames, ticks = [], []
        for number in range(gif.n_frames):
            gif.seek(number)
            frames.append(np.asarray(gif.convert("RGB")))
            ticks.append(gif.info["duration"] // 10)
    assert [frame[20, 20].tolist() for frame in frames] == [[shade] * 3 for shade in shades]
    assert all(frame[5, 5].tolist() == [255, 0, 0] for frame in frames)
    assert sum(ticks) == int(100 * len(shades) / rate)
    assert max(ticks) - min(ticks) <= 1


def test_colours_of_a_gif_are_near_those_of_the_picture(tmp_path):
    ramp = np.linspace(0, 255, 47).astype(np.uint8)
    frame = np.stack(np.broadcast_arrays(ramp, ramp[:31, None], 255 - ramp), axis=-1)
    with open_sink(tmp_path / "x.gif", 10, 47, 31) as sink:
        sink.write(frame)
    with Image.open(tmp_path / "x.gif") as gif:
        assert np.abs(np.asarray(gif.convert("RGB")).astype(int) - frame).mean() < 8


def test_a_gif_tells_no_shorter_time_than_viewers_show(tmp_path):
    with pytest.raises(InputError, match="x.gif: the frame rate of a GIF must be at most 50 frames per second .got 60"):
        open_sink(tmp_path / "x.gif", 60, 47, 31)


def test_a_file_gets_the_frames_that_it_can_show():
    rates = {60: 30, 120: 40, 50: 50, 24: 24, 59: Fraction(59, 2)}
    for frame_rate, rate in rates.items():
        assert frame_rate_for(Path("x.gif"), frame_rate) == rate
        assert frame_rate_for(Path("x.mp4"), frame_rate) == frame_rate_for(Path("x"), frame_rate) == frame_rate


@pytest.mark.parametrize("name", ["no/such/folder/x.png", "no/such/folder/x.mp4", "no/such/folder/x.gif", "x.bmp"])
def test_a_place_that_cannot_be_is_told(tmp_path, name):
    with pytest.raises(InputError, match=name.split("/")[-1]):
        open_sink(tmp_path / name, 60, 47, 31)


@pytest.mark.parametrize("name", ["x.png", "x.mp4", "x.gif", f"{300 * 'x'}.png", f"{300 * 'x'}.mp4"])
def test_a_file_that_cannot_be_is_told_before_the_first_frame(tmp_path, name):
    if len(name) < 9:
        (tmp_path / name).mkdir()
    with pytest.raises(InputError, match="must name a regular file|File name too long"):
        open_sink(tmp_path / name, 60, 47, 31)
    assert sum(len(files) for _, _, files in os.walk(tmp_path)) == 0


def test_a_folder_in_the_place_of_a_file_is_told(tmp_path):
    (tmp_path / "frames").touch()
    with pytest.raises(InputError, match="the path must be a folder"):
        open_sink(tmp_path / "frames", 60, 47, 31)


@pytest.mark.parametrize(("size", "nearest"), [((1, 1), "2x2"), ((63, 36), "64x36"), ((64, 1), "64x2")])
def test_a_video_has_even_sides(tmp_path, size, nearest):
    pytest.importorskip("av", reason="the video extra is not installed")
    with pytest.raises(
        InputError, match=f"x.mp4: an MP4 film must have an even .* .got {size[0]}x{size[1]}.. Use the size {nearest}"
    ):
        open_sink(tmp_path / "x.mp4", 60, *size)
    assert os.listdir(tmp_path) == []


def test_the_smallest_video_plays(tmp_path):
    av = pytest.importorskip("av", reason="the video extra is not installed")
    with open_sink(tmp_path / "x.mp4", 60, 2, 2) as sink:
        sink.write(FRAME[:2, :2])
    with av.open(str(tmp_path / "x.mp4")) as video:
        assert [(frame.width, frame.height) for frame in video.decode(video=0)] == [(2, 2)]


@pytest.mark.parametrize("moment", ["write", "close"])
def test_a_full_disk_is_told_and_leaves_nothing(tmp_path, monkeypatch, moment):
    """Some disks say so at once, others when the file is closed, before which it must not have its name."""
    from ecs_anim.support import pictures

    def no_space(*_):
        monkeypatch.undo()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def on_a_full_disk(*arguments, **options):
        file = NamedTemporaryFile(*arguments, **options)  # noqa: SIM115 (its user closes it)
        monkeypatch.setattr(file, moment, no_space)
        return file

    monkeypatch.setattr(pictures, "NamedTemporaryFile", on_a_full_disk)
    (tmp_path / "x.png").write_bytes(b"an older one")
    with pytest.raises(InputError, match="x.png: cannot write the file .No space left"):
        pictures.save_png(tmp_path / "x.png", FRAME)
    assert os.listdir(tmp_path) == ["x.png"]
    assert (tmp_path / "x.png").read_bytes() == b"an older one"


def test_a_disk_that_fills_up_in_the_midst_of_a_gif_is_told(tmp_path):
    def write_until_full():
        with open_sink(tmp_path / "x.gif", 30, 47, 31) as sink:
            sink.write(FRAME)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(InputError, match="x.gif: cannot write the file .No space left"):
        write_until_full()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("stopped", [KeyboardInterrupt, MemoryError])
def test_a_writer_that_is_stopped_leaves_nothing(tmp_path, stopped):
    (tmp_path / "x.json").write_bytes(b"an older one")

    def stop_half_way():
        with complete_file(tmp_path / "x.json") as file:
            file.write(bytes(1 << 20))
            raise stopped

    with pytest.raises(stopped):
        stop_half_way()
    assert os.listdir(tmp_path) == ["x.json"]
    assert (tmp_path / "x.json").read_bytes() == b"an older one"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="this system has other users")
def test_a_folder_that_may_not_be_written_to_is_told(tmp_path):
    folder, user = tmp_path / "ours", os.geteuid()
    folder.mkdir(mode=0o555)
    if user == 0:  # to whom nothing is forbidden
        os.seteuid(65534)
    try:
        with pytest.raises(InputError, match="x.png: cannot write the file .Permission denied"):
            save_png(folder / "x.png", FRAME)
    finally:
        os.seteuid(user)


def test_a_name_that_is_too_long_is_told(tmp_path):
    with pytest.raises(InputError, match="cannot write the file .File name too long"):
        save_png(tmp_path / ("a" * 300), FRAME)


@pytest.mark.parametrize(
    ("error", "fix"),
    [
        (OSError("database or disk is full"), "(database or disk is full). Free some space, or name another path"),
        (OSError(errno.ENOSPC, "no space"), "(no space). Free some space, or name another path"),
        (OSError(errno.EROFS, "read-only"), "(read-only). Name another path"),
    ],
)
def test_advice_on_space_is_given_where_it_is_the_matter(error, fix):
    with pytest.raises(InputError) as caught, told(Path("x.csv")):
        raise error
    assert str(caught.value) == f"x.csv: cannot write the file {fix}"
