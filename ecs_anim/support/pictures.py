"""Writing of frames to a PNG file, a folder of PNG files, an MP4 file or a GIF file. An incomplete file has a temporary
name.
"""

import contextlib
import math
import os
import struct
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from types import TracebackType
from typing import IO, Any, Self

import numpy as np
from numpy.typing import NDArray

from ecs_anim.support.budgets import excess
from ecs_anim.support.errors import FULL, InputError, InputWarning

# [height, width, 3] u8, sRGB, row 0 at the top; passes: also [height, width] u16; flow: [height, width, 2] f32
Frame = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.float32]
Encode = Callable[[Any], bytes]  # converts a frame to the bytes of a file

FILMS = (".png", ".mp4", ".gif")  # endings of files
GIF_TICKS = 100  # [1/s], unit of the display times of GIF frames
MOST_GIF_RATE = 50  # [1/s], maximum: most viewers show a frame of one tick for ten ticks
_ASKING = Lock()  # locked while the process reads its umask, because reading changes the umask for a moment


class FrameSink:
    """A file or a folder that receives frames. A `with` block that ends without an error completes the file."""

    every_frame = True  # False = only the last frame is written

    def write(self, frame: Frame) -> Path:
        """Write the next frame. Return the path of the file that contains the frame."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass


def open_sink(path: Path, frame_rate: Fraction | int, width: int, height: int, frames: int = 1) -> FrameSink:
    """Return a sink: an object that writes frames to `path`. The ending of `path` selects the file type.

    Raises InputError for an unknown ending. Also raises InputError if the file type does not support the picture size,
    the frame rate or the number of frames.
    """
    require_output(path)
    require_pictures(path, frames)
    match path.suffix.lower():
        case ".png":
            return StillFile(path)
        case ".mp4":
            return VideoFile(path, frame_rate, width, height)
        case ".gif":
            return GifFile(path, frame_rate)
        case _:
            return StillFolder(path)


def require_pictures(path: Path, frames: int) -> None:
    """Raise InputError if the folder or the video at `path` would have too many frames."""
    limit_message = excess("pictures", frames, "draw fewer pictures, or name a .png to keep only the last picture")
    if limit_message and path.suffix.lower() not in (".png", ".flo"):
        raise InputError(f"{path}: {limit_message}")


def require_output(path: Path) -> None:
    """Raise InputError if pictures cannot be written to `path`.

    A path with the ending .png, .mp4 or .gif names a file. A path without an ending names a folder.
    """
    match path.suffix.lower():
        case ".png" | ".gif":
            require_writable(path)
        case ".mp4":
            encoder_for(path)
            require_writable(path)
        case "" if path.name.lower() in FILMS:
            raise InputError(
                f"{path}: the file name must have at least one character before the ending. Name a file such as"
                f" walk{path.name}."
            )
        case "":
            if os.path.exists(path) and not os.path.isdir(path):
                raise InputError(
                    f"{path}: the path must be a folder, a .png file, a .mp4 file or a .gif file. Name another path."
                )
        case other:
            raise InputError(
                f"{path}: pictures and films cannot be {other!r} files. Name a .png file, a .mp4 file, a .gif"
                " file, or a folder."
            )


def require_film_size(path: Path, size: tuple[int, int], place: str) -> None:
    """Raise InputError if an MP4 would have an odd width or height. `place` names the key or option with the size."""
    width, height = size
    if path.suffix.lower() == ".mp4" and (width % 2 or height % 2):
        even = f"{width + width % 2}x{height + height % 2}"
        raise InputError(
            f"{place}: an MP4 film must have an even width and height (got {width}x{height}). Use the size {even}."
        )


def require_film_rate(path: Path, rate: int, place: str) -> None:
    """Raise InputError if the file type of `path` does not allow the frame rate `rate` [1/s].

    `place` names the key or option that sets the frame rate.
    """
    ending = path.suffix.lower()
    if ending not in (".mp4", ".gif", ""):
        raise InputError(
            f"{place}: pictures have no frame rate. To make a film, name a .mp4 file, a .gif file or a folder with"
            " --out."
        )
    if ending == ".gif" and rate > MOST_GIF_RATE:
        raise InputError(
            f"{place}: the frame rate of a GIF must be at most {MOST_GIF_RATE} frames per second (got {rate})."
            " Lower the rate, or name a .mp4 file."
        )


def frame_rate_for(path: Path, frame_rate: int | Fraction) -> Fraction:
    """Return the frame rate [1/s] of the film at `path`.

    GIF supports at most 50 frames per second. For a GIF, the function divides `frame_rate` by the smallest whole number
    that gives at most 50 frames per second. A film that is not a GIF has the frame rate `frame_rate`.
    """
    most = MOST_GIF_RATE if path.suffix.lower() == ".gif" else frame_rate
    return Fraction(frame_rate) / math.ceil(frame_rate / most)


class StillFile(FrameSink):
    """A sink that writes only the last frame to a file. The default encoder writes a PNG file."""

    every_frame = False

    def __init__(self, path: Path, encode: Encode | None = None) -> None:
        self.path, self._encode = path, encode or png_bytes

    def write(self, frame: Frame) -> Path:
        with complete_file(self.path) as partial:
            partial.write(self._encode(frame))
        return self.path


class StillFolder(FrameSink):
    """A sink that writes each frame to a separate file in a folder, such as frame_00000.png."""

    def __init__(self, path: Path, encode: Encode | None = None, ending: str = ".png") -> None:
        self.path, self._encode, self._ending = path, encode or png_bytes, ending
        self._count = 0
        with told(path):
            path.mkdir(parents=True, exist_ok=True)

    def write(self, frame: Frame) -> Path:
        path = self._place(self._count)
        with complete_file(path) as partial:
            partial.write(self._encode(frame))
        self._count += 1
        return path

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Warn if the folder contains a file with the next frame number. Such a file is left over from an earlier film
        with more frames.
        """
        after = self._place(self._count)
        if kind is None and after.exists():
            text = (
                "this frame and the later frames belong to an earlier film. Remove these frames, or name another folder"
            )
            warnings.warn(f"{after}: {text}", InputWarning, stacklevel=2)

    def _place(self, number: int) -> Path:
        return self.path / f"frame_{number:05d}{self._ending}"


THREADS = 4  # number of encoder threads; the number is fixed because the bytes of a film depend on it


class VideoFile(FrameSink):
    """A sink that writes the frames to an MP4 with the H.264 codec. The sink needs PyAV (the `video` extra)."""

    def __init__(self, path: Path, frame_rate: Fraction | int, width: int, height: int) -> None:
        av = encoder_for(path)
        require_film_size(path, (width, height), str(path))
        self.path = path
        self._partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
        self._av = av
        with told(path):
            self._container = av.open(str(self._partial), "w", format="mp4")
        self._stream: Any = self._container.add_stream("libx264", rate=Fraction(frame_rate))
        self._stream.width, self._stream.height = width, height
        self._stream.pix_fmt = "yuv420p"
        # Without cpu-independent=1, the rounding of x264 depends on the processor, and sometimes on memory addresses.
        self._stream.options = {"crf": "18", "preset": "veryfast", "x264-params": "cpu-independent=1"}
        self._stream.thread_count = THREADS

    def write(self, frame: Frame) -> Path:
        with told(self.path):
            picture = self._av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
            self._container.mux(self._stream.encode(picture))
        return self.path

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            with told(self.path):
                if kind is None:
                    self._container.mux(self._stream.encode(None))
                self._container.close()
                if kind is None:
                    os.replace(self._partial, self.path)
        finally:
            self._partial.unlink(missing_ok=True)


def encoder_for(path: Path) -> Any:
    """Return the module PyAV, which writes MP4 files. Raises InputError if PyAV is not installed."""
    try:
        import av
    except ImportError:
        raise InputError(f"{path}: MP4 files need the video extra. Install it: pip install 'ecs-anim[video]'") from None
    return av


class GifFile(FrameSink):
    """A sink that writes the frames to a GIF with 256 colours per frame. Viewers repeat the film forever."""

    def __init__(self, path: Path, frame_rate: Fraction | int) -> None:
        if frame_rate > MOST_GIF_RATE:
            raise InputError(
                f"{path}: the frame rate of a GIF must be at most {MOST_GIF_RATE} frames per second (got {frame_rate})"
            )
        self.path = path
        self._rate = Fraction(frame_rate)
        self._count = 0
        self._open = contextlib.ExitStack()

    def write(self, frame: Frame) -> Path:
        from PIL import GifImagePlugin, Image

        picture = Image.fromarray(frame).quantize(256)
        if self._count == 0:
            self._header(picture.size)
        for block in GifImagePlugin.getdata(picture, duration=10 * self._ticks(), include_color_table=True):
            self._file.write(block)
        self._count += 1
        return self.path

    def _header(self, size: tuple[int, int]) -> None:
        """Write the header of a GIF that has no global colour table and repeats forever."""
        self._file.write(b"GIF89a" + struct.pack("<HHBBB", *size, 0, 0, 0))
        self._file.write(b"\x21\xff\x0bNETSCAPE2.0\x03\x01" + struct.pack("<H", 0) + b"\0")

    def _ticks(self) -> int:
        """Return the display time of the next frame in ticks of the GIF format. The function carries the rounding error
        of one frame over to the next frame, so rounding errors do not add up.
        """
        begin, end = (int(count * GIF_TICKS / self._rate) for count in (self._count, self._count + 1))
        return end - begin

    def __enter__(self) -> Self:
        self._file = self._open.enter_context(complete_file(self.path))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._file.write(b";")
        self._open.__exit__(kind, error, trace)


def save_png(path: Path, frame: Frame) -> None:
    """Write a PNG file. Raises InputError if the file cannot be written.

    The file has a temporary name until the file is complete.
    """
    with complete_file(path) as partial:
        partial.write(png_bytes(frame))


def png_bytes(frame: Frame) -> bytes:
    """Return the bytes of a PNG file."""
    from PIL import Image

    whole = BytesIO()
    Image.fromarray(frame).save(whole, "PNG", compress_level=3)
    return whole.getvalue()


@contextlib.contextmanager
def complete_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a temporary file for writing in a `with` block.

    If the `with` block ends without an error, the file gets the name `path`.

    Raises InputError if the parent folder is missing, if `path` is a folder or a device, or if writing fails.
    """
    _require_replaceable(path)
    with told(path), _partial_file(path, delete=False) as partial:
        try:
            yield partial
            partial.close()  # closed before the file gets its name, because some full disks report an error only now
            os.chmod(partial.name, 0o666 & ~_umask())
            os.replace(partial.name, path)
        finally:
            Path(partial.name).unlink(missing_ok=True)


def require_writable(path: Path) -> None:
    """Raise InputError if the file `path` cannot be written."""
    _require_replaceable(path)
    with told(path), _partial_file(path, delete=True):
        pass


@contextlib.contextmanager
def told(path: Path) -> Iterator[None]:
    """In a `with` block, convert an operating-system error to an InputError of one line that names the file `path`."""
    try:
        yield
    except OSError as error:
        is_full = error.errno is None or error.errno in FULL  # errors of SQLite have no number
        fix = "Free some space, or name another path" if is_full else "Name another path"
        raise InputError(f"{path}: cannot write the file ({error.strerror or error}). {fix}") from None


def _require_replaceable(path: Path) -> None:
    with told(path):
        there, replaceable = path.parent.is_dir(), path.is_file() or not path.exists()
    if not there:
        raise InputError(f"{path}: the folder {path.parent} does not exist. Make the folder, or name another path.")
    if not replaceable:
        raise InputError(f"{path}: the path must name a regular file or a new file. Name another path.")


def _partial_file(path: Path, *, delete: bool) -> IO[bytes]:
    return NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=delete)


def _umask() -> int:
    with _ASKING:
        mask = os.umask(0)
        os.umask(mask)
    return mask
